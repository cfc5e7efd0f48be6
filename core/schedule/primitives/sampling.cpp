// SPDX-License-Identifier: Apache-2.0
/// Steps that choose at random, or repeat an earlier choice.
#include "core/ir/build/builder.h"
#include "core/schedule/primitives/compute_locations.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/typed.h"

#include <algorithm>
#include <numeric>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

constexpr std::string_view decisionLabel = "Decision";

struct CategoricalArgs {
    std::vector<std::int64_t> candidates;
    ArgValue probs, decision;
};
struct PerfectTileArgs {
    LoopId loop;
    std::int64_t n = 0, maxInnermostFactor = 16;
    ArgValue decision;
};
struct PartitionedTileArgs {
    LoopId loop;
    std::int64_t n = 0, partitionPos = 0, innerpartFactor = 1;
    ArgValue decision;
};
struct ComputeLocationArgs {
    BlockId block;
    ArgValue decision;
};
struct NoArgs {};

[[noreturn]] void refuseArgument(const std::string &message, const std::string &hint = {})
{
    refuse(diagnostic("schedule.argument", message).withHint(hint));
}

std::vector<double> weightsOf(const CategoricalArgs &args)
{
    std::vector<double> weights;
    const ArgList *list = args.probs.as<ArgList>();
    for (const ArgValue &item : list ? *list : ArgList{}) {
        const std::int64_t *whole = item.as<std::int64_t>();
        const double *real = item.as<double>();
        const double weight = real ? *real : whole ? static_cast<double>(*whole) : -1;
        if (!(weight >= 0) || weight > 1e300)
            refuseArgument("'probs' must be a list of numbers that are not negative, found " + str(item));
        weights.push_back(weight);
    }
    const bool allZero = std::ranges::all_of(weights, [](double weight) { return weight == 0; });
    if (weights.size() != args.candidates.size() || allZero)
        refuseArgument("'probs' must give one probability for each of the "
                       + std::to_string(args.candidates.size()) + " candidates");
    return weights;
}

ArgList sampleCategorical(Edit &edit, const CategoricalArgs &args)
{
    const std::vector<double> weights = weightsOf(args);
    const std::int64_t *decided = args.decision.as<std::int64_t>();
    const auto count = static_cast<std::int64_t>(args.candidates.size());
    if (!args.decision.isNone() && (!decided || *decided < 0 || *decided >= count))
        refuseArgument("'decision' must be the position of a candidate, 0 to " + std::to_string(count - 1)
                       + ", found " + str(args.decision));
    const std::size_t chosen = decided ? static_cast<std::size_t>(*decided) : edit.random().weighted(weights);
    edit.decide(static_cast<std::int64_t>(chosen));
    return {args.candidates[chosen]};
}

/// The decision as factors, `n` of them, each 1 or more; nothing when there is none.
std::optional<std::vector<std::int64_t>> decidedTile(const ArgValue &decision, std::int64_t n)
{
    if (decision.isNone())
        return std::nullopt;
    std::vector<std::int64_t> tile;
    const ArgList *list = decision.as<ArgList>();
    for (const ArgValue &item : list ? *list : ArgList{}) {
        const std::int64_t *factor = item.as<std::int64_t>();
        // The first follows from the others, so that it may be anything.
        if (!factor || (*factor < 1 && !tile.empty()))
            break;
        tile.push_back(*factor);
    }
    if (!list || tile.size() != list->size() || static_cast<std::int64_t>(tile.size()) != n)
        refuseArgument("'decision' must be a list of " + std::to_string(n) + " factors, found "
                       + str(decision));
    return tile;
}

/// Makes the factors' product the extent, keeping as many of the inner ones as divide it.
void makePerfect(std::vector<std::int64_t> &tile, std::int64_t extent)
{
    for (std::size_t i = tile.size(); i-- > 1;) {
        if (extent % tile[i] != 0)
            tile[i] = extent;
        extent /= tile[i];
    }
    tile[0] = extent;
}

void requireParts(const ir::For &loop, std::int64_t n, std::int64_t least)
{
    constexpr std::int64_t most = 64;
    if (n < least || n > most)
        refuse(diagnostic("schedule.argument", "'n' must be " + std::to_string(least) + " to "
                                                   + std::to_string(most) + ", found " + std::to_string(n))
                   .at(loop.id));
}

/// The tile where nothing can be sampled: the first factor open, the others 1.
std::vector<std::int64_t> openTile(std::int64_t n)
{
    std::vector<std::int64_t> tile(static_cast<std::size_t>(n), 1);
    tile[0] = -1;
    return tile;
}

ArgList asResults(Edit &edit, const std::vector<std::int64_t> &tile)
{
    edit.decide(ArgList(tile.begin(), tile.end()));
    ArgList results(tile.begin(), tile.end());
    if (tile[0] == -1)
        results[0] = ArgValue();
    return results;
}

ArgList samplePerfectTile(Edit &edit, const PerfectTileArgs &args)
{
    const ir::For &loop = edit.loop(args.loop.id);
    requireParts(loop, args.n, args.maxInnermostFactor == -1 ? 1 : 2);
    if (args.maxInnermostFactor < 1 && args.maxInnermostFactor != -1)
        refuseArgument("'max_innermost_factor' must be positive, or -1 for any, found "
                       + std::to_string(args.maxInnermostFactor));
    const std::int64_t *extent = ir::asInt(loop.extent);
    auto tile = decidedTile(args.decision, args.n);
    if (!extent || *extent < 1)
        return asResults(edit, openTile(args.n));
    if (tile) {
        makePerfect(*tile, *extent);
    } else {
        do
            tile = perfectTile(edit.random(), *extent, args.n);
        while (args.maxInnermostFactor != -1 && tile->back() > args.maxInnermostFactor);
    }
    return asResults(edit, *tile);
}

/// Whether `divisor` divides the product of the factors from `position` on.
bool dividesInnerPart(const std::vector<std::int64_t> &tile, std::int64_t position, std::int64_t divisor)
{
    // gcd by gcd, as the product may be too large
    for (auto factor = tile.begin() + position; factor != tile.end(); ++factor)
        divisor /= std::gcd(divisor, *factor);
    return divisor == 1;
}

ArgList samplePartitionedTile(Edit &edit, const PartitionedTileArgs &args)
{
    const ir::For &loop = edit.loop(args.loop.id);
    requireParts(loop, args.n, 2);
    if (args.partitionPos < 0 || args.partitionPos >= args.n)
        refuseArgument("'partition_pos' must be 0 to " + std::to_string(args.n - 1) + ", found "
                       + std::to_string(args.partitionPos));
    if (args.innerpartFactor < 1)
        refuseArgument("'innerpart_factor' must be positive, found " + std::to_string(args.innerpartFactor));
    const std::int64_t *extent = ir::asInt(loop.extent);
    auto tile = decidedTile(args.decision, args.n);
    if (!extent || *extent < 1 || *extent % args.innerpartFactor != 0)
        return asResults(edit, openTile(args.n));
    const auto fits = [&] { return dividesInnerPart(*tile, args.partitionPos, args.innerpartFactor); };
    if (!tile) {
        do
            tile = perfectTile(edit.random(), *extent, args.n);
        while (!fits());
    } else if (fits()) {
        makePerfect(*tile, *extent);
    } else {
        tile->assign(tile->size(), 1);
        (*tile)[0] = *extent / args.innerpartFactor;
        (*tile)[static_cast<std::size_t>(args.partitionPos)] *= args.innerpartFactor;
    }
    return asResults(edit, *tile);
}

ArgList sampleComputeLocation(Edit &edit, const ComputeLocationArgs &args)
{
    edit.block(args.block.id);
    const std::vector<ComputeLocation> locations = computeLocations(edit, args.block.id);
    if (args.decision.isNone()) {
        const auto count = static_cast<std::int32_t>(locations.size());
        const ComputeLocation &chosen = locations[static_cast<std::size_t>(edit.random().between(0, count))];
        edit.decide(chosen.index);
        return {chosen.at};
    }
    const std::int64_t *decided = args.decision.as<std::int64_t>();
    if (!decided)
        refuseArgument("'decision' must be the position of a loop around the first consumer, -1 or -2, found "
                       + str(args.decision));
    // A place that is gone is taken by the one before it.
    const auto after = std::ranges::upper_bound(locations, *decided, {}, &ComputeLocation::index);
    const ComputeLocation chosen = after == locations.begin() ? ComputeLocation{rootMark, -1} : *(after - 1);
    edit.decide(chosen.index);
    return {chosen.at};
}

} // namespace

Primitive sampleCategoricalPrimitive()
{
    return define<CategoricalArgs>(
        {.name = "sample_categorical",
         .title = "Sample a number",
         .group = Group::Sampling,
         .key = "Y",
         .summary = "Chooses one of several integers at random.",
         .documentation =
             R"(Chooses a candidate with the given probability. The result can be used as a factor or an
annotation later; the trace keeps which one was chosen, so that replaying it chooses the same.

```
v0 = sch.sample_categorical(candidates=[0, 16, 64], probs=[0.2, 0.3, 0.5], decision=1)
sch.annotate(block_or_loop=b1, ann_key="unroll", ann_val=v0)        →       "unroll": 16
```)",
         .results = Results::Single},
        {required<&CategoricalArgs::candidates>("candidates", "Candidates", "The integers to choose from.")
             .attribute(),
         required<&CategoricalArgs::probs>("probs", "Probabilities", "One for each candidate.")
             .attribute()
             .form(FieldForm::IntegersWithoutPoint),
         optional<&CategoricalArgs::decision>("decision", decisionLabel,
                                              "Position of the candidate that is chosen; None to choose now.")
             .decision()},
        sampleCategorical);
}

Primitive samplePerfectTilePrimitive()
{
    return define<PerfectTileArgs>(
        {.name = "sample_perfect_tile",
         .title = "Sample a tiling",
         .group = Group::Sampling,
         .key = "J",
         .summary = "Chooses factors at random whose product is the number of a loop's iterations.",
         .documentation =
             R"(Chooses the factors for splitting a loop so that they divide it exactly. Of a loop whose
number of iterations is not constant, the first factor is None and the others are 1.

```
v0, v1 = sch.sample_perfect_tile(loop=l1, n=2, max_innermost_factor=16, decision=[8, 16])
l2, l3 = sch.split(loop=l1, factors=[v0, v1])
```

A decision that no longer divides the loop is mended from the innermost factor outwards.)",
         .results = Results::List},
        {required<&PerfectTileArgs::loop>("loop", "Loop", "The loop to be split."),
         required<&PerfectTileArgs::n>("n", "Number of factors", "How many loops there will be.")
             .attribute()
             .suggesting({"2"}),
         optional<&PerfectTileArgs::maxInnermostFactor>("max_innermost_factor", "Largest innermost factor",
                                                        "Bound of the last factor; -1 for none.")
             .attribute(),
         optional<&PerfectTileArgs::decision>("decision", decisionLabel,
                                              "The factors that are chosen; None to choose now.")
             .decision()},
        samplePerfectTile);
}

Primitive samplePartitionedTilePrimitive()
{
    return define<PartitionedTileArgs>(
        {.name = "sample_partitioned_tile",
         .title = "Sample a tiling in two parts",
         .group = Group::Sampling,
         .key = "Shift+J",
         .summary =
             "Chooses factors of a loop at random, the inner ones with a product that a number divides.",
         .documentation =
             R"(As sample_perfect_tile, with the product of the factors from `partition_pos` on divisible by
`innerpart_factor`. Where that number does not divide the loop, the first factor is None and the others are
1.

```
v0, v1, v2 = sch.sample_partitioned_tile(loop=l1, n=3, partition_pos=1, innerpart_factor=8,
                                         decision=[4, 2, 8])
```)",
         .results = Results::List},
        {required<&PartitionedTileArgs::loop>("loop", "Loop", "The loop to be split."),
         required<&PartitionedTileArgs::n>("n", "Number of factors", "How many loops there will be.")
             .attribute()
             .suggesting({"2"}),
         optional<&PartitionedTileArgs::partitionPos>("partition_pos", "First inner factor",
                                                      "Where the inner part begins.")
             .attribute()
             .suggesting({"1"}),
         optional<&PartitionedTileArgs::innerpartFactor>(
             "innerpart_factor", "Divisor of the inner part",
             "The number that divides the product of the inner factors.")
             .attribute()
             .suggesting({"2"}),
         optional<&PartitionedTileArgs::decision>("decision", decisionLabel,
                                                  "The factors that are chosen; None to choose now.")
             .decision()},
        samplePartitionedTile);
}

Primitive sampleComputeLocationPrimitive()
{
    return define<ComputeLocationArgs>(
        {.name = "sample_compute_location",
         .title = "Sample a place to compute",
         .group = Group::Sampling,
         .key = "Shift+Y",
         .summary = "Chooses a loop at random at which a block can be computed.",
         .documentation =
             R"(Chooses among the loops around the first consumer at which compute_at would be legal, leaving
the block where it is (-1), and inlining it where that is legal (-2).

```
l1 = sch.sample_compute_location(block=b0, decision=2)
sch.compute_at(block=b0, loop=l1)
```)",
         .results = Results::Single},
        {required<&ComputeLocationArgs::block>("block", "Block", "The block to be moved."),
         optional<&ComputeLocationArgs::decision>("decision", decisionLabel,
                                                  "Position of the loop that is chosen; None to choose now.")
             .decision()},
        sampleComputeLocation);
}

Primitive enterPostprocPrimitive()
{
    return define<NoArgs>(
        {.name = "enter_postproc",
         .title = "Enter postprocessing",
         .group = Group::Sampling,
         .key = "Shift+Z",
         .summary = "Marks where tuning ends and postprocessing begins in a trace.",
         .documentation = R"(Changes nothing. What follows in a trace is left out when the trace is simplified
for another run of postprocessing.

```
sch.enter_postproc()
```)"},
        {}, [](Edit &, const NoArgs &) -> ArgList { return {}; });
}

} // namespace nestwright::schedule
