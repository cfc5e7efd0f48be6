// SPDX-License-Identifier: Apache-2.0
/// Markdown as text for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nestwright::course {

/// Paragraphs in lines of at most `width` columns, without marks: links by their words, names as they are;
/// code is indented. `width` 0: a paragraph is one line.
std::string plain(std::string_view markdown, std::size_t width = 98);

} // namespace nestwright::course
