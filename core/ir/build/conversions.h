// SPDX-License-Identifier: Apache-2.0
/// The conversions between types.
#pragma once

#include "core/ir/node/dtype.h"

namespace nestwright::ir {

/// Whether the bits of a `from` can be read as a `to`: both take as many, an address as many as an integer
/// of 64 bits.
inline bool canReinterpret(DataType from, DataType to)
{
    if (DataType::isScalable(from.lanes) || DataType::isScalable(to.lanes) || from.isNarrow()
        || to.isNarrow())
        return true; // these are not run, and their sizes are matters of their own
    if (from.isHandle() || to.isHandle()) {
        const DataType other = from.isHandle() ? to : from;
        const bool isAddress = other.isHandle() || ((other.isInt() || other.isUInt()) && other.bits == 64);
        return isAddress && from.lanes == to.lanes;
    }
    return from.bits * from.lanes == to.bits * to.lanes;
}

/// Whether a value can be converted by a cast: numbers can, addresses and nothing cannot.
inline bool canCast(DataType from, DataType to)
{
    const auto isNumber = [](DataType type) { return !type.isHandle() && type.code != TypeCode::Void; };
    return (isNumber(from) && isNumber(to)) || (from == to);
}

} // namespace nestwright::ir
