// SPDX-License-Identifier: Apache-2.0
/// A session on a model as a page or as a table: times of the model, its kernels with their schedules, and
/// its nodes, with the machine and the date of the measurement.
#pragma once

#include "core/session/model/model_project.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace nestwright::report {

enum class ModelForm : std::uint8_t { Html, Markdown, Csv, Json };
/// Form of a report by the file's ending: .md, .csv, .json; a page for all others.
ModelForm modelFormOf(std::string_view fileName);

/// Figures are those that were measured last; kernels that have another schedule since then say so. Texts of
/// the session stand in it as texts: nothing of them is run, and the page asks for nothing from elsewhere.
std::string modelReport(const session::ModelWork &work, ModelForm form);

} // namespace nestwright::report
