// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/smaller_program.h"

#include "core/explore/judge/seal_sizes.h"
#include "core/measure/verify/interpreted.h"

namespace nestwright::explore {

std::optional<measure::SmallerProgram> smallerProgram(const StepPath &path, const measure::MeasureJob &job)
{
    const bool isGiven = !job.inputs.empty() || !job.sizes.empty() || !job.edits.empty();
    if (isGiven || measure::interpretedOperations(job, job.variants.front()) <= measure::operationsOfSeconds)
        return std::nullopt;
    const auto cut = sizesToSeal(path, {.work = measure::operationsOfSeconds, .extent = 0});
    if (!cut || cut->sizes.empty())
        return std::nullopt;
    return measure::SmallerProgram{cut->path.state(0).module, cut->path.end().module, textOf(cut->sizes)};
}

} // namespace nestwright::explore
