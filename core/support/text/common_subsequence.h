// SPDX-License-Identifier: Apache-2.0
/// The longest common subsequence of two sequences: the part that a shortest edit script leaves alone.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

namespace nestwright::support {

/// A number per distinct value, so that comparing lines is comparing numbers.
template <class Value> class Numbering {
public:
    int operator()(const Value &value)
    {
        return m_numbers.try_emplace(value, static_cast<int>(m_numbers.size())).first->second;
    }

private:
    std::unordered_map<Value, int> m_numbers;
};

/// Places of an element that both sequences have.
struct CommonElement {
    std::size_t before, after;
};

/// The elements of a longest common subsequence, in order; both sequences have fewer than 2³⁰. Past
/// `mostEdits` insertions and removals only the common beginning and end: that bounds the time for sequences
/// that have little in common. After E. Myers, "An O(ND) difference algorithm and its variations", 1986.
std::vector<CommonElement> commonSubsequence(std::span<const int> before, std::span<const int> after,
                                             int mostEdits);

} // namespace nestwright::support
