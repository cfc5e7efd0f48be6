// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/code_commands.h"

#include "app/window/frame/window_settings.h"
#include "app/window/panes/nest_pane.h"
#include "app/window/panes/source_pane.h"
#include "core/backend/backend.h"
#include "widgets/code/code_view.h"
#include "widgets/code/difference_view.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/target_source.h"
#include "widgets/document/text.h"

#include <QCoreApplication>

namespace nestwright::app {

using document::toQt;

namespace {
struct CodeText {
    Q_DECLARE_TR_FUNCTIONS(CodeCommands)
};

/// Keeps a code pane's zoom from one run of the program to the next.
void keepZoom(code::CodeView &view, WindowSettings &settings, const QString &key)
{
    view.setZoom(settings.value(key, view.zoom()).toDouble());
    QObject::connect(&view, &code::CodeView::zoomChanged, &view,
                     [&settings, key](double zoom) { settings.setValue(key, zoom); });
}

} // namespace

void addSourceCommands(document::CommandRegistry &commands, WindowSettings &settings,
                       document::TargetSource &source, SourcePane &pane, QWidget &dock)
{
    int number = 1;
    for (const backend::SourceFormat &format : backend::sourceFormats()) {
        if (!backend::isBuilt(format))
            continue;
        commands.add({.id = QStringLiteral("source.") + toQt(format.name),
                      .title = CodeText::tr("Target source: %1").arg(toQt(format.title)),
                      .group = CodeText::tr("Target source"),
                      .keys = {QKeySequence(QStringLiteral("Alt+%1").arg(number++ % 10))},
                      .run =
                          [&pane, &dock, kind = format.kind] {
                              dock.show();
                              pane.setKind(kind);
                          },
                      .checked = [&source, kind = format.kind] { return source.kind() == kind; }});
    }
    const QString formsKey = QStringLiteral("sourceForms");
    pane.setForms(settings.value(formsKey, pane.forms()).toStringList());
    QObject::connect(&pane, &SourcePane::formsChanged, &pane,
                     [&settings, &pane, formsKey] { settings.setValue(formsKey, pane.forms()); });
    keepZoom(*pane.view(), settings, QStringLiteral("sourceZoom"));
}

void addNestCommands(document::CommandRegistry &commands, WindowSettings &settings, NestPane &pane)
{
    const QString splitKey = QStringLiteral("splitGrids"), sideBySideKey = QStringLiteral("sideBySide");
    code::DifferenceView *view = pane.difference();
    pane.setGridsSplit(settings.value(splitKey, pane.areGridsSplit()).toBool());
    view->setSideBySide(settings.value(sideBySideKey, view->isSideBySide()).toBool());
    keepZoom(*pane.view(), settings, QStringLiteral("nestZoom"));
    commands.add({.id = QStringLiteral("nest.diffToParent"),
                  .title = CodeText::tr("Difference to the variant before"),
                  .group = CodeText::tr("Loop nest"),
                  .keys = {QKeySequence(QStringLiteral("Ctrl+D"))},
                  .icon = QStringLiteral("diff"),
                  .run = [&pane] {
                      const bool on = pane.tab() == NestPane::AgainstParent;
                      pane.setTab(on ? NestPane::Nest : NestPane::AgainstParent);
                  }});
    const auto needsChange = [view] {
        return view->changeCount() > 0
                   ? QString()
                   : CodeText::tr("No difference is shown: Ctrl+D shows the one to the variant before.");
    };
    commands.add({.id = QStringLiteral("nest.nextChange"),
                  .title = CodeText::tr("Next change"),
                  .group = CodeText::tr("Loop nest"),
                  .keys = {QKeySequence(Qt::Key_F7)},
                  .icon = QStringLiteral("chevron-down"),
                  .run = [view] { view->goToNextChange(); },
                  .unavailable = needsChange});
    commands.add({.id = QStringLiteral("nest.previousChange"),
                  .title = CodeText::tr("Previous change"),
                  .group = CodeText::tr("Loop nest"),
                  .keys = {QKeySequence(QStringLiteral("Shift+F7"))},
                  .icon = QStringLiteral("chevron-up"),
                  .run = [view] { view->goToPreviousChange(); },
                  .unavailable = needsChange});
    commands.add({.id = QStringLiteral("nest.sideBySide"),
                  .title = CodeText::tr("Differences side by side"),
                  .group = CodeText::tr("Loop nest"),
                  .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+D"))},
                  .icon = QStringLiteral("side-by-side"),
                  .run = [view] { view->setSideBySide(!view->isSideBySide()); },
                  .checked = [view] { return view->isSideBySide(); }});
    commands.add({.id = QStringLiteral("nest.splitGrids"),
                  .title = CodeText::tr("One loop a line in place of T.grid"),
                  .group = CodeText::tr("Loop nest"),
                  .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+G"))},
                  .run =
                      [&settings, &pane, splitKey] {
                          pane.setGridsSplit(!pane.areGridsSplit());
                          settings.setValue(splitKey, pane.areGridsSplit());
                      },
                  .checked = [&pane] { return pane.areGridsSplit(); }});
    QObject::connect(view, &code::DifferenceView::sideBySideChanged, view,
                     [&settings, sideBySideKey](bool on) { settings.setValue(sideBySideKey, on); });
}

} // namespace nestwright::app
