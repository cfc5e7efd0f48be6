// SPDX-License-Identifier: Apache-2.0
/// Elements picked by indices that are data. Negative indices count from the end; indices outside take the
/// border's value.
#include "core/ir/build/builder.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <algorithm>
#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

/// The index as a place that there is.
Expr placed(const Expr &given, const Expr &size)
{
    const Expr wide = given.dtype().bits < 32 ? index(given) : given;
    const Expr counted = ir::select(ir::lt(wide, ir::constant(0, wide.dtype())), wide + size, wide);
    return index(ir::max(ir::constant(0, wide.dtype()), ir::min(counted, size - Expr(1))));
}

void requireIndices(const CallSite &site)
{
    if (!site.input(1).dtype.isIntegral())
        typeError("the indices must be integers");
}

std::vector<TensorType> inferTake(const CallSite &site)
{
    requireIndices(site);
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    Shape shape = site.input().shape;
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), site.input(1).shape.begin(),
                 site.input(1).shape.end());
    return {{shape, site.input().dtype}};
}

Tensors computeTake(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    const std::size_t picked = inputs[1].shape().size();
    const Shape shape = inferTake(site)[0].shape;
    return {builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            const auto at = [&](std::size_t from, std::size_t count) {
                return std::vector<Expr>(i.begin() + static_cast<std::ptrdiff_t>(from),
                                         i.begin() + static_cast<std::ptrdiff_t>(from + count));
            };
            std::vector<Expr> indices = at(0, axis);
            indices.push_back(placed(inputs[1].at(at(axis, picked)), inputs[0].shape()[axis]));
            const std::vector<Expr> rest = at(axis + picked, i.size() - axis - picked);
            indices.insert(indices.end(), rest.begin(), rest.end());
            return te::Body(inputs[0].at(indices));
        },
        "take")};
}

std::vector<TensorType> inferGatherElements(const CallSite &site)
{
    requireIndices(site);
    requireRank(site.input(1), site.input().rank(), "the indices");
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    for (std::size_t d = 0; d < site.input().shape.size(); ++d) {
        const std::int64_t *held = ir::asInt(site.input().shape[d]),
                           *asked = ir::asInt(site.input(1).shape[d]);
        if (d != axis && held && asked && *asked > *held)
            typeError(
                std::format("the indices have {} elements along axis {}, the tensor {}", *asked, d, *held));
    }
    return {{site.input(1).shape, site.input().dtype}};
}

Tensors computeGatherElements(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    return {builder.compute(
        inputs[1].shape(), axisNames(inputs[1].shape().size()),
        [&](const std::vector<Expr> &i) {
            std::vector<Expr> indices = i;
            indices[axis] = placed(inputs[1].at(i), inputs[0].shape()[axis]);
            return te::Body(inputs[0].at(indices));
        },
        "gather_elements")};
}

/// Number of axes that the tuples of gather_nd name.
std::size_t gatherTupleSize(const CallSite &site)
{
    requireIndices(site);
    const TensorType &indices = site.input(1);
    if (indices.rank() == 0)
        typeError("the indices need a dimension that holds the tuples");
    const std::int64_t size = constantSize(indices.shape.back(), "the length of the index tuples");
    const std::int64_t batch = site.integer("batch_dims");
    if (batch < 0 || size + batch > site.input().rank() || batch >= indices.rank())
        typeError("the index tuples are longer than the tensor has dimensions");
    for (std::size_t d = 0; d < static_cast<std::size_t>(batch); ++d) {
        const std::int64_t *held = ir::asInt(site.input().shape[d]), *asked = ir::asInt(indices.shape[d]);
        if (held && asked && *held != *asked)
            typeError(std::format("along axis {}, which data and indices share, they have {} and {} elements",
                                  d, *held, *asked));
    }
    return static_cast<std::size_t>(size);
}

std::vector<TensorType> inferGatherNd(const CallSite &site)
{
    const std::size_t batch = static_cast<std::size_t>(site.integer("batch_dims")),
                      tuple = gatherTupleSize(site);
    Shape shape(site.input(1).shape.begin(), site.input(1).shape.end() - 1);
    shape.insert(shape.end(), site.input().shape.begin() + static_cast<std::ptrdiff_t>(batch + tuple),
                 site.input().shape.end());
    return {{shape, site.input().dtype}};
}

Tensors computeGatherNd(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const std::size_t batch = static_cast<std::size_t>(site.integer("batch_dims")),
                      tuple = gatherTupleSize(site);
    const std::size_t outer = inputs[1].shape().size() - 1;
    const Shape shape = inferGatherNd(site)[0].shape;
    return {builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            std::vector<Expr> indices(i.begin(), i.begin() + static_cast<std::ptrdiff_t>(batch));
            std::vector<Expr> at(i.begin(), i.begin() + static_cast<std::ptrdiff_t>(outer));
            at.emplace_back(0);
            for (std::size_t k = 0; k < tuple; ++k) {
                at.back() = Expr(static_cast<int>(k));
                indices.push_back(placed(inputs[1].at(at), inputs[0].shape()[batch + k]));
            }
            indices.insert(indices.end(), i.begin() + static_cast<std::ptrdiff_t>(outer), i.end());
            return te::Body(inputs[0].at(indices));
        },
        "gather_nd")};
}

std::vector<TensorType> inferReverse(const CallSite &site)
{
    requireIndices(site);
    const std::size_t batch = axisOf(site.integer("batch_axis"), site.input().rank());
    requireRank(site.input(1), 1, "the lengths");
    if (batch == axisOf(site.integer("axis"), site.input().rank()))
        typeError("the axes must differ");
    if (!sameSize(site.input(1).shape[0], site.input().shape[batch]))
        typeError("there must be one length for each sequence");
    return {site.input()};
}

Tensors computeReverse(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &x = inputs[0];
    const std::size_t batch = axisOf(site.integer("batch_axis"), site.input().rank());
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    return {builder.compute(
        x.shape(), axisNames(x.shape().size()),
        [&](const std::vector<Expr> &i) {
            const Expr length = ir::min(index(inputs[1](i[batch])), x.shape()[axis]);
            std::vector<Expr> at = i;
            at[axis] = ir::select(ir::lt(i[axis], length), length - Expr(1) - i[axis], i[axis]);
            return te::Body(x.at(at));
        },
        "reverse_sequence")};
}

} // namespace

void addGather(TensorOps &table)
{
    table.push_back({.name = "take",
                     .summary = "slices along an axis, picked by indices",
                     .fusion = FusionKind::Injective,
                     .minInputs = 2,
                     .maxInputs = 2,
                     .attributes = {{"axis", std::int64_t{0}, "axis that the indices speak of"}},
                     .infer = &inferTake,
                     .compute = &computeTake});
    table.push_back({.name = "gather_elements",
                     .summary = "one element for each index, elsewhere along an axis",
                     .fusion = FusionKind::Injective,
                     .minInputs = 2,
                     .maxInputs = 2,
                     .attributes = {{"axis", std::int64_t{0}, "axis that the indices speak of"}},
                     .infer = &inferGatherElements,
                     .compute = &computeGatherElements});
    table.push_back(
        {.name = "gather_nd",
         .summary = "slices picked by tuples of indices",
         .fusion = FusionKind::Injective,
         .minInputs = 2,
         .maxInputs = 2,
         .attributes = {{"batch_dims", std::int64_t{0}, "leading dimensions that data and indices share"}},
         .infer = &inferGatherNd,
         .compute = &computeGatherNd});
    table.push_back(
        {.name = "reverse_sequence",
         .summary = "the first elements of each sequence turned about; the second input says how many",
         .fusion = FusionKind::Injective,
         .minInputs = 2,
         .maxInputs = 2,
         .attributes = {{"batch_axis", std::int64_t{0}, "axis along which the lengths differ"},
                        {"axis", std::int64_t{1}, "axis along which the sequences run"}},
         .infer = &inferReverse,
         .compute = &computeReverse});
}

} // namespace nestwright::ops
