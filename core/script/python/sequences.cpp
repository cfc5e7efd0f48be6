// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/sequences.h"

#include <algorithm>
#include <format>
#include <limits>

namespace nestwright::script::py {

Checked<std::int64_t> placeOf(std::int64_t index, std::int64_t size, std::string_view sequence)
{
    const std::int64_t place = index < 0 ? index + size : index;
    if (place < 0 || place >= size)
        return std::unexpected(
            Fault{FaultKind::Index, std::format("index {} is outside {} of {}", index, sequence, size)});
    return place;
}

Checked<std::vector<std::int64_t>> placesOf(const SliceBounds &slice, std::int64_t size)
{
    const std::int64_t step = std::clamp(slice.step.value_or(1), -size - 1, size + 1);
    if (step == 0)
        return std::unexpected(Fault{FaultKind::Type, "a slice cannot have the step 0"});
    const std::int64_t least = step < 0 ? -1 : 0, most = step < 0 ? size - 1 : size;
    const auto clamped = [&](std::optional<std::int64_t> bound, std::int64_t absent) {
        return bound ? std::clamp(*bound < 0 ? *bound + size : *bound, least, most) : absent;
    };
    const std::int64_t begin = clamped(slice.lower, step < 0 ? most : least);
    const std::int64_t end = clamped(slice.upper, step < 0 ? least : most);
    std::vector<std::int64_t> places;
    for (std::int64_t place = begin; step < 0 ? place > end : place < end; place += step)
        places.push_back(place);
    return places;
}

std::int64_t repeatedLength(std::size_t length, std::int64_t times)
{
    std::int64_t result = 0;
    const bool overflows = __builtin_mul_overflow(length, std::max(times, std::int64_t{0}), &result);
    return overflows ? std::numeric_limits<std::int64_t>::max() : result;
}

} // namespace nestwright::script::py
