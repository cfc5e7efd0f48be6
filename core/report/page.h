// SPDX-License-Identifier: Apache-2.0
/// The parts of a report's page that are the same for all: its style, and the script that shows its data.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::report {

/// The page up to the beginning of its body; `title` is text of HTML. The page loads nothing from elsewhere.
std::string pageHead(const std::string &title);
std::string_view pageStyle();
std::string_view pageScript();

} // namespace nestwright::report
