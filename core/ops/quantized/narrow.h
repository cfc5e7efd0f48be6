// SPDX-License-Identifier: Apache-2.0
/// Element types that models store but no machine here computes with: integers of 2 and 4 bits, floats of 4
/// and 8. Their elements are held in the next wider type that has all their values.
#pragma once

#include "core/ir/node/expr.h"

#include <optional>
#include <string_view>

namespace nestwright::ops {

/// int2 and int4 are held in int8, uint2 and uint4 in uint8, the powers of two of float8_e8m0fnu in float32,
/// the other floats of four and eight bits in float16; other types in themselves. Nothing for narrow types
/// that are not supported.
std::optional<ir::DataType> heldType(ir::DataType type);

/// The numbers of a floating-point format: 0, and ±(1.f) · 2^e with `mantissaBits` bits of f, e from
/// `leastExponent` on (below it in the same steps), up to `greatest`.
struct NarrowFloat {
    int mantissaBits = 0;
    int leastExponent = 0;
    double greatest = 0;
    bool hasInfinities = false;
    bool hasNegativeZero = false;
    bool hasNan = true; ///< where there is none, it becomes 0
};
/// Nothing where `type` is no such format; float8_e8m0fnu has no 0 and no sign, and is none.
std::optional<NarrowFloat> narrowFloat(ir::DataType type);

/// The numbers of an integer type.
struct IntegerRange {
    double least, greatest;
};
/// Whether the type is float8_e8m0fnu: 2^-127 to 2^127, and NaN.
bool isPowerOfTwo(ir::DataType type);

/// The range of a type of integers of up to 32 bits, narrow ones too.
IntegerRange integerRange(ir::DataType type);

/// How numbers become others of a narrow type.
struct NarrowRounding {
    /// Numbers beyond the range of floats become the largest, else infinity, or NaN in a format without.
    bool saturate = true;
    /// For integers: truncates and keeps the low bits of numbers beyond the range; else rounds to nearest
    /// even and saturates.
    bool wraps = false;
    /// Rounding to powers of two: "up", "down", or "nearest", which rounds ties up.
    std::string_view power = "up";
};

/// `x` converted to `type`, which is narrow and has a heldType, and held in that type. Real numbers are
/// rounded to nearest even in a floating-point type; an integer type keeps the low bits of integers. The same
/// as ONNX's Cast.
ir::Expr narrowed(const ir::Expr &x, ir::DataType type, const NarrowRounding &rounding);

} // namespace nestwright::ops
