// SPDX-License-Identifier: Apache-2.0
/// The bar chart of `nestc measure --chart`, drawn with cairo since nestc has no Qt.
#pragma once

#include "core/support/errors/result.h"

#include <string>
#include <vector>

namespace nestwright::cli {

struct LadderBar {
    std::string name;
    double gflops = 0, low = 0, high = 0; ///< median and 95 % interval; 0: failed
};

struct LadderChart {
    std::string title;
    double peakGflops = 0; ///< a dashed line; 0: none
    std::vector<LadderBar> bars;
};

/// Draws to a .png or .svg file. Errors: "chart.format"; "chart.draw", also where cairo was not there when
/// this was built; "file.write".
support::Result<void> drawLadder(const LadderChart &chart, const std::string &path);

} // namespace nestwright::cli
