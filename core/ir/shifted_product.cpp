// SPDX-License-Identifier: Apache-2.0
#include "core/ir/shifted_product.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/conversions.h"
#include "core/ir/build/intrinsics.h"

#include <format>

namespace nestwright::ir {

namespace {

/// (x * y) / 2^right rounded to the nearest, halves up; a negative number of bits multiplies.
Expr roundedProduct(const Expr &x, const Expr &y, const Expr &right, DataType result)
{
    const DataType wide = DataType::int_(64, result.lanes);
    const auto vector = [&](const Expr &e) { return cast(wide, e); };
    const Expr product = vector(x) * vector(y), bits = vector(right);
    const auto within = [&](const Expr &e) { return min(max(e, constant(0, wide)), constant(63, wide)); };
    // The bit that is shifted out last decides: no sum that may overflow is needed.
    const Expr carry =
        callIntrinsic(intrinsics::bitwiseAnd,
                      {callIntrinsic(intrinsics::shiftRight, {product, within(bits - constant(1, wide))}),
                       constant(1, wide)});
    const Expr down = callIntrinsic(intrinsics::shiftRight, {product, within(bits)}) + carry;
    if (const std::int64_t *known = asInt(right); known && *known > 0)
        return cast(result, down);
    const Expr up = callIntrinsic(intrinsics::shiftLeft, {product, within(constant(0, wide) - bits)});
    return cast(result, select(gt(bits, constant(0, wide)), down, up));
}

} // namespace

bool isShiftedProduct(const Call &call)
{
    return call.callee == intrinsics::qMultiplyShift || call.callee == intrinsics::qMultiplyShiftPerAxis;
}

std::optional<std::string> shiftedProductFault(const Call &call)
{
    const std::size_t numbers = call.callee == intrinsics::qMultiplyShift ? 4 : 7;
    if (call.args.size() != numbers)
        return std::nullopt; // the table of intrinsics says how many
    for (std::size_t i = 0; i < call.args.size(); ++i) {
        const DataType type = call.args[i].dtype();
        const bool isFlag = i > 4 && type.isBool();
        if (!isFlag && (!(type.isInt() || type.isUInt()) || type.bits > 32))
            return std::format("argument {} of '{}' is of type '{}', not an integer of at most 32 bits",
                               i + 1, call.callee.name(), type.str());
    }
    return std::nullopt;
}

Expr shiftedProduct(const Call &call, const std::vector<Expr> &args)
{
    const DataType wide = DataType::int64();
    const auto bits = [&](const Expr &e) { return cast(wide.withLanes(e.dtype().lanes), e); };
    if (call.callee == intrinsics::qMultiplyShift)
        return roundedProduct(args[0], args[1], bits(args[2]) - bits(args[3]), call.dtype);
    const auto where = [&](const Expr &flag, const Expr &e) {
        return select(ne(flag, constant(0, flag.dtype())), bits(e),
                      constant(0, wide.withLanes(e.dtype().lanes)));
    };
    return roundedProduct(args[0], args[1], bits(args[4]) + where(args[6], args[3]) - where(args[5], args[2]),
                          call.dtype);
}

} // namespace nestwright::ir
