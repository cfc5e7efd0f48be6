// SPDX-License-Identifier: Apache-2.0
/// Fields of tables of comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace nestwright::support {

/// A text as a field: in quotes where it needs them. Texts that a spreadsheet would take for a formula, which
/// begin with = + - @ or a tab, get an apostrophe in front. Not for numbers.
std::string csvField(std::string_view text);

} // namespace nestwright::support
