// SPDX-License-Identifier: GPL-3.0-or-later
/// Rows of InputsDialog, for a model and for a kernel.
#pragma once

#include "app/inputs_dialog.h"
#include "core/ir/function.h"
#include "core/measure/measurement.h"

namespace nestwright::session {
struct Model;
}

namespace nestwright::app {

InputTexts modelInputTexts();
std::vector<InputRow> inputRows(const session::Model &model, const InputsDialog::Files &files);

InputTexts kernelInputTexts();
/// Of the main function.
std::vector<InputRow> inputRows(const ir::Module &kernel, const measure::GivenInputs &inputs);

/// Inputs from `files`; the content of files that were given before stays known.
measure::GivenInputs givenInputs(const InputsDialog::Files &files, const measure::GivenInputs &before);

} // namespace nestwright::app
