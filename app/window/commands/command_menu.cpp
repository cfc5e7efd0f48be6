// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/command_menu.h"

#include "widgets/document/command_registry.h"
#include "widgets/look/icons.h"

#include <QCoreApplication>
#include <QMenu>

namespace nestwright::app {

using document::Command;

namespace {

/// Commands whose ids begin alike.
struct CommandSubject {
    const char *title, *prefix;
};
constexpr CommandSubject commandSubjects[] = {
    {QT_TRANSLATE_NOOP("CommandMenu", "File"), "file."},
    {QT_TRANSLATE_NOOP("CommandMenu", "Edit"), "edit."},
    {QT_TRANSLATE_NOOP("CommandMenu", "Schedule"), "schedule."},
    {QT_TRANSLATE_NOOP("CommandMenu", "History"), "history."},
    {QT_TRANSLATE_NOOP("CommandMenu", "Measure"), "measure."},
    {QT_TRANSLATE_NOOP("CommandMenu", "Export"), "export."},
    {QT_TRANSLATE_NOOP("CommandMenu", "View"), "view."},
    {QT_TRANSLATE_NOOP("CommandMenu", "Loop nest"), "nest."},
    {QT_TRANSLATE_NOOP("CommandMenu", "Target source"), "source."},
    {QT_TRANSLATE_NOOP("CommandMenu", "Graph"), "graph."},
    {QT_TRANSLATE_NOOP("CommandMenu", "Help"), "help."},
};

} // namespace

void addCommands(QMenu *menu, document::CommandRegistry &commands, const QStringList &ids)
{
    for (const QString &id : ids) {
        const Command *command = commands.find(id);
        if (!command) {
            menu->addSeparator();
            continue;
        }
        QAction *action =
            menu->addAction(command->title, &commands, [&commands, id] { commands.trigger(id); });
        action->setObjectName(QStringLiteral("menu.") + id);
        if (!command->icon.isEmpty())
            action->setIcon(look::icon(command->icon));
        if (!command->keys.isEmpty())
            action->setShortcut(command->keys.front());
        action->setShortcutContext(Qt::WidgetShortcut); // shown only: the window's own action has the key
        const QString reason = commands.reason(id);
        action->setEnabled(reason.isEmpty());
        action->setToolTip(reason);
        if (command->checked) {
            action->setCheckable(true);
            action->setChecked(command->checked());
        }
    }
}

void addAllCommands(QMenu *menu, document::CommandRegistry &commands)
{
    for (const auto &[title, prefix] : commandSubjects) {
        QMenu *inside = menu->addMenu(QCoreApplication::translate("CommandMenu", title));
        inside->setToolTipsVisible(true);
        QString group;
        for (const Command &command : commands.all()) {
            if (!command.id.startsWith(QLatin1StringView(prefix)))
                continue;
            if (!group.isEmpty() && group != command.group)
                inside->addSeparator();
            group = command.group;
            addCommands(inside, commands, {command.id});
        }
    }
}

} // namespace nestwright::app
