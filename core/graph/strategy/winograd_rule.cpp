// SPDX-License-Identifier: Apache-2.0
/// Convolutions by minimal filtering (nn.winograd_conv): some rows of tiles at a time, so that their
/// transforms and products come from the cache.
#include "core/graph/strategy/columns.h"
#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"
#include "core/graph/strategy/tiles.h"
#include "core/ir/build/builder.h"
#include "core/ops/nn/winograd.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// Fewest parts of an image for transforming each where it is multiplied; with fewer, the products of one
/// part run in parallel.
constexpr std::int64_t manyParts = 8;

/// The products of transformed tiles, N × parts × F/f × elements × tiles × f.
std::optional<StmtId> winogradProducts(const Scheduler &scheduler)
{
    for (const StmtId block : scheduler.blocks()) {
        if (scheduler.block(block).annotations.contains(ops::winogradAnnotation))
            return block;
    }
    return std::nullopt;
}

/// The numbers of their annotation; empty where it holds others.
std::vector<std::int64_t> tilingOf(const Scheduler &scheduler, StmtId products)
{
    const ir::AttrValue &value = scheduler.block(products).annotations.at(ops::winogradAnnotation);
    std::vector<std::int64_t> numbers;
    if (const auto *list = value.asList()) {
        for (const ir::AttrValue &each : *list)
            numbers.push_back(each.asInt() ? *each.asInt() : 0);
    }
    const bool isWhole = numbers.size() == 4 && std::ranges::min(numbers) >= 1;
    return isWhole ? numbers : std::vector<std::int64_t>();
}

std::vector<std::int64_t> extentsOf(const ir::Buffer &buffer)
{
    std::vector<std::int64_t> extents;
    for (const ir::Expr &size : buffer.shape()) {
        const std::int64_t *constant = ir::asInt(size);
        extents.push_back(constant ? *constant : 0);
    }
    return extents;
}

/// The blocks around the products.
struct Stages {
    std::optional<StmtId> padding; ///< none where the tiles cover the image
    StmtId rows, input, products, columns, output;
};

/// The only reader, or what is read of the only stage; nothing where there are several, or none.
std::optional<StmtId> only(const std::vector<StmtId> &blocks)
{
    return blocks.size() == 1 ? std::optional(blocks[0]) : std::nullopt;
}

/// Inlines stages before the padded image into it, and stages of the shape of the result into their last one.
std::optional<Stages> inlineAround(Scheduler &scheduler, StmtId products)
{
    const auto producer = [&](std::optional<StmtId> of) {
        return of ? only(scheduler.index().producers(*of)) : std::nullopt;
    };
    const auto reader = [&](std::optional<StmtId> of) {
        return of ? only(scheduler.index().consumers(*of)) : std::nullopt;
    };
    const auto input = producer(products), rows = producer(input), padding = producer(rows);
    const auto columns = reader(products);
    auto output = reader(columns);
    if (!rows || !output)
        return std::nullopt;
    const StmtId first = padding.value_or(*rows);
    for (const StmtId block : scheduler.index().producers(first)) {
        if (!isReduction(scheduler, block) && scheduler.index().consumers(block).size() == 1)
            scheduler.attempt("compute_inline", {{"block", block}});
    }
    while (const auto next = reader(output)) {
        const bool isSame = extentsOf(scheduler.block(*next).writes[0].buffer)
                            == extentsOf(scheduler.block(*output).writes[0].buffer);
        if (!isSame || !scheduler.attempt("compute_inline", {{"block", *output}}))
            break;
        output = next;
    }
    return Stages{padding, *rows, *input, products, *columns, *output};
}

/// Blocks of filters whose products are summed up together, shared out with `others` for each; 1 where they
/// are of other channels.
std::int64_t filtersTogether(const Scheduler &scheduler, StmtId products, std::int64_t others)
{
    std::vector<LoopOf> loops = scheduler.loops(products);
    std::erase_if(loops, [](const LoopOf &loop) { return loop.reduces; });
    const auto columns = columnsOf(scheduler, products, loops);
    const std::int64_t elementBytes = scheduler.block(products).writes[0].buffer.dtype().bytes();
    return columns ? columnsTogether(scheduler.machine(),
                                     {loops, loops.back().extent, elementBytes, true, others}, *columns)
                   : 1;
}

/// Blocks of channels that a filter reads; 0 where that is not known.
std::int64_t channelBlocks(const Scheduler &scheduler, StmtId products)
{
    const std::vector<ir::IterVar> &axes = scheduler.block(products).iterVars;
    const auto channels = std::ranges::find(axes, ir::IterKind::Reduce, &ir::IterVar::kind);
    const std::int64_t *count = channels == axes.end() ? nullptr : ir::asInt(channels->domain.extent);
    return count ? *count : 0;
}

/// Blocks of filters that read the same channels; 0 where all do.
std::int64_t filtersOfGroup(const Scheduler &scheduler, const Stages &stages)
{
    const std::int64_t channels = extentsOf(scheduler.block(stages.input).writes[0].buffer).at(3),
                       filters = extentsOf(scheduler.block(stages.products).writes[0].buffer).at(2),
                       groups =
                           channels / std::max<std::int64_t>(1, channelBlocks(scheduler, stages.products));
    return groups > 1 && filters % groups == 0 ? filters / groups : 0;
}

/// The loops of a result: over parts, groups (none where there is one), blocks of filters (some together; the
/// groups themselves where each has one), and within a part.
struct ResultLoops {
    StmtId image, part;
    std::optional<StmtId> group;
    StmtId filters, rows, tile;
};

/// Splits the loops over a result into those over parts, tiles and results of a tile; the blocks of filters
/// into those that go together, and by `ofGroup` where that is not 0.
std::optional<ResultLoops> splitResult(Scheduler &scheduler, const Stages &stages, std::int64_t together,
                                       std::int64_t ofGroup)
{
    const std::vector<LoopOf> loops = scheduler.loops(stages.output);
    const std::vector<std::int64_t> tiling = tilingOf(scheduler, stages.products);
    if (loops.size() != 5 || tiling.empty())
        return std::nullopt;
    const std::int64_t results = tiling[0];
    const auto split = [&](StmtId loop, std::vector<std::int64_t> inner, std::int64_t dilation) {
        if (dilation > 1)
            inner.push_back(dilation);
        return scheduler.split(loop, inner);
    };
    const std::vector<StmtId> high = split(loops[2].id, {tiling[1], results}, tiling[2]),
                              wide = split(loops[3].id, {results}, tiling[3]);
    if (high.size() < 3 || wide.size() < 2)
        return std::nullopt;
    std::vector<StmtId> filters{loops[1].id};
    if (const std::int64_t inner = ofGroup > 0 ? ofGroup : together; inner > 1)
        filters = scheduler.split(loops[1].id, {inner});
    if (filters.empty())
        return std::nullopt;
    const StmtId row = high[2], column = wide[1], vector = loops[4].id;
    ResultLoops made{loops[0].id, high[0], {}, filters[0], high[1], wide.size() > 2 ? wide[2] : wide[0]};
    if (ofGroup > 0) {
        made.group = filters[0];
        made.filters = filters.back();
    }
    std::vector<StmtId> order{made.image, made.part};
    order.insert(order.end(), filters.begin(), filters.end());
    order.push_back(high[1]);
    if (high.size() > 3)
        order.push_back(high[3]);
    order.push_back(wide[0]);
    if (wide.size() > 2)
        order.push_back(wide[2]);
    order.insert(order.end(), {row, column, vector});
    if (!scheduler.reorder(order))
        return std::nullopt;
    scheduler.annotate("unroll", row);
    scheduler.annotate("unroll", column);
    scheduler.annotate("vectorize", vector);
    return made;
}

/// Computes `stage` within the loop over tiles, in registers.
bool transformAt(Scheduler &scheduler, StmtId stage, StmtId tile)
{
    if (!computeAt(scheduler, {stage}, tile))
        return false;
    const std::vector<StmtId> loops = scheduler.index().loopsOf(stage);
    for (auto loop = std::ranges::find(loops, tile) + 1; loop != loops.end(); ++loop)
        scheduler.annotate(loop + 1 == loops.end() ? "vectorize" : "unroll", *loop);
    return true;
}

/// Transforms the image tile by tile, each element a vector of channels; within `depth` loops, or tiles in
/// parallel where that is 0.
bool transformInput(Scheduler &scheduler, const Stages &stages, std::size_t depth)
{
    const std::vector<LoopOf> loops = loopsWithin(scheduler, stages.input, depth);
    // Element, channels, tile, block of channels; a part of an image has no loop over a single block.
    const bool hasChannels = depth == 0 || channelBlocks(scheduler, stages.products) > 1;
    const std::size_t own = hasChannels ? 4 : 3;
    if (loops.size() < own)
        return false;
    const std::size_t first = loops.size() - own;
    const StmtId element = loops[first].id, vector = loops[first + own - 1].id;
    StmtId tile = loops[first + own - 2].id;
    std::vector<StmtId> order{tile, element, vector};
    if (hasChannels)
        order.insert(order.begin(), loops[first + 1].id);
    if (!scheduler.reorder(order))
        return false;
    scheduler.annotate("unroll", element);
    scheduler.annotate("vectorize", vector);
    if (depth == 0) {
        std::vector<StmtId> outer;
        for (std::size_t i = 0; i < first; ++i)
            outer.push_back(loops[i].id);
        outer.insert(outer.end(), {loops[first + 1].id, tile});
        const auto fused = scheduler.fuse(outer);
        if (!fused)
            return false;
        scheduler.annotate("parallel", *fused);
        tile = *fused;
    }
    return transformAt(scheduler, stages.rows, tile);
}

/// The padded image and its tiles, tiles side by side.
bool transformAll(Scheduler &scheduler, const Stages &stages)
{
    if (stages.padding)
        parallelizeStage(scheduler, *stages.padding);
    return transformInput(scheduler, stages, 0);
}

/// Products where they are read, one block of filters of a part at a time; before them, where `isWithin`, the
/// tiles of that part or group, else all tiles.
bool placeByFilters(Scheduler &scheduler, const Stages &stages, const ResultLoops &loops, bool isWithin)
{
    if (!computeAt(scheduler, {stages.products}, loops.filters))
        return false;
    std::vector<StmtId> outer{loops.image, loops.part};
    if (loops.group)
        outer.push_back(*loops.group);
    if (isWithin) {
        std::vector<StmtId> before{stages.rows, stages.input};
        if (stages.padding)
            before.insert(before.begin(), *stages.padding);
        if (!computeAt(scheduler, before, outer.back()))
            return false;
        if (stages.padding)
            vectorizeStage(scheduler, *stages.padding, outer.size());
        if (!transformInput(scheduler, stages, outer.size()))
            return false;
    } else {
        if (loops.group != loops.filters)
            outer.push_back(loops.filters);
        if (!transformAll(scheduler, stages))
            return false;
    }
    const auto fused = scheduler.fuse(outer);
    if (!fused)
        return false;
    scheduler.annotate("parallel", *fused);
    return tileReduction(scheduler, stages.products, isWithin ? 2 : 1);
}

/// All products before the results, one element of all tiles at a time, of some filters where elements alone
/// are too few for the threads.
bool placeByElements(Scheduler &scheduler, const Stages &stages, const ResultLoops &loops)
{
    if (!transformAll(scheduler, stages))
        return false;
    const std::vector<LoopOf> all = scheduler.loops(stages.products); // n, part, f, element, tile, b, …
    if (all.size() < 6 || !scheduler.reorder({all[0].id, all[1].id, all[3].id, all[2].id}))
        return false;
    std::vector<StmtId> outer{all[0].id, all[1].id, all[3].id};
    const std::int64_t pieces = all[0].extent * all[1].extent * all[3].extent,
                       together = filtersTogether(scheduler, stages.products, pieces);
    std::size_t depth = together > 1 ? 1 : 2;
    if (scheduler.machine().imbalance(pieces) > target::fairImbalance) {
        depth = 1;
        const auto halves = halve(scheduler, all[2], together);
        if (!halves)
            return false;
        if (halves->outer)
            outer.push_back(*halves->outer);
    }
    const auto elements = scheduler.fuse(outer);
    std::vector<StmtId> ofResult;
    std::int64_t count = 1;
    for (const StmtId loop : {loops.image, loops.part, loops.filters, loops.rows, loops.tile}) {
        const std::int64_t *extent = ir::asInt(scheduler.index().loop(loop)->extent);
        if (loop == loops.tile
            && (scheduler.index().parent(loop) != loops.rows
                || scheduler.machine().imbalance(count) <= target::fairImbalance))
            break;
        ofResult.push_back(loop);
        count *= extent ? *extent : 1;
    }
    const auto results = scheduler.fuse(ofResult);
    if (!elements || !results)
        return false;
    scheduler.annotate("parallel", *elements);
    scheduler.annotate("parallel", *results);
    return tileReduction(scheduler, stages.products, depth);
}

/// Ways to share out the products: by parts of images (with groups, by these too), by blocks of filters, by
/// elements of tiles.
enum class Sharing : std::uint8_t { Parts, Filters, Elements };

/// As it is best for one thread, where threads share that well; else as they share it best.
Sharing sharingOf(const Scheduler &scheduler, const Stages &stages, std::int64_t groups,
                  std::int64_t together)
{
    const std::vector<std::int64_t> sizes = extentsOf(scheduler.block(stages.products).writes[0].buffer);
    const std::int64_t parts = sizes[0] * sizes[1];
    const target::Machine &machine = scheduler.machine();
    // Transformed tiles that do not stay in the last cache for all filters: the products of an element of all
    // tiles come first.
    const bool areMany = bytesOf(scheduler.block(stages.input).writes[0].buffer) >= machine.last.results;
    const Sharing usual = parts >= manyParts || groups > 1 ? Sharing::Parts
                          : areMany                        ? Sharing::Elements
                                                           : Sharing::Filters;
    const auto cost = [&](Sharing sharing) {
        // Products that come from memory; weights that every part loads anew.
        constexpr double fromMemory = 1.25, fewParts = 1.5;
        switch (sharing) {
        case Sharing::Parts:
            return machine.imbalance(parts * groups)
                   * (parts * groups >= manyParts || groups > 1 ? 1 : fewParts);
        case Sharing::Filters: return machine.imbalance(parts * sizes[2] / together);
        case Sharing::Elements:
            return fromMemory
                   * std::min(machine.imbalance(parts * sizes[3]),
                              machine.imbalance(parts * sizes[3] * sizes[2] / together));
        }
        return 1.0;
    };
    const bool isUsualFair = cost(usual) <= target::fairImbalance * (usual == Sharing::Elements ? 1.25 : 1);
    Sharing best = usual;
    for (const Sharing other : {Sharing::Parts, Sharing::Filters, Sharing::Elements}) {
        if (!isUsualFair && cost(other) < cost(best))
            best = other;
    }
    return best;
}

bool place(Scheduler &scheduler, const Stages &stages)
{
    const std::vector<std::int64_t> sizes = extentsOf(scheduler.block(stages.products).writes[0].buffer);
    const std::int64_t together = filtersTogether(scheduler, stages.products, sizes[0] * sizes[1]),
                       ofGroup = filtersOfGroup(scheduler, stages);
    const Sharing sharing =
        sharingOf(scheduler, stages, ofGroup > 0 ? sizes[2] / ofGroup : 1, ofGroup > 0 ? 1 : together);
    const bool isByElements = sharing == Sharing::Elements;
    const auto loops =
        splitResult(scheduler, stages, isByElements ? 1 : together, isByElements ? 0 : ofGroup);
    if (!loops || !transformAt(scheduler, stages.columns, loops->tile))
        return false;
    return isByElements ? placeByElements(scheduler, stages, *loops)
                        : placeByFilters(scheduler, stages, *loops, sharing == Sharing::Parts);
}

} // namespace

std::vector<StmtId> nestWinograd(Scheduler &scheduler)
{
    const auto products = winogradProducts(scheduler);
    if (!products)
        return {};
    const Scheduler::Checkpoint before = scheduler.checkpoint();
    const auto stages = inlineAround(scheduler, *products);
    if (!stages || !place(scheduler, *stages)) {
        scheduler.restore(before);
        return {};
    }
    std::vector<StmtId> placed{stages->rows, stages->input, stages->products, stages->columns,
                               stages->output};
    if (stages->padding)
        placed.push_back(*stages->padding);
    return placed;
}

} // namespace nestwright::graph
