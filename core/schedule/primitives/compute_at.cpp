// SPDX-License-Identifier: Apache-2.0
/// Moving a block below a loop of the blocks that use it (compute_at), or that make what it uses (reverse_compute_at).
#include "core/analysis/accesses.h"
#include "core/analysis/regions.h"
#include "core/analysis/thread_memory.h"
#include "core/arith/iter_map.h"
#include "core/ir/builder.h"
#include "core/ir/conditions.h"
#include "core/ir/equality.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"
#include "core/schedule/bindings.h"
#include "core/schedule/block_rules.h"
#include "core/schedule/insertion.h"
#include "core/schedule/iter_domains.h"
#include "core/schedule/predicates.h"
#include "core/schedule/primitives/all.h"
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

enum class Direction { ToConsumers, ToProducers };

/// The loop is in the block's scope but not around the block itself.
void requireElsewhere(Edit &edit, const ir::Block &block, const ir::For &loop, StmtId scope)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    if (index.encloses(loop.id, block.id))
        refuse(diagnostic("schedule.loop-around-block",
                          "loop " + named(loop) + " is already around block " + named(block))
                   .at(loop.id)
                   .at(block.id)
                   .withHint("choose a loop of another block"));
    if (edit.index(loop.id).scopeRoot(loop.id) != scope)
        refuse(diagnostic("schedule.other-scope",
                          "loop " + named(loop) + " and block " + named(block) + " are not in the same scope")
                   .at(loop.id)
                   .at(block.id));
}

/// The block takes new loops, so nothing in it may speak of those that are around it now.
void requireNoLoopsInside(Edit &edit, const ir::Block &block)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    for (const StmtId id : index.loopsOf(block.id)) {
        const ir::For &loop = *index.loop(id);
        if (ir::uses(block.body, loop.var) || (block.init && ir::uses(block.init, loop.var)))
            refuse(diagnostic("schedule.uses-loop", "block " + named(block) + " uses loop " + named(loop)
                                                        + " without a variable of its own for it")
                       .at(block.id)
                       .at(id)
                       .withHint("move it before loop_partition, or partition the outermost loop"));
    }
}

/// The loops around `other` that vary while one iteration of `loop` runs, with the values they take.
ir::VarMap<arith::IntervalSet> varying(const analysis::FunctionIndex &index, StmtId loop, StmtId other,
                                       const ir::Buffer &buffer, Direction direction)
{
    ir::VarMap<arith::IntervalSet> relaxed;
    bool isOutside = false;
    const std::vector<StmtId> loops = analysis::loopsThrough(index, other);
    for (const StmtId at : std::views::reverse(loops)) {
        const ir::For &around = *index.loop(at);
        isOutside = isOutside || at == loop;
        if (!isOutside
            || (direction == Direction::ToConsumers && analysis::variesForScope(buffer->scope, around)))
            relaxed[around.var] = arith::IntervalSet::of({around.min, around.extent});
    }
    return relaxed;
}

/// The box of a buffer that `access` touches during one iteration of `loop`.
void extendBox(Box &box, const analysis::FunctionIndex &index, StmtId loop, const analysis::Access &access,
               Direction direction, arith::Analyzer &analyzer)
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

/// The block's own regions with what the blocks below the loop ask for or offer of them.
std::vector<Tie> tiesOf(const analysis::FunctionIndex &index, const ir::Block &block, StmtId loop,
                        Direction direction, arith::Analyzer &analyzer)
{
    const bool toConsumers = direction == Direction::ToConsumers;
    const std::vector<StmtId> others = toConsumers ? index.consumers(block.id) : index.producers(block.id);
    std::vector<Tie> ties;
    for (const ir::BufferRegion &own : toConsumers ? block.writes : block.reads) {
        Tie tie{.own = own, .asked = {}};
        for (const StmtId other : others) {
            const analysis::Accesses accesses = analysis::accessesOf(index, other);
            for (const analysis::Access &touched : toConsumers ? accesses.reads : accesses.writes) {
                if (touched.region->buffer == own.buffer)
                    extendBox(tie.asked, index, loop, touched, direction, analyzer);
            }
        }
        if (!tie.asked.empty())
            ties.push_back(std::move(tie));
    }
    return ties;
}

/// The variables of the loop and of those around it.
ir::VarSet loopVarsAround(const analysis::FunctionIndex &index, StmtId loop)
{
    ir::VarSet vars{index.loop(loop)->var};
    for (const arith::VarRange &around : domainsAround(index, loop))
        vars.insert(around.var);
    return vars;
}

/// The condition without terms that it has already.
ir::Expr eachOnce(const ir::Expr &condition)
{
    std::vector<ir::Expr> terms;
    const std::vector<ir::Expr> all = ir::conjunctsOf(condition);
    for (const ir::Expr &term : all) {
        const auto isTerm = [&](const ir::Expr &known) { return ir::structurallyEqual(known, term); };
        if (std::ranges::none_of(terms, isTerm))
            terms.push_back(term);
    }
    return terms.size() == all.size() ? condition : ir::conjunctionOf(terms);
}

/// The block under its new loops.
class NewNest {
public:
    NewNest(Edit &edit, const ir::Block &block, arith::Domains around, bool preserveUnitLoops)
        : m_edit(edit)
        , m_block(block)
        , m_domains(std::move(around))
        , m_preserveUnitLoops(preserveUnitLoops)
    {
        m_block.iterValues.clear();
        m_block.predicate = ir::boolImm(true);
    }

    /// The block runs only where the condition on its variables holds, too.
    void requireOfVariables(const ir::Expr &condition, arith::Analyzer &analyzer)
    {
        if (!ir::isTrue(condition))
            require(ir::substitute(condition, valuesOf(m_block)), analyzer);
    }

    void add(const ir::IterVar &iter, const IterDomain &domain, arith::Analyzer &analyzer)
    {
        const ir::DataType type = iter.var->dtype;
        const ir::Expr min = analyzer.simplify(domain.values.min);
        const ir::Expr extent = analyzer.simplify(domain.values.max - min + ir::constant(1, type));
        ir::Expr value = min;
        if (m_preserveUnitLoops || !ir::isConstInt(extent, 1)) {
            const ir::Var var("ax" + std::to_string(m_loops.size()), type);
            m_loops.push_back({var, extent});
            m_domains.push_back({var, {ir::constant(0, type), extent}});
            analyzer.bind(var, m_domains.back().range);
            value = min + var;
        }
        m_block.iterValues.push_back(value);
        if (domain.bound.isNothing)
            return;
        require(ir::ge(value, domain.bound.min), analyzer);
        require(ir::lt(value, analyzer.simplify(domain.bound.max + ir::constant(1, type))), analyzer);
    }

    ir::Stmt finish(arith::Analyzer &analyzer)
    {
        m_block.predicate = ir::guardsFirst(eachOnce(analyzer.simplify(m_block.predicate)));
        std::vector<StmtId> ids(m_loops.size());
        std::ranges::generate(ids, [&] { return m_edit.newId(); });
        ir::Stmt nest = ir::make(m_block);
        for (std::size_t i = m_loops.size(); i-- > 0;)
            nest = ir::serialFor(m_loops[i].var, m_loops[i].extent, nest, ids[i],
                                 m_edit.origin("loop", m_block.id));
        return nest;
    }

    const ir::Block &block() const { return m_block; }
    bool runsEverywhere() const { return schedule::runsEverywhere(m_block, m_domains); }

private:
    struct NewLoop {
        ir::Var var;
        ir::Expr extent;
    };

    void require(const ir::Expr &condition, arith::Analyzer &analyzer)
    {
        if (!canProveOver(condition, m_domains, analyzer))
            m_block.predicate = ir::logicalAnd(m_block.predicate, condition);
    }

    Edit &m_edit;
    ir::Block m_block;
    arith::Domains m_domains; ///< of the loops around it
    bool m_preserveUnitLoops;
    std::vector<NewLoop> m_loops;
};

/// A reduction may go below loops that feed its reduction only if each of its steps still runs exactly once and in turn.
void requireEachStepOnce(const analysis::FunctionIndex &index, StmtId blockId)
{
    const ir::Block &block = *index.block(blockId);
    const std::vector<StmtId> loops = analysis::loopsThrough(index, blockId);
    const auto feeds = [&](StmtId loop, bool reductionOnly) {
        for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
            if ((!reductionOnly || block.iterVars[i].kind == ir::IterKind::Reduce)
                && ir::uses(block.iterValues[i], index.loop(loop)->var))
                return true;
        }
        return false;
    };
    const auto first = std::ranges::find_if(loops, [&](StmtId loop) { return feeds(loop, true); });
    for (auto at = first; at != loops.end(); ++at) {
        const ir::For &loop = *index.loop(*at);
        const bool atOnce = loop.forKind == ir::ForKind::Parallel || loop.forKind == ir::ForKind::Vectorized;
        if (!feeds(*at, false) || (atOnce && feeds(*at, true)))
            refuse(diagnostic("schedule.reduction-repeated",
                              "below loop " + named(loop) + " the reduction " + named(block)
                                  + (atOnce ? " would run in several iterations at once"
                                            : " would add its terms repeatedly"))
                       .at(loop.id)
                       .at(blockId)
                       .withHint("choose a loop further out"));
    }
    if (first == loops.end())
        return;
    std::vector<const ir::For *> around;
    for (const StmtId loop : loops)
        around.push_back(index.loop(loop));
    if (const auto mixed = mixedLoops(block, around); mixed.size() > 1)
        refuse(diagnostic("schedule.init-order", "below loops " + named(*mixed[0]) + " and "
                                                     + named(*mixed[1]) + " the init of the reduction "
                                                     + named(block) + " might come late")
                   .at(mixed[0]->id)
                   .at(mixed[1]->id)
                   .at(blockId)
                   .withHint("choose a loop further out"));
    requireEachPointOnce(index, block, loops.front(), "choose a loop further out");
}

/// Below the producers' loops only what is read by declaration is known to have been made by then.
void requireNoHiddenReads(const analysis::FunctionIndex &index, const ir::Block &block, StmtId loop)
{
    const analysis::Accesses accesses = analysis::accessesOf(index, block.id);
    for (const analysis::Dependence &d : index.scope(index.scopeRoot(block.id)).dependences) {
        if (d.to == block.id && d.kind == analysis::DependenceKind::Raw && index.encloses(loop, d.from)
            && !analysis::touches(accesses.reads, d.buffer) && !analysis::touches(accesses.writes, d.buffer))
            refuse(diagnostic("schedule.hidden-access", "block " + named(block) + " reads '" + d.buffer.name()
                                                            + "' without declaring it, so which part of it "
                                                              "must be there is not known")
                       .at(block.id)
                       .at(d.from));
    }
}

/// What the blocks of the scope read must still be written before.
void requireStillCovered(const ir::Function &function, StmtId moved, Direction direction)
{
    const analysis::FunctionIndex index(function);
    std::vector<StmtId> readers = index.consumers(moved);
    readers.push_back(moved);
    for (const StmtId reader : readers) {
        if (std::optional<Diagnostic> why = analysis::whyNotCovered(index, reader)) {
            why->code = "schedule.region-not-covered";
            why->hint = "choose a loop further out";
            refuse(std::move(*why));
        }
    }
    if (direction == Direction::ToProducers && index.block(moved)->init)
        requireEachStepOnce(index, moved);
}

/// Below the producers' loops an iteration runs when something that it reads is made, so each must read only inside what there is.
void requireEachReadsSomething(const ir::Block &block, const std::vector<Tie> &ties)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, domainsOf(block));
    for (const Tie &tie : ties) {
        const auto read = arith::regionOver(tie.own.region, domainsOf(block), analyzer);
        if (!read || !arith::covers(ir::fullRegion(tie.own.buffer).region, *read, analyzer))
            refuse(diagnostic("schedule.iterations-lost",
                              "some iterations of block " + named(block) + " may read '"
                                  + tie.own.buffer.name()
                                  + "' beyond its edges, so no producer would run them")
                       .at(block.id)
                       .withHint("move the producer instead (compute_at)"));
    }
}

/// What lives on outside must be made whole, and by one iteration after the other where it is begun anew in each.
void requireWholeOutput(const analysis::FunctionIndex &index, const ir::Block &block, const ir::For &loop,
                        const NewNest &nest)
{
    std::string why;
    if (!index.childBlocks(block.id).empty())
        why = "in blocks inside it";
    if (!nest.runsEverywhere())
        why = "of which its consumers below loop " + named(loop) + " need a part only";
    std::vector<StmtId> loops = index.loopsOf(loop.id);
    loops.push_back(loop.id);
    for (const StmtId id : loops) {
        const ir::For &around = *index.loop(id);
        if (block.init && around.forKind != ir::ForKind::Serial && around.forKind != ir::ForKind::Unrolled)
            why = "which iterations of loop " + named(around) + " would begin anew at the same time";
    }
    if (!why.empty())
        refuse(diagnostic("schedule.output-block", "block " + named(block) + " writes an output, " + why)
                   .at(block.id)
                   .at(loop.id)
                   .withHint("write it through a cache first (cache_write), and move that"));
}

/// How often a loop runs is not left to data, which may say anything where the consumer's guards do not hold: a consumer gets all
/// values of the variable instead.
void relaxOverData(IterDomain &domain, const ir::Block &block, const ir::IterVar &iter, Direction direction,
                   arith::Analyzer &analyzer)
{
    if (!ir::mayFault(analyzer.simplify(domain.values.max - domain.values.min)))
        return;
    if (direction == Direction::ToProducers)
        refuse(diagnostic("schedule.data-range", "which iterations of block " + named(block)
                                                     + " one of the loop needs depends on data")
                   .at(block.id)
                   .withHint("choose a loop further out"));
    domain = {.values = arith::IntervalSet::of(iter.domain)};
}

template <Direction direction> ArgList move(Edit &edit, const MoveArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    if (args.loop.id == rootMark)
        return {};
    if (args.loop.id == inlineMark) {
        const bool toConsumers = direction == Direction::ToConsumers;
        return findPrimitive(toConsumers ? "compute_inline" : "reverse_compute_inline")
            ->run(edit, {block.id});
    }
    const ir::For &loop = edit.loop(args.loop.id);
    const analysis::FunctionIndex &index = edit.index(block.id);
    const StmtId scope = scopeOf(edit, block.id);
    requireElsewhere(edit, block, loop, scope);
    requireStagePipeline(edit, scope);
    requireCompleteOrReduction(edit, block.id);
    if (block.init)
        requireAffineBindings(edit, block.id); // the new loops run over whole domains
    requireNoLoopsInside(edit, block);
    const bool isRead = direction == Direction::ToConsumers && !index.consumers(block.id).empty();
    if (direction == Direction::ToConsumers && !isRead)
        requireNotOutput(edit, block.id);
    const StmtId holder = soleHolder(index, block.id);
    const std::size_t position = insertionPoint(
        edit, block.id, loop.id,
        direction == Direction::ToConsumers ? MustHold::Consumers : MustHold::Producers, args.index);

    arith::Analyzer analyzer;
    bindSizes(analyzer, *index.function());
    analysis::bindEnclosing(analyzer, index, loop.id);
    analyzer.bind(loop.var, {loop.min, loop.extent});
    const std::vector<Tie> ties = tiesOf(index, block, loop.id, direction, analyzer);
    if (direction == Direction::ToProducers) {
        requireNoHiddenReads(edit.index(block.id), block, loop.id);
        requireEachReadsSomething(block, ties);
    }
    std::vector<IterDomain> domains = solveIterDomains(block, ties, analyzer);
    for (std::size_t i = 0; i < domains.size(); ++i)
        relaxOverData(domains[i], block, block.iterVars[i], direction, analyzer);
    arith::Domains around = domainsAround(index, loop.id);
    around.push_back(domainOf(loop));
    NewNest nest(edit, block, std::move(around), args.preserveUnitLoops);
    for (std::size_t i = 0; i < domains.size(); ++i)
        nest.add(block.iterVars[i], domains[i], analyzer);
    nest.requireOfVariables(
        predicateOfVariables(block, domainsAround(index, block.id), loopVarsAround(index, loop.id)),
        analyzer);
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
         .group = Group::Movement,
         .key = "A",
         .summary = "Moves a block below a loop of its consumers, to make there just what they need.",
         .documentation = R"(The block gets new loops over the region that one iteration of the loop needs.

```
for i, j: B[i, j] = …           for i:
for i, j: C[i, j] = f(B[i, j])      for ax0: B[i, ax0] = …
                            →       for j: C[i, j] = f(B[i, j])
```

**Legal** for a complete block or reduction when all its consumers are below the loop, in a scope where every value is written
before it is read and never overwritten. An output only where its consumers together need all of it, which TVM allows for its
legacy schedules alone.)"},
        moveFields("A loop around all consumers of the block."), move<Direction::ToConsumers>);
}

Primitive reverseComputeAtPrimitive()
{
    return define<MoveArgs>(
        {.name = "reverse_compute_at",
         .title = "Reverse compute at",
         .group = Group::Movement,
         .key = "Shift+A",
         .summary = "Moves a block below a loop of its producers, to use there just what they made.",
         .documentation = R"(The block gets new loops over what one iteration of the loop has made.

```
for i, j: B[i, j] = …           for i:
for i, j: C[i, j] = f(B[i, j])      for j: B[i, j] = …
                            →       for ax0: C[i, ax0] = f(B[i, ax0])
```

**Legal** for a complete block or reduction, when all its producers are below the loop, in a scope where every value is written
before it is read and never overwritten.)"},
        moveFields("A loop around all producers of the block."), move<Direction::ToProducers>);
}

} // namespace nestwright::schedule
