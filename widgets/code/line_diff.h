// SPDX-License-Identifier: GPL-3.0-or-later
/// Which lines of a text are new or changed against an older one.
#pragma once

#include "widgets/code/source.h"

#include <vector>

namespace nestwright::code {

class CodeText;

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

/// Insertions and removals that are looked for: fewer in longer texts, so that a diff takes well below a
/// frame or two.
int mostEditsFor(int lines);

/// Shortest edit script by lines (core/support/common_subsequence.h). Where a run of lines replaces another,
/// they count as changed as far as both reach. Past `maxEdits` differences all between the common beginning
/// and end counts as changed: that keeps it quick for texts that have little in common.
LineDiff diffLines(const CodeText &older, const CodeText &newer, int maxEdits = 1000);

} // namespace nestwright::code
