// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands of the panes that show code: forms of the target source, lines and differences of the loop nest.
/// How these panes show it is remembered.
#pragma once

class QWidget;

namespace nestwright::document {
class CommandRegistry;
class TargetSource;
} // namespace nestwright::document

namespace nestwright::app {

class NestPane;
class SourcePane;
class WindowSettings;

/// The dock is shown when a form is chosen.
void addSourceCommands(document::CommandRegistry &commands, WindowSettings &settings,
                       document::TargetSource &source, SourcePane &pane, QWidget &dock);

void addNestCommands(document::CommandRegistry &commands, WindowSettings &settings, NestPane &pane);

} // namespace nestwright::app
