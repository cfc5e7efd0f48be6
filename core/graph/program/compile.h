// SPDX-License-Identifier: Apache-2.0
/// Compilation of a program to machine code with each kernel's schedule.
#pragma once

#include "core/graph/run/executor.h"
#include "core/schedule/step.h"

#include <map>

namespace nestwright::graph {

/// Schedules by the kernel's name that take the place of the default ones: states after all their steps.
using Schedules = std::map<std::string, schedule::State, std::less<>>;

/// The scheduled form of every kernel, in order. Plans the program's memory: results take the place of
/// operands that their kernels, as scheduled, read for the last time and may overwrite
/// (analysis::inPlacePairs). Buffers that loop nests of a kernel share become parameters behind its others,
/// and get their place in the program's memory, which grows by the need of the largest. Errors: those of
/// defaultSchedule.
support::Result<std::vector<ir::Module>> scheduleKernels(Program &program, const Schedules &schedules = {});

/// Schedules, compiles and loads. Errors: those of the three.
support::Result<Executor> makeExecutor(Program program, const target::Target &target,
                                       const Schedules &schedules = {}, const CompileProgress &progress = {},
                                       std::stop_token stop = {});

} // namespace nestwright::graph
