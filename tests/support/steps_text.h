// SPDX-License-Identifier: Apache-2.0
/// The steps of a schedule in a TE script, as text.
#pragma once

#include "core/frontend/te_script/schedule_steps.h"

#include <string>

namespace nestwright::tests {

/// `written`, or "def apply_trace(sch): …" with a step a line behind two lines of head; `pass` where there is
/// none.
std::string stepsText(const te::ScheduleSteps &steps);

/// The line of the file that line `line` of the text comes from; both count from 1.
int sourceLineOfText(const te::ScheduleSteps &steps, int line);

} // namespace nestwright::tests
