// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands for the theme and for motion.
#pragma once

namespace nestwright::document {
class CommandRegistry;
}
namespace nestwright::look {
class Theme;
}

namespace nestwright::app {

class WindowSettings;

/// Puts motion as it is remembered onto the theme.
void addLookCommands(document::CommandRegistry &commands, WindowSettings &settings, look::Theme &theme);

} // namespace nestwright::app
