// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands that schedule: undo, redo, every primitive, moves of the selected loop.
#pragma once

namespace nestwright::document {
class CommandRegistry;
class Document;
} // namespace nestwright::document

namespace nestwright::app {

class LoopPane;

void addScheduleCommands(document::CommandRegistry &commands, document::Document &document,
                         LoopPane &loopPane);

} // namespace nestwright::app
