// SPDX-License-Identifier: Apache-2.0
/// Products with weights of four bits, which are made into real numbers where they are used.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

constexpr std::int64_t perWord = 8; ///< weights

struct FourBitSizes {
    std::int64_t panels, width, blocks, words; ///< words: of a block of a column
};

FourBitSizes fourBitSizes(const CallSite &site)
{
    const auto sizes = [&](std::size_t i) { return constantSizes(site.input(i).shape, "every size"); };
    requireRank(site.input(1), 3, "the weights");
    requireRank(site.input(2), 3, "the scales");
    const ir::DataType type = site.input().dtype;
    if (site.input(1).dtype != ir::DataType::int32() || !type.isFloating() || type.bits > 32
        || site.input(2).dtype != type || !(site.input(2) == site.input(3)))
        typeError("weights must be words of 32 bits, and scales and offsets of one shape, of the type of the "
                  "input, of 32 bits at most");
    const auto weights = sizes(1), scales = sizes(2);
    if (scales[1] < 1 || weights[0] != scales[0] || weights[2] != scales[2] || weights[1] % scales[1] != 0)
        typeError(
            std::format("weights and scales do not fit: {}, {}", site.input(1).str(), site.input(2).str()));
    if (site.input().rank() < 1
        || constantSize(site.input().shape.back(), "the size summed over") != perWord * weights[1])
        typeError(std::format("{} and weights of {} rows cannot be multiplied", site.input().str(),
                              perWord * weights[1]));
    return {weights[0], weights[2], scales[1], weights[1] / scales[1]};
}

/// 2^(-4 · place), for places 0 to 3.
Expr powerOf16(const Expr &place)
{
    const ir::DataType whole = ir::DataType::int32();
    constexpr int bias = 127, fraction = 23;
    const Expr exponent = ir::cast(whole, Expr(bias) - place * Expr(4));
    const Expr bits = ir::callIntrinsic(ir::intrinsics::shiftLeft, {exponent, ir::intImm(fraction, whole)});
    return ir::callIntrinsic(ir::intrinsics::reinterpret, {bits}, ir::DataType::float32());
}

/// Weights keep their position in the word, times a power of 16; the inputs are divided by that power, which
/// is exact and saves shifting each weight. Scales and offsets are applied once per block of rows.
Tensors computeFourBit(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const FourBitSizes sizes = fourBitSizes(site);
    const te::Tensor &x = inputs[0], &weights = inputs[1], &scales = inputs[2], &offsets = inputs[3];
    const ir::DataType result = site.input().dtype, wide = ir::DataType::float32(),
                       whole = ir::DataType::int32();
    Shape shape(x.shape().begin(), x.shape().end() - 1), sums = shape;
    shape.push_back(dimension(sizes.panels * sizes.width));
    sums.push_back(dimension(sizes.blocks));
    Shape blocked = shape;
    blocked.insert(blocked.end() - 1, dimension(sizes.blocks));
    std::vector<std::string> names = axisNames(shape.size() - 1, "i");
    names.emplace_back("j");
    std::vector<std::string> blockNames = names;
    blockNames.insert(blockNames.end() - 1, "b");
    const Expr width = dimension(sizes.width);
    const auto extended = [](const std::vector<Expr> &i, std::size_t less, std::initializer_list<Expr> more) {
        std::vector<Expr> at(i.begin(), i.end() - static_cast<std::ptrdiff_t>(less));
        at.insert(at.end(), more);
        return at;
    };
    const te::Tensor scaled = mapTensor(
        builder, x,
        [&](const Expr &e, const std::vector<Expr> &i) {
            return ir::cast(wide, e) * powerOf16(ir::floorMod(i.back(), Expr(4)));
        },
        "scaled");
    const te::Tensor elements = builder.compute(
        sums, names,
        [&](const std::vector<Expr> &i) {
            const te::IterVar k = te::reduceAxis(dimension(perWord * sizes.words), "k");
            const Expr place = i.back() * Expr(perWord * sizes.words) + k.var;
            return te::Body(te::sum(ir::cast(wide, x.at(extended(i, 1, {place}))), {k}));
        },
        "elements");
    const te::Tensor parts = builder.compute(
        blocked, blockNames,
        [&](const std::vector<Expr> &i) {
            const te::IterVar word = te::reduceAxis(dimension(sizes.words), "w"),
                              half = te::reduceAxis(2, "h"), place = te::reduceAxis(4, "p");
            const Expr row = i[i.size() - 2] * Expr(sizes.words) + word.var;
            const Expr all = weights.at({ir::floorDiv(i.back(), width), row, ir::floorMod(i.back(), width)});
            const auto bits = [](const ir::Intrinsic &operation, const Expr &a, const Expr &b) {
                return ir::callIntrinsic(operation, {a, b});
            };
            const Expr mask = bits(ir::intrinsics::shiftLeft, ir::intImm(15, whole), place.var * Expr(4));
            const Expr number = bits(ir::intrinsics::bitwiseAnd,
                                     bits(ir::intrinsics::shiftRight, all, half.var * Expr(16)), mask);
            const Expr element = row * Expr(perWord) + half.var * Expr(4) + place.var;
            return te::Body(
                te::sum(scaled.at(extended(i, 2, {element})) * ir::cast(wide, number), {word, half, place}));
        },
        "parts");
    const te::Tensor product = builder.compute(
        shape, names,
        [&](const std::vector<Expr> &i) {
            const te::IterVar block = te::reduceAxis(dimension(sizes.blocks), "b");
            const std::vector<Expr> of{ir::floorDiv(i.back(), width), block.var,
                                       ir::floorMod(i.back(), width)};
            const Expr part = parts.at(extended(i, 1, {block.var, i.back()})),
                       sum = elements.at(extended(i, 1, {block.var}));
            return te::Body(te::sum(
                part * ir::cast(wide, scales.at(of)) - sum * ir::cast(wide, offsets.at(of)), {block}));
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
         .summary = "products with weights of four bits: words of eight rows, panels × words × columns of a "
                    "panel; with scales and offsets, panels × blocks of rows × columns of a panel",
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
