// SPDX-License-Identifier: Apache-2.0
/// Operators of two tensors, or three, that are broadcast to one shape.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

namespace nestwright::ops {

namespace {

using ir::Expr;

enum class Gives : std::uint8_t { First, Boolean };
enum class Takes : std::uint8_t { All, Integers, Booleans };

struct BroadcastRow {
    std::string_view name;
    std::string_view summary;
    Expr (*function)(const Expr &a, const Expr &b);
    Gives gives = Gives::First;
    Takes takes = Takes::All;
    bool mixed = false; ///< the second input may have another type
};

template <ir::BinaryOp op> Expr binary(const Expr &a, const Expr &b) { return ir::binary(op, a, b); }
template <ir::BinaryOp op> Expr comparison(const Expr &a, const Expr &b)
{
    return a.dtype().isBool()
               ? ir::binary(op, ir::cast(ir::DataType::int32(), a), ir::cast(ir::DataType::int32(), b))
               : ir::binary(op, a, b);
}

/// The larger or smaller one; NaN where either is NaN, while the plain operation gives the second one then.
template <ir::BinaryOp op> Expr extreme(const Expr &a, const Expr &b)
{
    const Expr found = ir::binary(op, a, b);
    if (!a.dtype().isFloating())
        return found;
    const Expr wide = ir::cast(sumType(a.dtype()), a);
    return ir::select(ir::callIntrinsic(ir::intrinsics::isNan, {wide}), a, found);
}

Expr power(const Expr &base, const Expr &exponent)
{
    // Integers: through the wider floating-point type, in which those that fit are exact.
    const ir::DataType type = base.dtype().isFloating() && base.dtype().bits >= 32 ? base.dtype()
                              : base.dtype().isFloating()                          ? ir::DataType::float32()
                                                                                   : ir::DataType::float_(64);
    return ir::cast(base.dtype(),
                    ir::callIntrinsic(ir::intrinsics::pow, {ir::cast(type, base), ir::cast(type, exponent)}));
}

/// The remainder with the sign of the divisor.
Expr floorModulo(const Expr &a, const Expr &b)
{
    if (!a.dtype().isFloating())
        return ir::floorMod(a, b);
    const Expr remainder = ir::callIntrinsic(ir::intrinsics::fmod, {a, b});
    const Expr zero = ir::constant(0, a.dtype());
    const Expr otherSign =
        ir::logicalAnd(ir::ne(remainder, zero), ir::ne(ir::lt(remainder, zero), ir::lt(b, zero)));
    return ir::select(otherSign, remainder + b, remainder);
}

Expr truncatedModulo(const Expr &a, const Expr &b)
{
    return a.dtype().isFloating() ? ir::callIntrinsic(ir::intrinsics::fmod, {a, b}) : ir::truncMod(a, b);
}

Expr exclusiveOr(const Expr &a, const Expr &b)
{
    return ir::logicalOr(ir::logicalAnd(a, ir::logicalNot(b)), ir::logicalAnd(ir::logicalNot(a), b));
}

/// Shifting by all bits or more gives 0, and down the sign of a signed number.
Expr shifted(const ir::Intrinsic &direction, const Expr &a, const Expr &b)
{
    const Expr bits = ir::constant(a.dtype().bits, a.dtype());
    const Expr last = ir::constant(a.dtype().bits - 1, a.dtype());
    Expr moved = ir::callIntrinsic(direction, {a, ir::min(b, last)});
    if (a.dtype().isInt() && &direction == &ir::intrinsics::shiftRight)
        return moved;
    return ir::select(ir::ge(b, bits), ir::constant(0, a.dtype()), moved);
}

template <char kind> Expr bitwise(const Expr &a, const Expr &b)
{
    return ir::callIntrinsic(kind == '&'   ? ir::intrinsics::bitwiseAnd
                             : kind == '|' ? ir::intrinsics::bitwiseOr
                                           : ir::intrinsics::bitwiseXor,
                             {a, b});
}

constexpr BroadcastRow broadcastRows[] = {
    {"add", "a + b", &binary<ir::BinaryOp::Add>},
    {"subtract", "a - b", &binary<ir::BinaryOp::Sub>},
    {"multiply", "a * b", &binary<ir::BinaryOp::Mul>},
    {"divide", "a / b; of integers, towards 0", &binary<ir::BinaryOp::Div>},
    {"power", "a to the power of b, in a's type", &power, Gives::First, Takes::All, true},
    {"maximum", "the larger one; NaN where one is NaN", &extreme<ir::BinaryOp::Max>},
    {"minimum", "the smaller one; NaN where one is NaN", &extreme<ir::BinaryOp::Min>},
    {"floor_mod", "the remainder of a / b with the sign of b", &floorModulo},
    {"mod", "the remainder of a / b with the sign of a", &truncatedModulo},
    {"equal", "a = b", &comparison<ir::BinaryOp::EQ>, Gives::Boolean},
    {"not_equal", "a ≠ b", &comparison<ir::BinaryOp::NE>, Gives::Boolean},
    {"less", "a < b", &comparison<ir::BinaryOp::LT>, Gives::Boolean},
    {"less_equal", "a ≤ b", &comparison<ir::BinaryOp::LE>, Gives::Boolean},
    {"greater", "a > b", &comparison<ir::BinaryOp::GT>, Gives::Boolean},
    {"greater_equal", "a ≥ b", &comparison<ir::BinaryOp::GE>, Gives::Boolean},
    {"logical_and", "both", &binary<ir::BinaryOp::And>, Gives::Boolean, Takes::Booleans},
    {"logical_or", "either, or both", &binary<ir::BinaryOp::Or>, Gives::Boolean, Takes::Booleans},
    {"logical_xor", "one, not both", &exclusiveOr, Gives::Boolean, Takes::Booleans},
    {"bitwise_and", "bits set in both", &bitwise<'&'>, Gives::First, Takes::Integers},
    {"bitwise_or", "bits set in either", &bitwise<'|'>, Gives::First, Takes::Integers},
    {"bitwise_xor", "bits set in one", &bitwise<'^'>, Gives::First, Takes::Integers},
    {"left_shift", "bits moved up",
     [](const Expr &a, const Expr &b) { return shifted(ir::intrinsics::shiftLeft, a, b); }, Gives::First,
     Takes::Integers},
    {"right_shift", "bits moved down",
     [](const Expr &a, const Expr &b) { return shifted(ir::intrinsics::shiftRight, a, b); }, Gives::First,
     Takes::Integers},
    {"nn.prelu", "a, or a * b below 0",
     [](const Expr &a, const Expr &b) {
         return ir::select(ir::lt(a, ir::constant(0, a.dtype())), a * b, a);
     }},
};

TensorOp broadcasting(const BroadcastRow &row)
{
    return {
        .name = row.name,
        .summary = row.summary,
        .fusion = FusionKind::Broadcast,
        .minInputs = 2,
        .maxInputs = 2,
        .infer =
            [row](const CallSite &site) {
                if (!row.mixed)
                    requireSameType(site);
                if (row.takes == Takes::Integers)
                    requireIntegers(site);
                if (row.takes == Takes::Booleans)
                    requireBool(site, 2);
                return std::vector{
                    TensorType{broadcast(site.input(0).shape, site.input(1).shape),
                               row.gives == Gives::Boolean ? ir::DataType::boolean() : site.input().dtype}};
            },
        .compute =
            [function = row.function](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
                const Shape shape = broadcast(inputs[0].shape(), inputs[1].shape());
                return Tensors{builder.compute(
                    shape, axisNames(shape.size()),
                    [&](const std::vector<Expr> &i) {
                        return te::Body(function(broadcastLoad(inputs[0], i), broadcastLoad(inputs[1], i)));
                    },
                    std::string(site.op.name.substr(site.op.name.rfind('.') + 1)))};
            }};
}

Shape shapeOfThree(const Shape &a, const Shape &b, const Shape &c) { return broadcast(broadcast(a, b), c); }

} // namespace

void addBroadcast(TensorOps &table)
{
    for (const BroadcastRow &row : broadcastRows)
        table.push_back(broadcasting(row));
    table.push_back(
        {.name = "where",
         .summary = "an element of the second where the first holds, of the third elsewhere",
         .fusion = FusionKind::Broadcast,
         .minInputs = 3,
         .maxInputs = 3,
         .infer =
             [](const CallSite &site) {
                 requireBool(site, 1);
                 if (site.input(1).dtype != site.input(2).dtype)
                     typeError("the values have different element types");
                 return std::vector{
                     TensorType{shapeOfThree(site.input(0).shape, site.input(1).shape, site.input(2).shape),
                                site.input(1).dtype}};
             },
         .compute =
             [](te::Builder &builder, const CallSite &, const Tensors &inputs) {
                 const Shape shape = shapeOfThree(inputs[0].shape(), inputs[1].shape(), inputs[2].shape());
                 return Tensors{builder.compute(
                     shape, axisNames(shape.size()),
                     [&](const std::vector<Expr> &i) {
                         return te::Body(ir::select(broadcastLoad(inputs[0], i), broadcastLoad(inputs[1], i),
                                                    broadcastLoad(inputs[2], i)));
                     },
                     "where")};
             }});
}

} // namespace nestwright::ops
