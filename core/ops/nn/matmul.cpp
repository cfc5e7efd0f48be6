// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

struct Sizes {
    Shape batch;
    Expr m, n, k;
};

Sizes sizesOf(const CallSite &site)
{
    const TensorType &a = site.input(0), &b = site.input(1);
    if (a.rank() < 2 || b.rank() < 2)
        typeError("it needs matrices");
    const auto last = [](const TensorType &type, bool transposed) {
        const std::size_t rank = type.shape.size();
        return transposed ? std::pair(type.shape[rank - 1], type.shape[rank - 2])
                          : std::pair(type.shape[rank - 2], type.shape[rank - 1]);
    };
    const auto [m, k] = last(a, site.flag("transpose_a"));
    const auto [l, n] = last(b, site.flag("transpose_b"));
    if (!sameSize(k, l)) {
        typeError(
            std::format("{} and {} cannot be multiplied: the sizes summed over differ", a.str(), b.str()));
    }
    const auto batchOf = [](const TensorType &type) {
        return Shape(type.shape.begin(), type.shape.end() - 2);
    };
    return {broadcast(batchOf(a), batchOf(b)), m, n, k};
}

/// The element (row, column) of the matrix of `x` that belongs to `batch`.
Expr elementOf(const te::Tensor &x, const std::vector<Expr> &batch, const Expr &row, const Expr &column,
               bool transposed)
{
    const std::size_t own = x.shape().size() - 2;
    std::vector<Expr> indices;
    for (std::size_t i = 0; i < own; ++i)
        indices.push_back(ir::isConstInt(x.shape()[i], 1) ? Expr(0) : batch[batch.size() - own + i]);
    indices.push_back(transposed ? column : row);
    indices.push_back(transposed ? row : column);
    return x.at(indices);
}

Tensors computeMatmul(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Sizes sizes = sizesOf(site);
    const ir::DataType result = resultType(site), wide = sumType(result, sizes.k, manyProducts);
    Shape shape = sizes.batch;
    shape.insert(shape.end(), {sizes.m, sizes.n});
    std::vector<std::string> names = axisNames(sizes.batch.size(), "b");
    names.insert(names.end(), {"i", "j"});
    const te::Tensor product = builder.compute(
        shape, names,
        [&](const std::vector<Expr> &i) {
            const std::vector<Expr> batch(i.begin(), i.end() - 2);
            const te::IterVar k = te::reduceAxis(sizes.k, "k");
            return te::Body(te::sum(
                ir::cast(wide, elementOf(inputs[0], batch, i[i.size() - 2], k.var, site.flag("transpose_a")))
                    * ir::cast(wide,
                               elementOf(inputs[1], batch, k.var, i[i.size() - 1], site.flag("transpose_b"))),
                {k}));
        },
        "matmul");
    if (wide == result)
        return {product};
    return {mapTensor(
        builder, product, [&](const Expr &e, const auto &) { return ir::cast(result, e); }, "matmul_cast")};
}

/// Sizes of a product with a matrix in panels: … × panels × k × columns of a panel.
Sizes packedSizes(const CallSite &site)
{
    const TensorType &a = site.input(0), &b = site.input(1);
    if (a.rank() < 2 || b.rank() < 3)
        typeError("it needs matrices, the second one in panels");
    const Shape &x = a.shape, &w = b.shape;
    if (!sameSize(x.back(), w[w.size() - 2]))
        typeError(
            std::format("{} and {} cannot be multiplied: the sizes summed over differ", a.str(), b.str()));
    return {broadcast(Shape(x.begin(), x.end() - 2), Shape(w.begin(), w.end() - 3)), x[x.size() - 2],
            multiplied(w[w.size() - 3], w.back()), x.back()};
}

/// The rows are the last dimension before the columns that is not 1. Those that are left over are computed as
/// those of a whole tile are: they repeat the last one, and nothing reads them.
Tensors computePackedMatmul(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Sizes sizes = packedSizes(site);
    const ir::DataType result = resultType(site), wide = sumType(result, sizes.k, manyProducts);
    const te::Tensor &panels = inputs[1];
    const Expr width = panels.shape().back();
    Shape shape = sizes.batch;
    shape.insert(shape.end(), {sizes.m, sizes.n});
    std::size_t rowAxis = shape.size() - 2;
    while (rowAxis > 0 && ir::isConstInt(shape[rowAxis], 1))
        --rowAxis;
    const std::int64_t *rows = ir::asInt(shape[rowAxis]), multiple = site.integer("row_multiple");
    const std::int64_t computed = rows ? (*rows + multiple - 1) / multiple * multiple : 0;
    const bool isPadded = rows && computed != *rows;
    Shape whole = shape;
    if (isPadded)
        whole[rowAxis] = dimension(computed);
    std::vector<std::string> names = axisNames(sizes.batch.size(), "b");
    names.insert(names.end(), {"i", "j"});
    const te::Tensor product = builder.compute(
        whole, names,
        [&](const std::vector<Expr> &given) {
            std::vector<Expr> i = given;
            if (isPadded)
                i[rowAxis] = ir::min(i[rowAxis], Expr(*rows - 1));
            const std::vector<Expr> batch(i.begin(), i.end() - 2);
            const te::IterVar k = te::reduceAxis(sizes.k, "k");
            std::vector<Expr> at = batch;
            at.insert(at.end(), {ir::floorDiv(i.back(), width), k.var, ir::floorMod(i.back(), width)});
            return te::Body(te::sum(ir::cast(wide, elementOf(inputs[0], batch, i[i.size() - 2], k.var, false))
                                        * ir::cast(wide, broadcastLoad(panels, at)),
                                    {k}));
        },
        "matmul");
    if (wide == result && !isPadded)
        return {product};
    return {builder.compute(
        shape, names, [&](const std::vector<Expr> &i) { return te::Body(ir::cast(result, product.at(i))); },
        "matmul_rows")};
}

} // namespace

void addMatmul(TensorOps &table)
{
    table.push_back(
        {.name = "nn.packed_matmul",
         .summary =
             "products with a matrix whose columns stand in panels: panels × rows × columns of a panel",
         .fusion = FusionKind::OutFusable,
         .minInputs = 2,
         .maxInputs = 2,
         .attributes = {{"row_multiple", std::int64_t{1}, "rows are computed in multiples of this"},
                        {"out_dtype", ir::DataType::void_(), "type of the result; void: that of the inputs"}},
         .infer =
             [](const CallSite &site) {
                 requireSameType(site);
                 if (site.integer("row_multiple") < 1)
                     typeError("row_multiple must be above 0");
                 const Sizes sizes = packedSizes(site);
                 Shape shape = sizes.batch;
                 shape.insert(shape.end(), {sizes.m, sizes.n});
                 return std::vector{TensorType{shape, resultType(site)}};
             },
         .compute = &computePackedMatmul});
    table.push_back(
        {.name = "nn.matmul",
         .summary = "products of matrices; leading dimensions are broadcast",
         .fusion = FusionKind::OutFusable,
         .minInputs = 2,
         .maxInputs = 2,
         .attributes = {{"transpose_a", false, "the first one is transposed"},
                        {"transpose_b", false, "the second one is transposed"},
                        {"out_dtype", ir::DataType::void_(), "type of the result; void: that of the inputs"}},
         .infer =
             [](const CallSite &site) {
                 requireSameType(site);
                 const Sizes sizes = sizesOf(site);
                 Shape shape = sizes.batch;
                 shape.insert(shape.end(), {sizes.m, sizes.n});
                 return std::vector{TensorType{shape, resultType(site)}};
             },
         .compute = &computeMatmul});
}

} // namespace nestwright::ops
