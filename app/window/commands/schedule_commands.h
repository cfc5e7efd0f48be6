// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands that schedule: undo, redo, every primitive, recipes, moves of the selected loop.
#pragma once

#include <functional>

namespace nestwright::document {
class CommandRegistry;
class Document;
} // namespace nestwright::document
namespace nestwright::session {
struct Recipe;
}

namespace nestwright::app {

class LoopPane;

/// Ways on from a recipe that a person chose.
struct RecipeTargets {
    std::function<void()> measure;                            ///< measures the current variant
    std::function<bool()> ofModel;                            ///< whether the document is a kernel of a model
    std::function<void(const session::Recipe &)> likeKernels; ///< tries it on all kernels of the model
};

void addScheduleCommands(document::CommandRegistry &commands, document::Document &document,
                         LoopPane &loopPane, const RecipeTargets &targets);

} // namespace nestwright::app
