// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/wrong_pass.h"

#include "core/explore/judge/judges.h"
#include "core/measure/verify/interpreted.h"
#include "core/support/errors/stop.h"

#include <algorithm>

namespace nestwright::explore {

using support::Result;

Result<std::optional<WrongPass>> firstWrongPass(std::span<const lower::PassRecord> passes,
                                                measure::MeasureJob job)
{
    const auto launches = std::ranges::find(passes, "split-host-device", &lower::PassRecord::name);
    passes = passes.first(static_cast<std::size_t>(launches - passes.begin()));
    if (passes.empty())
        return std::nullopt;
    job.reference = passes.front().before;
    const std::uint64_t seed = job.seed;
    const auto judge = [&](std::size_t position, Round round) {
        job.seed = seed + (round == Round::Confirmation ? 1 : 0);
        return opinionOf(measure::verifyLowered(
            job, position == 0 ? job.reference : passes[position - 1].after, support::currentStop()));
    };
    const auto turn = bisect(passes.size(), judge);
    if (!turn)
        return support::fail(turn.error());
    if (!*turn)
        return std::nullopt;
    return WrongPass{.place = (*turn)->bad - 1, .turn = **turn};
}

} // namespace nestwright::explore
