// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/own_schedule.h"

namespace nestwright::session {

schedule::PartialRun runOwnSchedule(const schedule::State &initial, const te::ScheduleSteps &steps,
                                    const std::string &fileName)
{
    schedule::PartialRun partial = schedule::runAsFarAsLegal(initial, steps.script(), fileName);
    // Steps that are made from a legacy schedule are a script of their own, whose columns nobody wrote.
    if (partial.error && steps.written.empty()) {
        for (support::Location &location : partial.error->locations) {
            if (location.file == fileName) {
                location.line = steps.sourceLine(location.line);
                location.column = 1;
            }
        }
    }
    return partial;
}

} // namespace nestwright::session
