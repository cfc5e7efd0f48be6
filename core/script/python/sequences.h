// SPDX-License-Identifier: Apache-2.0
/// Indices and slices of sequences, and sequences joined and repeated: lists of any value, and strings.
#pragma once

#include "core/script/python/fault.h"

#include <optional>
#include <string_view>

namespace nestwright::script::py {

/// The place, from 0, that `index` means in a sequence of `size` items; messages name it: "a list".
Checked<std::int64_t> placeOf(std::int64_t index, std::int64_t size, std::string_view sequence = "a list");

struct SliceBounds {
    std::optional<std::int64_t> lower, upper, step;
};

/// The places, from 0, that a slice takes of `size` items, in its order.
Checked<std::vector<std::int64_t>> placesOf(const SliceBounds &slice, std::int64_t size);

/// The bounds of a slice; `integer` evaluates one of them, and gives nothing for None.
template <class Integer> SliceBounds boundsOf(const Slice &slice, Integer integer)
{
    const auto bound = [&](const Expr &e) { return e ? integer(e) : std::optional<std::int64_t>(); };
    return {bound(slice.lower), bound(slice.upper), bound(slice.step)};
}

template <class Sequence> Sequence itemsAt(const Sequence &sequence, const std::vector<std::int64_t> &places)
{
    Sequence items;
    for (const std::int64_t place : places)
        items.push_back(sequence[static_cast<std::size_t>(place)]);
    return items;
}

template <class Sequence> Sequence joined(Sequence first, const Sequence &second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

/// Length of a sequence of `length` items that is repeated; the largest number where it overflows.
std::int64_t repeatedLength(std::size_t length, std::int64_t times);

/// The sequence repeated; empty where `times` is negative. The caller bounds the length.
template <class Sequence> Sequence repeated(const Sequence &sequence, std::int64_t times)
{
    Sequence all;
    for (std::int64_t i = 0; !sequence.empty() && i < times; ++i)
        all.insert(all.end(), sequence.begin(), sequence.end());
    return all;
}

} // namespace nestwright::script::py
