// SPDX-License-Identifier: Apache-2.0
/// Kernels cut to sizes that the interpreter comes to the end of.
#pragma once

#include "core/explore/step_path.h"
#include "core/measure/measurer.h"
#include "core/measure/verify/rungs.h"

#include <optional>

namespace nestwright::explore {

/// The schedule at sizes that the interpreter runs in some seconds, where it would take longer for `job` and
/// no arguments or sizes are given; nothing where `job` may run as it is, or the schedule does not take
/// smaller sizes.
std::optional<measure::SmallerProgram> smallerProgram(const StepPath &path, const measure::MeasureJob &job);

} // namespace nestwright::explore
