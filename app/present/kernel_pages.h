// SPDX-License-Identifier: GPL-3.0-or-later
/// Measurements of a model and its kernels, as the window shows them.
#pragma once

#include "widgets/document/work/model_measuring.h"
#include "widgets/models/kernels_model.h"

#include <optional>
#include <vector>

namespace nestwright::session {
struct Model;
}

namespace nestwright::app {

/// Rows of the table of kernels. Where the machine's peak is not known, all of a kernel's time could be
/// gained.
std::vector<models::KernelRow> kernelRows(const session::Model &model,
                                          const std::optional<document::ModelTime> &time);

/// "model 12.30 ms (12.10 … 12.60) −8 %": a measurement, and the change since the one before.
QString modelTimeText(const document::ModelTime &time);

/// The id of a node that the kernel computes: `preferred` if it is one, else the first; -1: none.
int nodeOfKernel(const session::Model &model, int kernel, int preferred);

} // namespace nestwright::app
