// SPDX-License-Identifier: Apache-2.0
/// Products with weights of four bits, which are made into real numbers where they are used.
#include "core/ir/builder.h"
#include "core/ir/intrinsics.h"
#include "core/ops/shapes.h"
#include "core/ops/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

struct FourBitSizes {
    std::int64_t panels, width, blocks, halfBlock; ///< halfBlock: bytes of a block of a column
};

FourBitSizes fourBitSizes(const CallSite &site)
{
    const auto sizes = [&](std::size_t i) { return constantSizes(site.input(i).shape, "every size"); };
    requireRank(site.input(1), 3, "the weights");
    requireRank(site.input(2), 3, "the scales");
    if (site.input(1).dtype != ir::DataType::uint(8) || !site.input().dtype.isFloating()
        || site.input(2).dtype != site.input().dtype || !(site.input(2) == site.input(3)))
        typeError("weights must be bytes, and scales and offsets of one shape, of the type of the input");
    const auto weights = sizes(1), scales = sizes(2);
    if (scales[1] < 1 || weights[0] != scales[0] || weights[2] != scales[2] || weights[1] % scales[1] != 0)
        typeError(
            std::format("weights and scales do not fit: {}, {}", site.input(1).str(), site.input(2).str()));
    if (site.input().rank() < 1
        || constantSize(site.input().shape.back(), "the size summed over") != 2 * weights[1])
        typeError(std::format("{} and weights of {} rows cannot be multiplied", site.input().str(),
                              2 * weights[1]));
    return {weights[0], weights[2], scales[1], weights[1] / scales[1]};
}

Tensors computeFourBit(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const FourBitSizes sizes = fourBitSizes(site);
    const te::Tensor &x = inputs[0], &weights = inputs[1], &scales = inputs[2], &offsets = inputs[3];
    const ir::DataType result = site.input().dtype, wide = sumType(result), byte = ir::DataType::uint(8);
    Shape shape(x.shape().begin(), x.shape().end() - 1);
    shape.push_back(dimension(sizes.panels * sizes.width));
    std::vector<std::string> names = axisNames(shape.size() - 1, "i");
    names.emplace_back("j");
    const Expr width = dimension(sizes.width);
    const te::Tensor product = builder.compute(
        shape, names,
        [&](const std::vector<Expr> &i) {
            const te::IterVar block = te::reduceAxis(dimension(sizes.blocks), "k"),
                              pair = te::reduceAxis(dimension(sizes.halfBlock), "p"),
                              half = te::reduceAxis(2, "h");
            const Expr panel = ir::floorDiv(i.back(), width), column = ir::floorMod(i.back(), width);
            const Expr row = block.var * Expr(sizes.halfBlock) + pair.var;
            const Expr both = weights.at({panel, row, column});
            const Expr shifted =
                ir::callIntrinsic(ir::intrinsics::shiftRight, {both, ir::cast(byte, half.var * Expr(4))});
            const Expr number = ir::cast(
                wide, ir::cast(ir::DataType::int32(), ir::callIntrinsic(ir::intrinsics::bitwiseAnd,
                                                                        {shifted, ir::intImm(15, byte)})));
            const Expr weight = number * ir::cast(wide, scales.at({panel, block.var, column}))
                                - ir::cast(wide, offsets.at({panel, block.var, column}));
            std::vector<Expr> at(i.begin(), i.end() - 1);
            at.push_back(row * Expr(2) + half.var);
            return te::Body(te::sum(ir::cast(wide, x.at(at)) * weight, {block, pair, half}));
        },
        "matmul");
    if (wide == result)
        return {product};
    return {builder.compute(
        shape, names, [&](const std::vector<Expr> &i) { return te::Body(ir::cast(result, product.at(i))); },
        "matmul_cast")};
}

} // namespace

void addQuantizedMatmul(TensorOps &table)
{
    table.push_back(
        {.name = "nn.matmul_4bit",
         .summary = "products with weights of four bits: bytes of two rows each, by panel of columns; with "
                    "scales and offsets, panels × blocks of rows × columns of a panel",
         .fusion = FusionKind::OutFusable,
         .minInputs = 4,
         .maxInputs = 4,
         .infer =
             [](const CallSite &site) {
                 const FourBitSizes sizes = fourBitSizes(site);
                 Shape shape = site.input().shape;
                 shape.back() = dimension(sizes.panels * sizes.width);
                 return std::vector{TensorType{shape, site.input().dtype}};
             },
         .compute = &computeFourBit});
}

} // namespace nestwright::ops
