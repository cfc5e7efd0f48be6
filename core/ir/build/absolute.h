// SPDX-License-Identifier: Apache-2.0
/// |x| as TVM makes it.
#pragma once

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"

namespace nestwright::ir {

/// fabs of a floating-point number; of an integer a choice between it and its negative, which the rules of
/// arithmetic know; unsigned numbers are themselves.
inline Expr absolute(const Expr &x)
{
    if (x.dtype().isFloating())
        return callIntrinsic(intrinsics::fabs, {x});
    if (x.dtype().isUInt())
        return x;
    if (const auto *number = x.as<IntImm>())
        return number->value < 0 ? -x : x;
    const Expr zero = constant(0, x.dtype());
    return select(binary(BinaryOp::GE, x, zero), x, zero - x);
}

} // namespace nestwright::ir
