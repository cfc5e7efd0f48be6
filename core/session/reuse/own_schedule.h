// SPDX-License-Identifier: Apache-2.0
/// Schedules that stand in the kernel's own file.
#pragma once

#include "core/frontend/te_script/schedule_steps.h"
#include "core/schedule/script/reader.h"

namespace nestwright::session {

/// Runs `steps` on the kernel as far as they are legal; an error names the line of the kernel's file.
schedule::PartialRun runOwnSchedule(const schedule::State &initial, const te::ScheduleSteps &steps,
                                    const std::string &fileName);

} // namespace nestwright::session
