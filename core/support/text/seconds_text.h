// SPDX-License-Identifier: Apache-2.0
/// Times as people read them.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::support {

/// A unit of time, and the decimals that leave three figures of the time that it was chosen for.
struct TimeScale {
    double seconds = 1;          ///< of the unit
    std::string_view unit = "s"; ///< "ns", "µs", "ms", "s"
    int decimals = 2;

    /// "1.30": without the unit.
    std::string number(double time) const;
};

TimeScale timeScaleOf(double seconds);

/// "3.62 ms", "41.0 µs"; empty where the time is not positive.
std::string secondsText(double seconds);

} // namespace nestwright::support
