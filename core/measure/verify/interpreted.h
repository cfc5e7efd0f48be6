// SPDX-License-Identifier: Apache-2.0
/// Whether a scheduled program is right, by the interpreter alone: nothing is compiled.
#pragma once

#include "core/measure/measurer.h"

namespace nestwright::measure {

/// Runs the functions of `job.reference` and those of the same names of `scheduled` on the same random inputs
/// (symbolic sizes that the job does not name are 7, 8, 9, …). For a device `scheduled` is what its threads
/// run, with barriers, and races between them are found; loops bound to threads have those of OpenCL where
/// the job's target is a processor. Errors: "measure.wrong-result",
/// "verify.other-buffers", "verify.too-slow" (it would take hours), those of lowering, interp::run and
/// bindInputs, "cancelled". Tells as a phase how far it is and how long it will take.
support::Result<void> verifyByInterpreter(const MeasureJob &job, const ir::Module &scheduled,
                                          std::stop_token stop = {});

/// Runs the functions of `job.reference` and what passes made of them, `lowered`, on the same inputs. Errors
/// as above.
support::Result<void> verifyLowered(const MeasureJob &job, const ir::Module &lowered,
                                    std::stop_token stop = {});

/// Whether the interpreter comes to the end of `job` within a second or so.
bool isQuicklyInterpreted(const MeasureJob &job, const ir::Module &scheduled);
/// Operations of the two programs together, and those that the interpreter does in some seconds.
double interpretedOperations(const MeasureJob &job, const ir::Module &scheduled);
inline constexpr double operationsOfSeconds = 2e8;

} // namespace nestwright::measure
