// SPDX-License-Identifier: GPL-3.0-or-later
/// Keys of commands in the window.
#pragma once

#include <functional>

class QWidget;

namespace nestwright::document {
class CommandRegistry;
struct Command;
} // namespace nestwright::document

namespace nestwright::app {

/// Gives the window an action, named after its command, for each command that has keys. One whose key types a
/// letter runs where `takesLetters` says so.
void installKeys(QWidget &window, document::CommandRegistry &commands,
                 const std::function<bool(const document::Command &)> &takesLetters);

} // namespace nestwright::app
