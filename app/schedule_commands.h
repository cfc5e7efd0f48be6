// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands that schedule: undo, redo, every primitive, recipes, moves of the selected loop.
#pragma once

#include <functional>

namespace nestwright::document {
class CommandRegistry;
class Document;
} // namespace nestwright::document

namespace nestwright::app {

class LoopPane;

/// `measure` measures the current variant.
void addScheduleCommands(document::CommandRegistry &commands, document::Document &document,
                         LoopPane &loopPane, const std::function<void()> &measure);

} // namespace nestwright::app
