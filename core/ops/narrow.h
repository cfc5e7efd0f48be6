// SPDX-License-Identifier: Apache-2.0
/// Element types that models store but no machine here computes with: integers of 4 bits and floats of 8.
/// Their elements are held in the next wider type that has all their values.
#pragma once

#include "core/ir/expr.h"

#include <optional>

namespace nestwright::ops {

/// int4 is held in int8, uint4 in uint8, the floats of eight bits in float16; other types in themselves.
/// Nothing for narrow types that are not supported.
std::optional<ir::DataType> heldType(ir::DataType type);

/// The numbers of a floating-point format: 0, and ±(1.f) · 2^e with `mantissaBits` bits of f, e from
/// `leastExponent` on (below it in the same steps), up to `greatest`.
struct NarrowFloat {
    int mantissaBits;
    int leastExponent;
    double greatest;
    bool hasInfinities;
    bool hasNegativeZero;
};
/// Nothing where `type` is no such format.
std::optional<NarrowFloat> narrowFloat(ir::DataType type);

/// The numbers of an integer type.
struct IntegerRange {
    double least, greatest;
};
/// The range of a type of integers of up to 32 bits, int4 and uint4 too.
IntegerRange integerRange(ir::DataType type);

/// `x` as a number of `type`, which is narrow and has a heldType, in that type. Real numbers become the
/// nearest one, of two as near the even one; beyond the range of an integer type its end; beyond that of a
/// floating-point one the largest with `saturate`, else infinity, or NaN in a format without. Of integers, an
/// integer type keeps the low bits. As ONNX's Cast.
ir::Expr narrowed(const ir::Expr &x, ir::DataType type, bool saturate);

} // namespace nestwright::ops
