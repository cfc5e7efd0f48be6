// SPDX-License-Identifier: Apache-2.0
/// A comparison as text for people.
#pragma once

#include "core/explore/compare/comparison.h"
#include "core/measure/measurement.h"

#include <string>

namespace nestwright::cli {

/// Prints a row for each pair of loops, and one of the measured times where some are known.
void showTable(const explore::Comparison &comparison);

/// With a capital and a period.
std::string sentence(std::string text);

/// "'b' is 1.90 times as fast as 'a' (1.85 to 1.95)".
std::string speedupText(const measure::Speedup &speedup, const std::string &first, const std::string &second);

} // namespace nestwright::cli
