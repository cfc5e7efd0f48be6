// SPDX-License-Identifier: Apache-2.0
#include "core/arith/type_range.h"

#include <cstdint>
#include <limits>

namespace nestwright::arith {

std::optional<ConstIntBound> beyondType(const ir::Expr &place, Analyzer &analyzer)
{
    using Counted = std::numeric_limits<std::int32_t>;
    const ir::DataType type = place.dtype();
    if (!type.isInt() || type.bits != 32)
        return std::nullopt;
    const ConstIntBound values = analyzer.constBound(place);
    const bool isBeyond = values.max > Counted::max() || values.min < Counted::min();
    return values.isFinite() && isBeyond ? std::optional(values) : std::nullopt;
}

} // namespace nestwright::arith
