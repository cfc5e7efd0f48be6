// SPDX-License-Identifier: Apache-2.0
/// Texts of sessions as they stand in reports: nothing in them is markup there.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::report {

/// The text escaped for an element of HTML.
std::string htmlText(std::string_view text);

/// The text escaped for a cell of Markdown: nothing in it is a link, a picture, an element or the end of the
/// row.
std::string markdownCell(std::string_view text);

} // namespace nestwright::report
