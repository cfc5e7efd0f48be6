// SPDX-License-Identifier: Apache-2.0
/// Tables of text whose columns line up.
#pragma once

#include <string>
#include <vector>

namespace nestwright::support {

/// A line per row, two spaces between columns; cells of UTF-8 take one column per character. Rows may have
/// fewer cells than the first.
std::string lineUp(const std::vector<std::vector<std::string>> &rows);

} // namespace nestwright::support
