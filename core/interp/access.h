// SPDX-License-Identifier: Apache-2.0
/// Code of loads and stores, with every index checked against the buffer.
#pragma once

#include "core/interp/frame.h"
#include "core/ir/node/buffer.h"

namespace nestwright::interp {

/// An index: a sum of slots times constants where it has that form, which needs no calls; else any code.
struct Index {
    struct Term {
        std::size_t slot;
        std::int64_t factor;
    };
    std::int64_t base = 0;
    std::vector<Term> terms;
    IntPtr general;            ///< used where it is set
    std::size_t single = npos; ///< the slot, where the index is one slot plus `base`; set by `settle`

    static constexpr std::size_t npos = static_cast<std::size_t>(-1);

    /// Chooses the quickest way; to be called once base, terms and general are set.
    Index &&settle() &&
    {
        if (!general && terms.size() == 1 && terms[0].factor == 1)
            single = terms[0].slot;
        return std::move(*this);
    }

    std::int64_t eval(Frame &frame) const
    {
        if (single != npos) [[likely]]
            return wrappingAdd(frame.slots[single].i, base);
        if (general)
            return general->eval(frame);
        std::int64_t sum = base;
        for (const Term &term : terms)
            sum = wrappingAdd(sum, wrappingMul(frame.slots[term.slot].i, term.factor));
        return sum;
    }
};

/// The elements accessed, and the code that accesses them.
struct AccessTarget {
    std::size_t view = 0;
    ir::Buffer buffer;
    ir::DataType elements; ///< in memory
    std::vector<Index> indices;
    int bufferLanes = 1;    ///< of one element
    bool isWatched = false; ///< the memory is written within a parallel loop
    std::uint32_t site = 0; ///< number among TraceSites::accesses
    CodePlace place;
};

/// Lane `frame.lane` of the elements. `mask` (or null) says which lanes are looked at; others give 0.
ValueCode makeLoad(AccessTarget target, IntPtr mask);

/// All lanes of `value`, of all threads in step, are computed before the first is written. `lanes` of the
/// value, 1 for a scalar.
std::unique_ptr<StmtCode> makeStore(AccessTarget target, ValueCode value, int lanes, IntPtr mask);

} // namespace nestwright::interp
