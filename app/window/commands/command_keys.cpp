// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/command_keys.h"

#include "widgets/document/command_registry.h"

#include <QAction>
#include <QWidget>

#include <algorithm>

namespace nestwright::app {

using document::Command;

void installKeys(QWidget &window, document::CommandRegistry &commands,
                 const std::function<bool(const Command &)> &takesLetters)
{
    for (const Command &command : commands.all()) {
        if (command.keys.isEmpty())
            continue;
        auto *action = new QAction(command.title, &window);
        action->setObjectName(command.id);
        action->setShortcuts(command.keys);
        action->setAutoRepeat(command.id.startsWith(u"edit."));
        const bool isTyped = std::ranges::any_of(command.keys, [](const QKeySequence &key) {
            return key[0].key() < Qt::Key_Escape && !(key[0].keyboardModifiers() & ~Qt::ShiftModifier);
        });
        QObject::connect(action, &QAction::triggered, &commands,
                         [&commands, &command, isTyped, takesLetters] {
                             if (!isTyped || takesLetters(command))
                                 commands.trigger(command.id);
                         });
        window.addAction(action);
    }
}

} // namespace nestwright::app
