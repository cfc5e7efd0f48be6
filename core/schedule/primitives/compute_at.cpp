// SPDX-License-Identifier: Apache-2.0
/// Moves a block below a loop of its consumers (compute_at) or producers (reverse_compute_at).
#include "core/analysis/access/accesses.h"
#include "core/analysis/access/regions.h"
#include "core/analysis/device/thread_memory.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/node/equality.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/insertion.h"
#include "core/schedule/primitives/iter_domains.h"
#include "core/schedule/primitives/move_rules.h"
#include "core/schedule/primitives/moved_nest.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/predicates.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>
#include <ranges>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct MoveArgs {
    BlockId block;
    LoopId loop;
    bool preserveUnitLoops = false;
    std::int64_t index = -1;
};

/// The loops around `other` that vary while one iteration of `loop` runs, with the values they take.
ir::VarMap<arith::IntervalSet> varying(const analysis::FunctionIndex &index, StmtId loop, StmtId other,
                                       const ir::Buffer &buffer, MoveDirection direction)
{
    ir::VarMap<arith::IntervalSet> relaxed;
    bool isOutside = false;
    const std::vector<StmtId> loops = analysis::loopsThrough(index, other);
    for (const StmtId at : std::views::reverse(loops)) {
        const ir::For &around = *index.loop(at);
        isOutside = isOutside || at == loop;
        if (!isOutside
            || (direction == MoveDirection::ToConsumers && analysis::variesForScope(buffer->scope, around)))
            relaxed[around.var] = arith::IntervalSet::of({around.min, around.extent});
    }
    return relaxed;
}

/// The box of a buffer that `access` touches during one iteration of `loop`.
void extendBox(Box &box, const analysis::FunctionIndex &index, StmtId loop, const analysis::Access &access,
               MoveDirection direction, arith::Analyzer &analyzer)
{
    const arith::Region region = analysis::realized(*index.block(access.block), access.region->region);
    const auto relaxed = varying(index, loop, access.block, access.region->buffer, direction);
    for (std::size_t d = 0; d < region.size(); ++d) {
        const ir::Range &range = region[d];
        arith::IntervalSet set = arith::evalSet(range.min, relaxed, analyzer);
        if (!ir::isConstInt(range.extent, 1)) {
            const ir::Expr last = range.min + range.extent - ir::constant(1, range.min.dtype());
            set.max = arith::evalSet(last, relaxed, analyzer).max;
        }
        if (d < box.size())
            box[d] = arith::unionOf(box[d], set, analyzer);
        else
            box.push_back(set);
    }
}

/// Pairs the block's regions with those that its consumers or producers below the loop access.
std::vector<AccessPair> accessPairsOf(const analysis::FunctionIndex &index, const ir::Block &block,
                                      StmtId loop, MoveDirection direction, arith::Analyzer &analyzer)
{
    const bool toConsumers = direction == MoveDirection::ToConsumers;
    const std::vector<StmtId> others = toConsumers ? index.consumers(block.id) : index.producers(block.id);
    std::vector<AccessPair> pairs;
    for (const ir::BufferRegion &provided : toConsumers ? block.writes : block.reads) {
        AccessPair pair{.provided = provided, .required = {}};
        for (const StmtId other : others) {
            const analysis::Accesses accesses = analysis::accessesOf(index, other);
            for (const analysis::Access &touched : toConsumers ? accesses.reads : accesses.writes) {
                if (touched.region->buffer == provided.buffer)
                    extendBox(pair.required, index, loop, touched, direction, analyzer);
            }
        }
        if (!pair.required.empty())
            pairs.push_back(std::move(pair));
    }
    return pairs;
}

/// The variables of the loop and of those around it.
ir::VarSet loopVarsAround(const analysis::FunctionIndex &index, StmtId loop)
{
    ir::VarSet vars{index.loop(loop)->var};
    for (const arith::VarRange &around : domainsAround(index, loop))
        vars.insert(around.var);
    return vars;
}

/// The terms that the predicates of all of `producers` share and that stay the same below the loop: where
/// they do not hold nothing is made there, and what is read may not have been written yet.
ir::Expr guardOf(const analysis::FunctionIndex &index, const std::vector<StmtId> &producers, StmtId loop)
{
    if (producers.empty())
        return ir::boolImm(true);
    const ir::VarSet around = loopVarsAround(index, loop);
    ir::VarSet below;
    for (const arith::VarRange &each : domainsAround(index, producers.front())) {
        if (!around.contains(each.var))
            below.insert(each.var);
    }
    const auto has = [&](StmtId producer, const ir::Expr &term) {
        return std::ranges::any_of(ir::conjunctsOf(index.block(producer)->predicate),
                                   [&](const ir::Expr &other) { return ir::structurallyEqual(term, other); });
    };
    std::vector<ir::Expr> shared;
    for (const ir::Expr &term : ir::conjunctsOf(index.block(producers.front())->predicate)) {
        const bool isOfAll =
            std::ranges::all_of(producers, [&](StmtId producer) { return has(producer, term); });
        if (isOfAll && !ir::usesAny(term, below) && !ir::mayFault(term))
            shared.push_back(term);
    }
    return ir::conjunctionOf(shared);
}

/// Whether a number is read that may lie outside of its buffer, for loops that the analyzer knows.
bool mayReadBeyond(const ir::Expr &value, arith::Analyzer &analyzer)
{
    bool isBeyond = false;
    ir::forEachExpr(value, [&](const ir::Expr &part) {
        const auto *load = part.as<ir::BufferLoad>();
        for (std::size_t d = 0; load && !isBeyond && d < load->indices.size(); ++d) {
            const ir::Expr &place = load->indices[d];
            isBeyond = !analyzer.canProve(ir::ge(place, ir::constant(0, place.dtype())))
                       || !analyzer.canProve(ir::lt(place, load->buffer.shape()[d]));
        }
        return !isBeyond;
    });
    return isBeyond;
}

/// How often a loop runs, and where it begins, is not left to data that may say anything, or may not be
/// there, where the consumer's guards do not hold: a consumer gets all values of the variable instead.
void relaxOverData(IterDomain &domain, const ir::Block &block, const ir::IterVar &iter,
                   MoveDirection direction, arith::Analyzer &analyzer)
{
    if (!ir::mayFault(analyzer.simplify(domain.values.max - domain.values.min))
        && !mayReadBeyond(domain.values.min, analyzer))
        return;
    if (direction == MoveDirection::ToProducers)
        refuse(diagnostic("schedule.data-range", "which iterations of block " + named(block)
                                                     + " one of the loop needs depends on data")
                   .at(block.id)
                   .withHint("choose a loop further out"));
    domain = {.values = arith::IntervalSet::of(iter.domain)};
}

template <MoveDirection direction> ArgList computeAt(Edit &edit, const MoveArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    if (args.loop.id == rootMark)
        return {};
    if (args.loop.id == inlineMark) {
        const bool toConsumers = direction == MoveDirection::ToConsumers;
        return findPrimitive(toConsumers ? "compute_inline" : "reverse_compute_inline")
            ->run(edit, {block.id});
    }
    const ir::For &loop = edit.loop(args.loop.id);
    const analysis::FunctionIndex &index = edit.index(block.id);
    const StmtId scope = scopeOf(edit, block.id);
    requireElsewhere(edit, block, loop, scope);
    requireStagePipeline(edit, scope);
    requireCompleteOrReduction(edit, block.id);
    // The new loops run over whole domains. Below its consumers a reduction may be cut short (which
    // requireCompleteOrReduction asks): its variables take all values of their domains but for the predicate,
    // which goes along as a condition on them, so that the same points run, the first of each reduction among
    // them. Below its producers the iterations are those of the loops there.
    if (block.init && direction == MoveDirection::ToProducers)
        requireAffineBindings(edit, block.id);
    requireNoLoopsInside(edit, block);
    const bool isRead = direction == MoveDirection::ToConsumers && !index.consumers(block.id).empty();
    if (direction == MoveDirection::ToConsumers && !isRead)
        requireNotOutput(edit, block.id);
    const StmtId holder = outermostSoleAncestor(index, block.id);
    const std::size_t position = insertionPoint(
        edit, block.id, loop.id,
        direction == MoveDirection::ToConsumers ? MustHold::Consumers : MustHold::Producers, args.index);

    arith::Analyzer analyzer;
    bindSizes(analyzer, *index.function());
    analysis::bindEnclosing(analyzer, index, loop.id);
    analyzer.bind(loop.var, {loop.min, loop.extent});
    const std::vector<AccessPair> pairs = accessPairsOf(index, block, loop.id, direction, analyzer);
    if (direction == MoveDirection::ToProducers) {
        requireNoHiddenReads(edit.index(block.id), block, loop.id);
        requireEachReadsSomething(block, pairs);
    }
    std::vector<IterDomain> domains = solveIterDomains(block, pairs, analyzer);
    for (std::size_t i = 0; i < domains.size(); ++i)
        relaxOverData(domains[i], block, block.iterVars[i], direction, analyzer);
    arith::Domains around = domainsAround(index, loop.id);
    around.push_back(domainOf(loop));
    MovedNest nest(edit, block, std::move(around), args.preserveUnitLoops);
    for (std::size_t i = 0; i < domains.size(); ++i)
        nest.add(block.iterVars[i], domains[i], analyzer);
    nest.requireOfVariables(
        predicateOfVariables(block, domainsAround(index, block.id), loopVarsAround(index, loop.id)),
        analyzer);
    if (direction == MoveDirection::ToProducers)
        nest.requireGuard(guardOf(index, index.producers(block.id), loop.id), analyzer);
    const ir::Stmt moved = nest.finish(analyzer);
    if (isRead && isOutput(edit, block.id))
        requireWholeOutput(index, block, loop, nest);

    for (StmtId at = block.id; at != holder; at = index.parent(at))
        edit.forward(index.parent(at), block.id);
    edit.setBody(rewriteAt(edit.body(),
                           {{holder, [](const ir::Stmt &) { return ir::Stmt(); }},
                            {loop.id, editLoop([&](ir::For &target) {
                                 std::vector<ir::Stmt> parts = partsOf(loop.body);
                                 parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(position), moved);
                                 target.body = ir::seq(std::move(parts));
                             })}}));
    ir::PrimFunc function = *index.function();
    function.body = edit.body();
    requireStillCovered(std::make_shared<const ir::PrimFunc>(std::move(function)), block.id, direction);
    return {};
}

std::vector<TypedField<MoveArgs>> moveFields(std::string_view loopHelp)
{
    return {required<&MoveArgs::block>("block", "Block", "The block to move."),
            required<&MoveArgs::loop>("loop", "Below loop", loopHelp),
            optional<&MoveArgs::preserveUnitLoops>("preserve_unit_loops", "Keep loops of one iteration",
                                                   "Whether new loops of one iteration are made too.")
                .attribute(),
            optional<&MoveArgs::index>(
                "index", "Position",
                "Place among the loop's statements; -1 is the last possible one, -2 the first.")
                .attribute()};
}

} // namespace

Primitive computeAtPrimitive()
{
    return define<MoveArgs>(
        {.name = "compute_at",
         .title = "Compute at",
         .actionTitle = "Compute at…",
         .group = Group::Movement,
         .key = "A",
         .summary =
             "Moves a block below a loop of its consumers, to compute there just the region they need.",
         .documentation = R"(The block gets new loops over the region that one iteration of the loop needs.

```
for i, j: B[i, j] = …           for i:
for i, j: C[i, j] = f(B[i, j])      for ax0: B[i, ax0] = …
                            →       for j: C[i, j] = f(B[i, j])
```

**Legal** for a complete block or reduction when all its consumers are below the loop, in a scope where
every value is written before it is read and never overwritten. An output only where its consumers together
need all of it, which TVM allows for its legacy schedules alone.)"},
        moveFields("A loop around all consumers of the block."), computeAt<MoveDirection::ToConsumers>);
}

Primitive reverseComputeAtPrimitive()
{
    return define<MoveArgs>(
        {.name = "reverse_compute_at",
         .title = "Reverse compute at",
         .actionTitle = "Reverse compute at…",
         .group = Group::Movement,
         .key = "Shift+A",
         .summary =
             "Moves a block below a loop of its producers, to consume there just the region they made.",
         .documentation = R"(The block gets new loops over what one iteration of the loop has made.

```
for i, j: B[i, j] = …           for i:
for i, j: C[i, j] = f(B[i, j])      for j: B[i, j] = …
                            →       for ax0: C[i, ax0] = f(B[i, ax0])
```

**Legal** for a complete block or reduction, when all its producers are below the loop, in a scope where
every value is written before it is read and never overwritten.)"},
        moveFields("A loop around all producers of the block."), computeAt<MoveDirection::ToProducers>);
}

} // namespace nestwright::schedule
