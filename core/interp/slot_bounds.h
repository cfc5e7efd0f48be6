// SPDX-License-Identifier: Apache-2.0
/// Bounds of variables that are known before a program runs.
#pragma once

#include "core/interp/stmt_code.h"

#include <optional>
#include <unordered_map>

namespace nestwright::interp {

/// Constant bounds of loop and block variables, which spare checks while the program runs.
class SlotBounds {
public:
    struct Interval {
        std::int64_t first, last;
    };

    void erase(std::size_t slot) { m_bounds.erase(slot); }
    void set(std::size_t slot, Interval interval) { m_bounds.insert_or_assign(slot, interval); }

    /// Nothing where no bounds are known, or they are so wide that sums might overflow.
    std::optional<Interval> of(const Index &index) const;
    /// A block variable is in its domain: it is checked unless that is known of its value.
    void bindIter(BlockCode::Iter &iter);

private:
    std::unordered_map<std::size_t, Interval> m_bounds; ///< by slot
};

} // namespace nestwright::interp
