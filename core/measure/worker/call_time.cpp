// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/call_time.h"

#include "core/measure/statistics.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace nestwright::measure {

namespace {

constexpr int samples = 15;
constexpr double secondsPerSample = 0.03, secondsOfCallWarmUp = 0.1;

double secondsPerCall(const std::function<void()> &call, int times)
{
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i)
        call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / times;
}

} // namespace

Interval timeOf(const std::function<void()> &call)
{
    double once = secondsPerCall(call, 1);
    double warm = once;
    while (warm < secondsOfCallWarmUp) {
        once = secondsPerCall(call, 1);
        warm += once;
    }
    const int times = std::max(1, static_cast<int>(secondsPerSample / std::max(once, 1e-9)));
    std::vector<double> seconds;
    for (int i = 0; i < samples; ++i)
        seconds.push_back(secondsPerCall(call, times));
    return bootstrapMedian(seconds);
}

} // namespace nestwright::measure
