// SPDX-License-Identifier: Apache-2.0
/// Work in parts, side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace nestwright::support {

/// Calls `work(begin, end)` for parts of 0 … count, each on a thread of its own, and waits for them: as many
/// as there are processors, but at most `most`, and one at least.
template <class Work> void inParts(std::int64_t count, std::int64_t most, const Work &work)
{
    const std::int64_t parts = std::clamp<std::int64_t>(
        std::min(most, count), 1, std::max<std::int64_t>(1, std::thread::hardware_concurrency()));
    std::vector<std::jthread> others;
    for (std::int64_t part = 1; part < parts; ++part)
        others.emplace_back(
            [&work, count, part, parts] { work(count * part / parts, count * (part + 1) / parts); });
    work(0, count / parts);
}

} // namespace nestwright::support
