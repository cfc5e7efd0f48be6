// SPDX-License-Identifier: Apache-2.0
/// The steps on a tir.Schedule that stand in the file of the kernel itself, as newer tutorials of TVM have
/// them.
#pragma once

#include "core/frontend/te_script/schedule_steps.h"
#include "core/script/python/ast.h"

#include <string_view>
#include <vector>

namespace nestwright::te {

/// For each `sch = tvm.tir.Schedule(…)` of `text` whose primitives are called: the statements that make it
/// and call them, with the constants they may use and, where it goes on from the module of another schedule,
/// the steps of that. Each stands on its own line and all other lines are empty: a schedule script whose
/// errors name the right lines.
std::vector<ScheduleSteps> writtenSchedules(const script::py::Module &module, std::string_view text);

} // namespace nestwright::te
