// SPDX-License-Identifier: Apache-2.0
/// Real numbers as numbers of a few bits: x ≈ scale · (q - zero_point), with one scale for all elements, for
/// each index along an axis, or for each block of indices along it.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/quantized/narrow.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <algorithm>
#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

/// How the scale is shared.
enum class Sharing : std::uint8_t { All, Axis, Block };

bool isOneNumber(const Shape &shape)
{
    return shape.empty() || (shape.size() == 1 && ir::isConstInt(shape[0], 1));
}

Sharing sharingOf(const CallSite &site)
{
    if (site.integer("block_size") != 0)
        return Sharing::Block;
    return isOneNumber(site.input(1).shape) ? Sharing::All : Sharing::Axis;
}

void checkScale(const CallSite &site)
{
    const TensorType &x = site.input(), &scale = site.input(1);
    if (!scale.dtype.isFloating())
        typeError("the scale must be a floating-point number");
    const bool isOne = sharingOf(site) == Sharing::All;
    if (site.inputs.size() > 2 && !(isOne && isOneNumber(site.input(2).shape))
        && !std::ranges::equal(scale.shape, site.input(2).shape, &sameSize))
        typeError(
            std::format("scale and zero point differ in shape: {}, {}", scale.str(), site.input(2).str()));
    if (isOne)
        return;
    const std::size_t axis = axisOf(site.integer("axis"), x.rank());
    if (sharingOf(site) == Sharing::Axis) {
        requireRank(scale, 1, "the scale");
        if (!sameSize(scale.shape[0], x.shape[axis]))
            typeError(std::format("there is no scale {} for each index along axis {} of {}", scale.str(),
                                  axis, x.str()));
        return;
    }
    const std::int64_t block = site.integer("block_size");
    requireRank(scale, x.rank(), "the scale");
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
        const std::int64_t size = constantSize(x.shape[i], "a dimension that is scaled in blocks");
        const std::int64_t wanted = i == axis && block > 0 ? (size + block - 1) / block : size;
        if (block < 1 || !sameSize(scale.shape[i], dimension(wanted)))
            typeError(
                std::format("{} has no scale for each block of {} along axis {}", scale.str(), block, axis));
    }
}

/// The element of a scale or zero point that belongs to element `i`.
Expr sharedElement(const CallSite &site, const te::Tensor &tensor, const std::vector<Expr> &i)
{
    if (sharingOf(site) == Sharing::All)
        return tensor.at(std::vector<Expr>(tensor.shape().size(), 0));
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    if (sharingOf(site) == Sharing::Axis)
        return tensor.at({i[axis]});
    std::vector<Expr> at = i;
    at[axis] = ir::floorDiv(i[axis], Expr(site.integer("block_size")));
    return tensor.at(at);
}

/// The type of computation: sums of 16-bit numbers and their scales need 32 bits.
ir::DataType wideType(ir::DataType type) { return type.bits == 64 ? type : ir::DataType::float32(); }

std::vector<TensorType> inferQuantize(const CallSite &site)
{
    const ir::DataType type = site.dtype();
    const auto held = heldType(type);
    if (!held || (!type.isNarrow() && !type.isIntegral()) || type.isBool() || type.bits > 16)
        typeError(std::format("{} is no type of integers of 4, 8 or 16 bits or floating-point numbers of 8",
                              type.str()));
    if (site.inputs.size() > 2 && site.input(2).dtype != *held)
        typeError("the zero point must have the type of the result");
    checkScale(site);
    return {{site.input().shape, *held}};
}

Tensors computeQuantize(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0];
    const ir::DataType type = site.dtype(), wide = wideType(site.input(1).dtype);
    const bool isFloat = narrowFloat(type).has_value();
    const IntegerRange range = isFloat ? IntegerRange{} : integerRange(type);
    return {builder.compute(
        x.shape(), axisNames(x.shape().size()),
        [&](const std::vector<Expr> &i) {
            const Expr scale = ir::cast(wide, sharedElement(site, inputs[1], i));
            Expr steps = ir::truncDiv(ir::cast(wide, x.at(i)), scale);
            if (!isFloat)
                steps = ir::callIntrinsic(ir::intrinsics::nearbyint, {steps});
            if (inputs.size() > 2)
                steps = steps + ir::cast(wide, sharedElement(site, inputs[2], i));
            if (isFloat)
                return te::Body(narrowed(steps, type, {.saturate = site.flag("saturate")}));
            // NaN becomes the least number: `min` and `max` with NaN give the second operand.
            const Expr kept = ir::min(ir::constant(range.greatest, wide), steps);
            return te::Body(ir::cast(*heldType(type), ir::max(kept, ir::constant(range.least, wide))));
        },
        "quantize")};
}

std::vector<TensorType> inferDequantize(const CallSite &site)
{
    const ir::DataType type = site.input().dtype;
    if (type.bits > 32 || (!type.isIntegral() && type != ir::DataType::float_(16)))
        typeError("it needs integers of up to 32 bits, or floating-point numbers of 8 held in float16");
    if (site.inputs.size() > 2 && site.input(2).dtype != type)
        typeError("the zero point must have the type of the elements");
    checkScale(site);
    return {{site.input().shape, site.input(1).dtype}};
}

Tensors computeDequantize(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &q = inputs[0];
    const ir::DataType type = site.input(1).dtype, wide = wideType(type);
    const ir::DataType exact = q.dtype().isFloating() ? wide : ir::DataType::int32(); // of differences
    return {builder.compute(
        q.shape(), axisNames(q.shape().size()),
        [&](const std::vector<Expr> &i) {
            Expr steps = ir::cast(exact, q.at(i));
            if (inputs.size() > 2)
                steps = steps - ir::cast(exact, sharedElement(site, inputs[2], i));
            const Expr scale = ir::cast(wide, sharedElement(site, inputs[1], i));
            return te::Body(ir::cast(type, ir::cast(wide, steps) * scale));
        },
        "dequantize")};
}

std::vector<AttributeField> sharingAttributes()
{
    return {{"axis", std::int64_t{1}, "axis along which the scales differ, where there are several"},
            {"block_size", std::int64_t{0},
             "indices along the axis that share a scale; 0: see the scale's shape"}};
}

} // namespace

void addQuantize(TensorOps &table)
{
    std::vector<AttributeField> fields = sharingAttributes();
    fields.push_back({"dtype", ir::DataType::uint(8), "type of the result; a narrow one is held in a wider"});
    fields.push_back({"saturate", true, "see narrow; for floating-point numbers of 8 bits"});
    table.push_back({.name = "nn.quantize",
                     .summary = "round(x / scale) + zero_point, kept within the range of the type",
                     .fusion = FusionKind::Broadcast,
                     .minInputs = 2,
                     .maxInputs = 3,
                     .attributes = fields,
                     .infer = &inferQuantize,
                     .compute = &computeQuantize});
    table.push_back({.name = "nn.dequantize",
                     .summary = "(q - zero_point) * scale, in the scale's type",
                     .fusion = FusionKind::Broadcast,
                     .minInputs = 2,
                     .maxInputs = 3,
                     .attributes = sharingAttributes(),
                     .infer = &inferDequantize,
                     .compute = &computeDequantize});
}

} // namespace nestwright::ops
