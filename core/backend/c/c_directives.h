// SPDX-License-Identifier: Apache-2.0
/// Directives of C's preprocessor in a text that a person edited.
#pragma once

#include "core/backend/edited_code.h"

#include <set>
#include <string>
#include <string_view>

namespace nestwright::backend {

/// The headers that a text takes in: "stdint.h".
std::set<std::string> headersOf(std::string_view text);

/// Whether the directives of a text that was edited keep to the headers of `generated`. Error, with its
/// place: "edited.include".
support::Result<void> cCheckText(const EditedCode &code, const Source &generated);

/// Whether all directives of `text` keep to it: macros and conditions, pragmas that say how to compile, and
/// the `headers`. Directives are found as a compiler finds them, behind comments, spliced lines and other
/// spellings of '#'. Error, with its place: "edited.include".
support::Result<void> checkDirectives(std::string_view text, const std::set<std::string> &headers,
                                      const std::string &fileName);

} // namespace nestwright::backend
