// SPDX-License-Identifier: GPL-3.0-or-later
/// The commands of the panes that show code: forms of the target source, lines and differences of the loop
/// nest.
#include "app/main_window.h"
#include "app/nest_pane.h"
#include "app/source_pane.h"
#include "core/backend/backend.h"
#include "widgets/code/difference_view.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/target_source.h"
#include "widgets/document/text.h"
#include "widgets/look/card.h"

#include <QSettings>

namespace nestwright::app {

using document::toQt;

/// Each form of the target source; forms that stand for plain ones are remembered.
void MainWindow::addSourceCommands()
{
    int number = 1;
    for (const backend::SourceFormat &format : backend::sourceFormats()) {
        if (!backend::isBuilt(format))
            continue;
        m_commands->add({.id = QStringLiteral("source.") + toQt(format.name),
                         .title = tr("Target source: %1").arg(toQt(format.title)),
                         .group = tr("Target source"),
                         .keys = {QKeySequence(QStringLiteral("Alt+%1").arg(number++))},
                         .run =
                             [this, kind = format.kind] {
                                 m_sourceDock->show();
                                 m_sourcePane->setKind(kind);
                             },
                         .checked = [this, kind = format.kind] { return m_source->kind() == kind; }});
    }
    connect(m_sourcePane, &SourcePane::formsChanged, this, [this] {
        if (!m_fresh)
            m_settings->setValue(QStringLiteral("sourceForms"), m_sourcePane->forms());
    });
}

void MainWindow::addNestCommands()
{
    code::DifferenceView *view = m_nestPane->difference();
    m_commands->add({.id = QStringLiteral("nest.diffToParent"),
                     .title = tr("Difference to the variant before"),
                     .group = tr("Loop nest"),
                     .keys = {QKeySequence(QStringLiteral("Ctrl+D"))},
                     .icon = QStringLiteral("diff"),
                     .run = [this] {
                         const bool on = m_nestPane->tab() == NestPane::AgainstParent;
                         m_nestPane->setTab(on ? NestPane::Nest : NestPane::AgainstParent);
                     }});
    const auto needsChange = [view] {
        return view->changeCount() > 0
                   ? QString()
                   : tr("No difference is shown: Ctrl+D shows the one to the variant before.");
    };
    m_commands->add({.id = QStringLiteral("nest.nextChange"),
                     .title = tr("Next change"),
                     .group = tr("Loop nest"),
                     .keys = {QKeySequence(Qt::Key_F7)},
                     .icon = QStringLiteral("chevron-down"),
                     .run = [view] { view->goToNextChange(); },
                     .unavailable = needsChange});
    m_commands->add({.id = QStringLiteral("nest.previousChange"),
                     .title = tr("Previous change"),
                     .group = tr("Loop nest"),
                     .keys = {QKeySequence(QStringLiteral("Shift+F7"))},
                     .icon = QStringLiteral("chevron-up"),
                     .run = [view] { view->goToPreviousChange(); },
                     .unavailable = needsChange});
    m_commands->add({.id = QStringLiteral("nest.sideBySide"),
                     .title = tr("Differences side by side"),
                     .group = tr("Loop nest"),
                     .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+D"))},
                     .icon = QStringLiteral("side-by-side"),
                     .run = [view] { view->setSideBySide(!view->isSideBySide()); },
                     .checked = [view] { return view->isSideBySide(); }});
    m_commands->add({.id = QStringLiteral("nest.splitGrids"),
                     .title = tr("One loop a line in place of T.grid"),
                     .group = tr("Loop nest"),
                     .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+G"))},
                     .run =
                         [this] {
                             m_nestPane->setGridsSplit(!m_nestPane->areGridsSplit());
                             if (!m_fresh)
                                 m_settings->setValue(QStringLiteral("splitGrids"),
                                                      m_nestPane->areGridsSplit());
                         },
                     .checked = [this] { return m_nestPane->areGridsSplit(); }});
    connect(view, &code::DifferenceView::sideBySideChanged, this, [this](bool on) {
        if (!m_fresh)
            m_settings->setValue(QStringLiteral("sideBySide"), on);
    });
}

} // namespace nestwright::app
