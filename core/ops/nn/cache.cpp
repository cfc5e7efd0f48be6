// SPDX-License-Identifier: Apache-2.0
/// Rows of a cache replaced by new ones.
#include "core/ir/build/builder.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

using ir::Expr;

std::vector<TensorType> inferUpdate(const CallSite &site)
{
    const TensorType &cache = site.input(0), &update = site.input(1), &places = site.input(2);
    const std::size_t axis = axisOf(site.integer("axis"), cache.rank());
    if (axis == 0)
        typeError("the first dimension is the batch");
    if (update.dtype != cache.dtype)
        typeError("the update must have the type of the cache");
    requireRank(update, cache.rank(), "the update");
    requireRank(places, 1, "the list of places");
    if (!places.dtype.isIntegral() || places.dtype.isBool() || !sameSize(places.shape[0], cache.shape[0]))
        typeError(std::format("the places must be one integer for each of the batch, not {}", places.str()));
    for (std::size_t i = 0; i < cache.shape.size(); ++i) {
        if (i != axis && !sameSize(cache.shape[i], update.shape[i]))
            typeError(std::format("cache and update do not fit: {}, {}", cache.str(), update.str()));
    }
    TensorType result = cache;
    if (const std::int64_t size = site.integer("size"); size != 0) {
        if (size < constantSize(cache.shape[axis], "the cache's size") || site.flag("circular"))
            typeError(std::format("a cache of {} rows is too short for {}, or circular", size, cache.str()));
        result.shape[axis] = dimension(size);
    }
    if (constantSize(update.shape[axis], "the update's size")
        > constantSize(result.shape[axis], "the cache's size"))
        typeError(std::format("the update {} is longer than the cache {}", update.str(), result.str()));
    return {result};
}

Tensors computeUpdate(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const te::Tensor &cache = inputs[0], &update = inputs[1], &places = inputs[2];
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    const Expr size = cache.shape()[axis], rows = update.shape()[axis];
    const bool isSized = site.integer("size") != 0;
    const Shape shape = inferUpdate(site)[0].shape;
    return {builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) {
            Expr row = i[axis] - index(places.at({i[0]}));
            if (site.flag("circular"))
                row = ir::floorMod(row, size);
            std::vector<Expr> from = i;
            from[axis] = row;
            const Expr isNew = ir::logicalAnd(ir::ge(row, Expr(0)), ir::lt(row, rows));
            Expr kept = cache.at(i);
            if (isSized)
                kept = te::ifThenElse(ir::logicalAnd(ir::lt(row, Expr(0)), ir::lt(i[axis], size)), kept,
                                      ir::constant(0, cache.dtype()));
            return te::Body(te::ifThenElse(isNew, update.at(from), kept));
        },
        "update_cache")};
}

} // namespace

void addCache(TensorOps &table)
{
    table.push_back(
        {.name = "update_cache",
         .summary = "a tensor with rows along an axis replaced, from a place on that differs by batch",
         .fusion = FusionKind::Opaque,
         .minInputs = 3,
         .maxInputs = 3,
         .attributes = {{"axis", std::int64_t{-2}, "axis of the rows"},
                        {"circular", false, "rows beyond the end go to the front"},
                        {"size", std::int64_t{0},
                         "rows of the result, of which those behind the new ones are 0; 0: as the cache has, "
                         "with its own rows there"}},
         .infer = &inferUpdate,
         .compute = &computeUpdate});
}

} // namespace nestwright::ops
