// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/history_commands.h"

#include "app/window/dialogs/marks_dialog.h"
#include "app/window/tools/sweep_dialog.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/history/history_edits.h"
#include "widgets/history/history_view.h"

#include <QCoreApplication>
#include <QMenu>

namespace nestwright::app {

using document::Document;
using history::EditOffer;
using session::VariantId;

namespace {
struct HistoryText {
    Q_DECLARE_TR_FUNCTIONS(HistoryCommands)
};

void askForMarks(Document &document, VariantId variant, QWidget *parent)
{
    auto *dialog = new MarksDialog(document.tree().at(variant), parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QDialog::accepted, &document, [&document, dialog, variant] {
        document.setName(variant, dialog->name().toStdString());
        document.setMarks(variant, dialog->marks());
    });
    dialog->open();
}

void toggleStar(Document &document, VariantId variant)
{
    session::VariantMarks marks = document.tree().at(variant).marks;
    marks.star = !marks.star;
    document.setMarks(variant, std::move(marks));
}

void sweep(Document &document, document::Measuring &measuring, VariantId variant, QWidget *parent)
{
    auto *dialog = new SweepDialog(document, measuring, variant, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show(); // beside the window: the bars grow there as well
}

QString whyNoSweep(const Document &document, VariantId variant)
{
    const session::Variant &chosen = document.tree().at(variant);
    return chosen.ok() && !explore::numbersOf(chosen.step).empty()
               ? QString()
               : HistoryText::tr("The step that made this variant has no number.");
}

QString needsKernel(const Document &document)
{
    return document.isOpen() ? QString() : HistoryText::tr("Open a kernel first.");
}

const EditOffer &offerOf(const std::vector<EditOffer> &offers, const QString &id)
{
    return *std::ranges::find(offers, id, &EditOffer::id);
}

void add(QMenu &menu, Document &document, const EditOffer &offer)
{
    QAction *action =
        menu.addAction(offer.title, &document, [&document, edit = offer.edit] { document.edit(edit); });
    action->setShortcut(offer.keys);
    action->setEnabled(offer.unavailable.isEmpty());
    action->setToolTip(offer.unavailable);
}
} // namespace

int addEditsOnto(QMenu &menu, Document &document, VariantId variant, VariantId onto)
{
    const std::vector<EditOffer> offers = history::editsOnto(document.tree(), variant, onto);
    for (const EditOffer &offer : offers)
        add(menu, document, offer);
    return static_cast<int>(offers.size());
}

void addEditsOf(QMenu &menu, Document &document, document::Measuring &measuring, VariantId variant)
{
    menu.addAction(
        HistoryText::tr("Name and note…"), QKeySequence(Qt::Key_F2), &document,
        [&document, variant, parent = menu.parentWidget()] { askForMarks(document, variant, parent); });
    menu.addAction(document.tree().at(variant).marks.star ? HistoryText::tr("Take the star away")
                                                          : HistoryText::tr("Star"),
                   &document, [&document, variant] { toggleStar(document, variant); });
    QAction *swept = menu.addAction(HistoryText::tr("Sweep a number of this step…"), &document,
                                    [&document, &measuring, variant, parent = menu.parentWidget()] {
                                        sweep(document, measuring, variant, parent);
                                    });
    const QString why = whyNoSweep(document, variant);
    swept->setEnabled(why.isEmpty());
    swept->setToolTip(why);
    menu.addSeparator();
    for (const EditOffer &offer : history::editsOf(document.tree(), variant))
        add(menu, document, offer);
}

void addHistoryCommands(document::CommandRegistry &commands, Document &document,
                        document::Measuring &measuring, history::HistoryView &view)
{
    const QString group = HistoryText::tr("History");
    commands.add({.id = QStringLiteral("history.name"),
                  .title = HistoryText::tr("Name and note of the variant…"),
                  .group = group,
                  .keys = {QKeySequence(Qt::Key_F2)},
                  .run = [&document, &view] { askForMarks(document, view.focused(), view.window()); },
                  .unavailable = [&document] { return needsKernel(document); }});
    commands.add(
        {.id = QStringLiteral("history.star"),
         .title = HistoryText::tr("Star the variant"),
         .group = group,
         .keys = {QKeySequence(QStringLiteral("Ctrl+B"))},
         .run = [&document, &view] { toggleStar(document, view.focused()); },
         .unavailable = [&document] { return needsKernel(document); },
         .checked = [&document,
                     &view] { return document.isOpen() && document.tree().at(view.focused()).marks.star; }});
    commands.add(
        {.id = QStringLiteral("history.sweep"),
         .title = HistoryText::tr("Sweep a number of the variant's step…"),
         .group = group,
         .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+V"))},
         .run = [&document, &measuring, &view] { sweep(document, measuring, view.focused(), view.window()); },
         .unavailable =
             [&document, &view] {
                 const QString closed = needsKernel(document);
                 return closed.isEmpty() ? whyNoSweep(document, view.focused()) : closed;
             }});
    // Their keys are the history's own: Delete means something else elsewhere.
    static const std::array<std::pair<QString, QString>, 3> edits{
        {{QStringLiteral("drop"), HistoryText::tr("Leave the variant's step out")},
         {QStringLiteral("moveUp"), HistoryText::tr("Move the variant's step up")},
         {QStringLiteral("moveDown"), HistoryText::tr("Move the variant's step down")}}};
    for (const auto &[id, title] : edits) {
        const auto offer = [&document, &view, id = id] {
            return offerOf(history::editsOf(document.tree(), view.focused()), id);
        };
        commands.add({.id = QStringLiteral("history.") + id,
                      .title = title,
                      .group = group,
                      .run = [&document, offer] { document.edit(offer().edit); },
                      .unavailable =
                          [&document, offer] {
                              const QString closed = needsKernel(document);
                              return closed.isEmpty() ? offer().unavailable : closed;
                          }});
    }
    for (const bool skips : {true, false}) {
        commands.add({.id = skips ? QStringLiteral("history.skip") : QStringLiteral("history.goOn"),
                      .title = skips ? HistoryText::tr("Leave the step at fault out and go on")
                                     : HistoryText::tr("Go on with the steps left"),
                      .group = group,
                      .run = [&document, skips] { document.goOn(skips); },
                      .unavailable =
                          [&document, skips] {
                              return document.rest().size() > (skips ? 1U : 0U)
                                         ? QString()
                                         : HistoryText::tr("No steps of an edit of the history are left.");
                          }});
    }
}

void addCompareCommand(document::CommandRegistry &commands, Document &document, history::HistoryView &view,
                       const std::function<void(VariantId first, VariantId second)> &compare)
{
    const auto other = [&document, &view] {
        const session::Variant &current = document.tree().current();
        const VariantId focused = view.focused();
        return focused != current.id && document.tree().at(focused).ok()
                   ? focused
                   : current.parent.value_or(current.id);
    };
    commands.add({.id = QStringLiteral("history.compare"),
                  .title = HistoryText::tr("Compare two variants…"),
                  .group = HistoryText::tr("History"),
                  .keys = {QKeySequence(QStringLiteral("Ctrl+Alt+D"))},
                  .icon = QStringLiteral("table"),
                  .run = [&document, compare, other] { compare(other(), document.currentId()); },
                  .unavailable = [&document] { return needsKernel(document); }});
}

} // namespace nestwright::app
