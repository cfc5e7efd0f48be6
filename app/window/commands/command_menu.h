// SPDX-License-Identifier: GPL-3.0-or-later
/// Menus made of commands.
#pragma once

#include <QStringList>

class QMenu;

namespace nestwright::document {
class CommandRegistry;
}

namespace nestwright::app {

/// Adds commands with their keys and marks as they are now, greyed out with the reason where they cannot be
/// run. An id that names no command is a separator.
void addCommands(QMenu *menu, document::CommandRegistry &commands, const QStringList &ids);

/// Adds every command, in a submenu for each of their subjects.
void addAllCommands(QMenu *menu, document::CommandRegistry &commands);

} // namespace nestwright::app
