// SPDX-License-Identifier: GPL-3.0-or-later
/// The difference between two programs: in one text, and side by side.
#pragma once

#include "widgets/code/source.h"

#include <vector>

namespace nestwright::code {

/// Lines that only stand further to the left or right are the same. Where a line stands for another,
/// `emphasis` has the words that differ.
struct Difference {
    Source unified;      ///< the newer text with the lines of the older that went in front of those that came
    Source older, newer; ///< with empty lines, so that line n of one stands beside line n of the other
};

/// Shortest edit script by lines; past some number of edits, which is smaller in longer texts, all between
/// the common beginning and end counts as changed, so that it takes no longer than a frame or two.
Difference differenceOf(Source older, Source newer);

/// Neighbouring lines that went or came.
struct Change {
    int first = 0;
    int last = 0;
    bool operator==(const Change &) const = default;
};

/// Each form of a difference has as many, in the same order.
std::vector<Change> changesOf(const Source &source);

} // namespace nestwright::code
