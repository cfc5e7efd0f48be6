// SPDX-License-Identifier: GPL-3.0-or-later
/// Rows and texts of the dialog that asks for inputs, of a model and of a kernel.
#pragma once

#include "core/ir/node/function.h"
#include "core/measure/measurement.h"

#include <QString>

#include <map>
#include <string>
#include <vector>

namespace nestwright::session {
struct Model;
}

namespace nestwright::app {

/// An argument that a file may be given for.
struct InputRow {
    std::string name;
    QString type;        ///< for people: "64×32 f32"
    ir::Buffer buffer{}; ///< whose type and shape an array must have; null: none can be given
    QString otherwise;   ///< contents without a file
    QString file{};
};

struct InputTexts {
    QString title, explanation;
    QString empty; ///< instead where there is no row
    QString filter;
    QString accept; ///< label of the button that accepts
};

using InputFiles = std::map<std::string, QString>; ///< by the argument's name

InputTexts modelInputTexts();
std::vector<InputRow> inputRows(const session::Model &model, const InputFiles &files);

InputTexts kernelInputTexts();
/// Rows of the main function's inputs.
std::vector<InputRow> inputRows(const ir::Module &kernel, const measure::GivenInputs &inputs);

/// Inputs from `files`; the content of files that were given before stays known.
measure::GivenInputs givenInputs(const InputFiles &files, const measure::GivenInputs &before);

} // namespace nestwright::app
