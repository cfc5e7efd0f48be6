// SPDX-License-Identifier: GPL-3.0-or-later
/// The difference between two programs: in one text, and side by side.
#pragma once

#include "widgets/code/source.h"

#include <span>
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

/// A line of each text, side by side, from 0; -1 where a text has none.
struct LinePair {
    int older = -1;
    int newer = -1;
    bool isCommon = false;
    int folded = 0; ///< above 0: number of common lines shown as one line; these are the first
    bool operator==(const LinePair &) const = default;
};

/// The difference of texts whose lines are paired already: all lines of both, in order.
Difference differenceOf(Source older, Source newer, std::span<const LinePair> pairs);

/// More than `context` common lines that have as many common ones before and behind them stand as one.
std::vector<LinePair> folded(std::span<const LinePair> pairs, int context);

/// Neighbouring lines that went or came.
struct Change {
    int first = 0;
    int last = 0;
    bool operator==(const Change &) const = default;
};

/// Each form of a difference has as many, in the same order.
std::vector<Change> changesOf(const Source &source);

} // namespace nestwright::code
