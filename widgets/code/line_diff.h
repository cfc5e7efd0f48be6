// SPDX-License-Identifier: GPL-3.0-or-later
/// Which lines of a text are new or changed against an older one.
#pragma once

#include <QString>

#include <cstdint>
#include <vector>

namespace nestwright::code {

class CodeText;

enum class LineMark : std::uint8_t { None, Added, Changed };

/// Lines that the older text had and this one has not, in front of line `before` (which may be one past the
/// last).
struct RemovedLines {
    int before = 0;
    int oldFirst = 0;
    int count = 0;
};

struct LineDiff {
    std::vector<LineMark> marks; ///< per line of the newer text
    std::vector<RemovedLines> removed;
    bool isEmpty() const;
};

/// Shortest edit script by lines (E. Myers, "An O(ND) difference algorithm and its variations", 1986). Where
/// a run of lines replaces another, they count as changed as far as both reach. Past `maxEdits` differences
/// all between the common beginning and end counts as changed: that keeps it quick for texts that have little
/// in common.
LineDiff diffLines(const CodeText &older, const CodeText &newer, int maxEdits = 1000);

} // namespace nestwright::code
