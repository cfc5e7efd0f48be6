// SPDX-License-Identifier: Apache-2.0
/// The texts of two variants side by side, loop beside loop.
#pragma once

#include "core/backend/backend.h"
#include "core/explore/compare/loop_pairs.h"

#include <span>
#include <string_view>
#include <vector>

namespace nestwright::explore {

/// A text with the lines that each loop became.
struct SpannedText {
    std::string_view text;
    std::span<const script::LineSpan> spans;
};

/// Differences of lines that say the same, which are therefore ignored.
enum class LineFilter : std::uint8_t {
    Indentation, ///< of every text
    Assembly,    ///< names of registers but for their width, numbers of labels, comments
    LlvmIr       ///< numbers of values, labels and metadata
};
LineFilter filterFor(backend::SourceKind kind);

/// Part of a line that is compared: "vmovaps (%r), %ymm" of "  vmovaps (%rax,%rcx), %ymm3  # 32-byte".
std::string comparable(std::string_view line, LineFilter filter);

/// Lines that stand side by side, from 0; −1 where a text has none.
struct AlignedLine {
    int first = -1, second = -1;
    bool isSame = false; ///< of what is compared
    bool operator==(const AlignedLine &) const = default;
};

/// All lines of both texts in order. Lines belong to the innermost loop or block of the `pairs` whose span
/// holds them; those of pairs stand beside each other as far as the order of both texts allows it, and within
/// one the lines of a longest common subsequence do; what one text alone has stands alone.
std::vector<AlignedLine> alignLines(const SpannedText &first, const SpannedText &second,
                                    const std::vector<LoopPair> &pairs, LineFilter filter);

} // namespace nestwright::explore
