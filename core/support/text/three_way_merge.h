// SPDX-License-Identifier: Apache-2.0
/// Three-way comparison of texts: what two texts each changed of a third, put together line by line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nestwright::support {

/// Titles of the two sides, which stand behind the marks of a conflict.
struct MergeSides {
    std::string first, second;
};

struct MergedText {
    std::string text;
    int conflicts = 0; ///< places at which both sides changed the same lines differently
};

/// `first` with the changes from `base` to `second`. Lines that both sides changed alike count once; where
/// they differ, both stand in the text, between lines that conflictAt finds: "<<<<<<< FIRST", its lines,
/// "=======", the lines of `second`, ">>>>>>> SECOND". After S. Khanna, K. Kunal, B. Pierce, "A formal
/// investigation of diff3", 2007.
MergedText mergeTexts(std::string_view base, std::string_view first, std::string_view second,
                      const MergeSides &sides);

/// The line, from 1, at which the first conflict that is left in `text` begins; nothing where there is none.
std::optional<int> conflictAt(std::string_view text);
/// Number of conflicts left in the text.
int conflictsIn(std::string_view text);

} // namespace nestwright::support
