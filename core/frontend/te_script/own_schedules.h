// SPDX-License-Identifier: Apache-2.0
/// The schedules that a TE script makes for one kernel, as tutorials have them side by side.
#pragma once

#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/legacy_schedule.h"

namespace nestwright::te {

struct OwnSchedule {
    const LegacySchedule *schedule = nullptr;
    std::string name; ///< unique in its script
    ScheduleSteps steps;
};

struct OwnSchedules {
    std::vector<OwnSchedule> schedules; ///< of the kernel, in the order of the script
    std::vector<int> otherLines;        ///< where other kernels are made
};

/// Placeholders that `outputs` need, in the order they were made, then the outputs.
std::vector<Argument> argumentsOf(const Interpreter &interpreter, const std::vector<Tensor> &outputs);

/// The arguments of a schedule that was never lowered: its inputs and outputs.
void completeArguments(const Interpreter &interpreter, ScriptKernel &kernel);

/// The script's schedules of what `module`, its last kernel, computes. Tensors that were declared anew count
/// as the same where they make the same program.
OwnSchedules schedulesOf(Interpreter &interpreter, const ir::Module &module);

} // namespace nestwright::te
