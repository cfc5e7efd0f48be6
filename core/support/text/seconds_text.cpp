// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/seconds_text.h"

#include <cmath>
#include <format>

namespace nestwright::support {

std::string TimeScale::number(double time) const { return std::format("{:.{}f}", time / seconds, decimals); }

TimeScale timeScaleOf(double seconds)
{
    constexpr double whole = 0.9995; // written as 1000 of the next smaller unit
    TimeScale scale = seconds >= whole          ? TimeScale{1, "s"}
                      : seconds >= whole * 1e-3 ? TimeScale{1e-3, "ms"}
                      : seconds >= whole * 1e-6 ? TimeScale{1e-6, "µs"}
                                                : TimeScale{1e-9, "ns"};
    const double amount = seconds / scale.seconds;
    scale.decimals = amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
    return scale;
}

std::string secondsText(double seconds)
{
    if (!(seconds > 0) || !std::isfinite(seconds))
        return {};
    const TimeScale scale = timeScaleOf(seconds);
    return std::format("{} {}", scale.number(seconds), scale.unit);
}

} // namespace nestwright::support
