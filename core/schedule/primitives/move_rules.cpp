// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/move_rules.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/access/regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/schedule/codes.h"
#include "core/schedule/primitives/moved_nest.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/predicates.h"

#include <algorithm>

namespace nestwright::schedule {

using support::diagnostic;

namespace {

/// A reduction may go below loops that feed its reduction only if each of its steps still runs exactly once
/// and in turn.
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

} // namespace

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

void requireStillCovered(const ir::Function &function, StmtId moved, MoveDirection direction)
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
    if (direction == MoveDirection::ToProducers && index.block(moved)->init)
        requireEachStepOnce(index, moved);
}

void requireEachReadsSomething(const ir::Block &block, const std::vector<AccessPair> &pairs)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, domainsOf(block));
    for (const AccessPair &pair : pairs) {
        const auto read = arith::regionOver(pair.provided.region, domainsOf(block), analyzer);
        if (!read || !arith::covers(ir::fullRegion(pair.provided.buffer).region, *read, analyzer))
            refuse(diagnostic("schedule.iterations-lost",
                              "some iterations of block " + named(block) + " may read '"
                                  + pair.provided.buffer.name()
                                  + "' beyond its edges, so no producer would run them")
                       .at(block.id)
                       .withHint("move the producer instead (compute_at)"));
    }
}

void requireWholeOutput(const analysis::FunctionIndex &index, const ir::Block &block, const ir::For &loop,
                        const MovedNest &nest)
{
    std::string why;
    if (!index.childBlocks(block.id).empty())
        why = "in blocks inside it";
    if (!nest.runsEverywhere())
        why = "but its consumers below loop " + named(loop) + " need a part only";
    std::vector<StmtId> loops = index.loopsOf(loop.id);
    loops.push_back(loop.id);
    for (const StmtId id : loops) {
        const ir::For &around = *index.loop(id);
        if (block.init && around.forKind != ir::ForKind::Serial && around.forKind != ir::ForKind::Unrolled)
            why = "but iterations of loop " + named(around) + " would initialise it at the same time";
    }
    if (!why.empty())
        refuse(diagnostic(codes::outputBlock, "block " + named(block) + " writes an output, " + why)
                   .at(block.id)
                   .at(loop.id)
                   .withHint("write it through a cache first (cache_write), and move that"));
}

} // namespace nestwright::schedule
