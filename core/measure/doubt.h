// SPDX-License-Identifier: Apache-2.0
/// Reasons why a ratio tells no difference.
#pragma once

#include "core/measure/statistics.h"

#include <algorithm>

namespace nestwright::measure {

/// "not significant", or "not enough samples" where the shorter of the two series has so few that they never
/// tell one; empty where the ratio tells a difference.
inline std::string_view doubtOf(const Speedup &speedup, std::size_t samples)
{
    if (changeOf(speedup) != Change::NotSignificant)
        return {};
    return samples < fewestSamples ? "not enough samples" : describe(Change::NotSignificant);
}

inline std::string_view doubtOf(const Speedup &speedup, const Measurement &before, const Measurement &after)
{
    return doubtOf(speedup, std::min(before.samples.size(), after.samples.size()));
}

} // namespace nestwright::measure
