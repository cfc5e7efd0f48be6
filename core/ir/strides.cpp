// SPDX-License-Identifier: Apache-2.0
#include "core/ir/strides.h"

#include "core/ir/build/builder.h"

namespace nestwright::ir {

std::optional<std::int64_t> elementsOf(const Buffer &buffer, std::optional<std::int64_t> late)
{
    std::int64_t count = 1;
    for (const Expr &extent : buffer.shape()) {
        const std::int64_t *number = asInt(extent);
        const std::optional<std::int64_t> known = number ? std::optional(*number) : late;
        if (!known || *known < 0 || __builtin_mul_overflow(count, *known, &count))
            return std::nullopt;
    }
    return count;
}

} // namespace nestwright::ir
