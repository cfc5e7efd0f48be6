// SPDX-License-Identifier: Apache-2.0
#include "core/explore/derivation.h"

#include "core/schedule/apply.h"

#include <algorithm>
#include <iterator>

namespace nestwright::explore {

support::Result<Derivation> derive(const schedule::State &root, const std::vector<schedule::Step> &steps)
{
    Derivation derivation{{}, {root}};
    for (const schedule::Step &step : steps) {
        if (step.primitive->isQuery)
            continue;
        auto applied = schedule::apply(derivation.variant(), step);
        if (!applied)
            return std::unexpected(applied.error());
        derivation.steps.push_back(step);
        derivation.states.push_back(std::move(applied->state));
    }
    return derivation;
}

std::size_t commonStates(const Derivation &first, const Derivation &second)
{
    const auto [end, _] = std::ranges::mismatch(first.steps, second.steps);
    return static_cast<std::size_t>(std::distance(first.steps.begin(), end)) + 1;
}

} // namespace nestwright::explore
