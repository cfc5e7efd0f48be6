// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/schedule_commands.h"

#include "app/window/dialogs/recipe_dialog.h"
#include "app/window/panes/loop_pane.h"
#include "core/schedule/primitive.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/forms/action_strip.h"
#include "widgets/looptree/loop_tree.h"

#include <QCoreApplication>

namespace nestwright::app {

using document::Command;
using document::toQt;

namespace {
struct ScheduleText {
    Q_DECLARE_TR_FUNCTIONS(ScheduleCommands)
};

void askForRecipe(document::Document &document, LoopPane &loopPane, const RecipeTargets &targets)
{
    auto recipes = session::recipes(document.session().target());
    if (!recipes) {
        document.addProblem({document::Problem::Kind::Failed, recipes.error(), {}});
        return;
    }
    auto *dialog = new RecipeDialog(document, std::move(*recipes), targets.ofModel(), loopPane.window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QDialog::accepted, &document, [&document, dialog, targets] {
        const session::Recipe recipe = dialog->chosen();
        if (dialog->wantsLikeKernels()) {
            targets.likeKernels(recipe);
            return;
        }
        document.applyAll(
            recipe.name, [recipe](const schedule::State &state) { return session::runRecipe(state, recipe); },
            dialog->wantsMeasuring() ? targets.measure : std::function<void()>(), dialog->from());
    });
    dialog->open();
}
} // namespace

void addScheduleCommands(document::CommandRegistry &commands, document::Document &document,
                         LoopPane &loopPane, const RecipeTargets &targets)
{
    commands.add({.id = QStringLiteral("edit.undo"),
                  .title = ScheduleText::tr("Undo"),
                  .group = ScheduleText::tr("Edit"),
                  .keys = {QKeySequence::Undo},
                  .icon = QStringLiteral("undo"),
                  .run = [&document] { document.undo(); },
                  .unavailable =
                      [&document] {
                          return document.canUndo() ? QString()
                                                    : ScheduleText::tr("This is the unscheduled program.");
                      }});
    commands.add(
        {.id = QStringLiteral("edit.redo"),
         .title = ScheduleText::tr("Redo"),
         .group = ScheduleText::tr("Edit"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+Z")), QKeySequence(QStringLiteral("Ctrl+Y"))},
         .icon = QStringLiteral("redo"),
         .run = [&document] { document.redo(); },
         .unavailable =
             [&document] {
                 return document.canRedo() ? QString()
                                           : ScheduleText::tr("Nothing comes after this variant.");
             }});
    QStringList used{QStringLiteral("M")};
    for (const schedule::Primitive &primitive : schedule::primitives()) {
        if (primitive.isQuery)
            continue;
        Command command{.id = QStringLiteral("schedule.") + toQt(primitive.name),
                        .title = toQt(primitive.title),
                        .group = toQt(schedule::title(primitive.group)),
                        .run = [&loopPane, name = primitive.name] { loopPane.strip()->trigger(name); }};
        const QString key = toQt(primitive.key);
        if (!key.isEmpty() && !used.contains(key)) {
            used << key;
            command.keys = {QKeySequence(key)};
        }
        // A step that is not legal can be asked for all the same: the strip then says why it is not.
        command.unavailable = [&document] {
            return document.isOpen() ? QString() : ScheduleText::tr("Open a kernel first.");
        };
        commands.add(std::move(command));
    }
    commands.add({.id = QStringLiteral("schedule.recipe"),
                  .title = ScheduleText::tr("Apply a recipe…"),
                  .group = ScheduleText::tr("Loops"),
                  .keys = {QKeySequence(QStringLiteral("Shift+R"))},
                  .run = [&document, &loopPane, targets] { askForRecipe(document, loopPane, targets); },
                  .unavailable =
                      [&document] {
                          return document.isOpen() ? QString() : ScheduleText::tr("Open a kernel first.");
                      }});
    const auto needsLoop = [&document] {
        const document::NestRow *row =
            document.nest() ? document.nest()->row(document.selection().current()) : nullptr;
        return row && row->kind == document::RowKind::Loop ? QString()
                                                           : ScheduleText::tr("Select a loop first.");
    };
    commands.add({.id = QStringLiteral("schedule.moveOut"),
                  .title = ScheduleText::tr("Move the loop outwards"),
                  .group = ScheduleText::tr("Loops"),
                  .run = [&loopPane] { loopPane.tree()->moveSelected(-1); },
                  .unavailable = needsLoop});
    commands.add({.id = QStringLiteral("schedule.moveIn"),
                  .title = ScheduleText::tr("Move the loop inwards"),
                  .group = ScheduleText::tr("Loops"),
                  .run = [&loopPane] { loopPane.tree()->moveSelected(1); },
                  .unavailable = needsLoop});
}

} // namespace nestwright::app
