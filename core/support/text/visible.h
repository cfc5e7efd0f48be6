// SPDX-License-Identifier: Apache-2.0
/// Texts of others shown as they are: nothing in them moves the cursor of a terminal, or has letters read in
/// another order.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::support {

/// The text with control characters, marks of writing direction and separators of lines and paragraphs as
/// "\u001b", and bytes that are no UTF-8 as "\xff". Tabs and newlines stay.
std::string visible(std::string_view text);

/// Like `visible`, for a name, which stands in one line: tabs and newlines become "\u000a" too.
std::string visibleName(std::string_view name);

/// Number of bytes at the end of the text that begin an incomplete character: 0 to 3.
std::size_t begunCharacter(std::string_view text);

} // namespace nestwright::support
