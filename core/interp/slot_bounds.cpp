// SPDX-License-Identifier: Apache-2.0
#include "core/interp/slot_bounds.h"

#include <algorithm>
#include <cstdlib>

namespace nestwright::interp {

std::optional<SlotBounds::Interval> SlotBounds::of(const Index &index) const
{
    constexpr std::int64_t wide = std::int64_t{1} << 31;
    if (index.general || index.base <= -wide || index.base >= wide)
        return std::nullopt;
    Interval sum{index.base, index.base};
    for (const Index::Term &term : index.terms) {
        const auto found = m_bounds.find(term.slot);
        const bool narrow = term.factor > -wide && term.factor < wide;
        if (found == m_bounds.end() || !narrow || found->second.first <= -wide || found->second.last >= wide)
            return std::nullopt;
        const std::int64_t a = found->second.first * term.factor, b = found->second.last * term.factor;
        if (std::abs(a) >= wide || std::abs(b) >= wide)
            return std::nullopt;
        sum.first += std::min(a, b);
        sum.last += std::max(a, b);
    }
    return sum;
}

void SlotBounds::bindIter(BlockCode::Iter &iter)
{
    erase(iter.slot);
    const auto value = of(iter.value), min = of(iter.min), extent = of(iter.extent);
    if (!min || !extent || min->first != min->last || extent->first != extent->last)
        return;
    const Interval domain{min->first, min->first + extent->first - 1};
    iter.staysInside = value && value->first >= domain.first && value->last <= domain.last;
    set(iter.slot, domain);
}

} // namespace nestwright::interp
