// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/rules/block_rules.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/access/complete_regions.h"
#include "core/analysis/access/regions.h"
#include "core/analysis/kernel/block_kind.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/schedule/codes.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/tree.h"
#include "core/script/print/printer.h"

#include <algorithm>
#include <format>
#include <iterator>

namespace nestwright::schedule {

using support::diagnostic;

namespace {

void refuseIf(analysis::Objection objection)
{
    if (objection)
        refuse(std::move(*objection));
}

/// A reduction that was decomposed has two writers, which is the usual reason why a block is no longer a
/// reduction.
void refuseIf(Edit &edit, StmtId id, analysis::Objection objection)
{
    if (objection && edit.block(id).name.ends_with("_update"))
        objection->hint = "apply this step before decompose_reduction";
    refuseIf(std::move(objection));
}

} // namespace

StmtId scopeOf(Edit &edit, StmtId id)
{
    const StmtId scope = edit.index(id).scopeRoot(id);
    if (!scope)
        refuse(
            diagnostic("schedule.root-block", "block " + named(edit.block(id))
                                                  + " is the whole function and cannot be scheduled itself")
                .at(id));
    // The scope's dependences are those of its body; its init is no part of them.
    if (const ir::Block &around = edit.block(scope); around.init && containsStmt(around.init, id))
        refuse(diagnostic("schedule.in-init", named(edit.index(id).find(id)) + " is in the init of block "
                                                  + named(around) + ", whose body goes on from its result")
                   .at(id)
                   .at(scope)
                   .withHint("decompose_reduction makes the init a block beside the other"));
    return scope;
}

void requireAffineBindings(Edit &edit, StmtId block)
{
    refuseIf(analysis::whyNotAffine(edit.index(block), block));
}

void requireAffineOrCutShort(Edit &edit, StmtId block, StmtId outermost)
{
    refuseIf(analysis::whyNotAffineOrCutShort(edit.index(block), block, outermost));
}

void requireComplete(Edit &edit, StmtId block)
{
    refuseIf(edit, block, analysis::whyNotComplete(edit.index(block), block));
}

void requireReduction(Edit &edit, StmtId block)
{
    refuseIf(edit, block, analysis::whyNotReduction(edit.index(block), block));
}

void requireCompleteOrReduction(Edit &edit, StmtId block)
{
    refuseIf(edit, block, analysis::whyNotCompleteOrReduction(edit.index(block), block));
}

void requireStagePipeline(Edit &edit, StmtId root)
{
    refuseIf(analysis::whyNotStagePipeline(edit.index(root), root));
}

void requireNothingHidden(const analysis::FunctionIndex &index, StmtId block)
{
    const analysis::HiddenAccesses hidden = analysis::hiddenAccesses(index, block);
    const std::vector<ir::Buffer> &buffers = hidden.reads.empty() ? hidden.writes : hidden.reads;
    if (!buffers.empty())
        refuse(diagnostic("schedule.hidden-access", "block " + named(*index.block(block)) + " touches '"
                                                        + buffers.front().name() + "' without saying so")
                   .at(block));
}

void requireCompactDataFlow(Edit &edit, StmtId loop)
{
    const analysis::FunctionIndex &index = edit.index(loop);
    for (const StmtId block : index.childBlocks(loop))
        refuseIf(edit, block, analysis::whyNotCompleteOrReduction(index, block, loop));
}

namespace {

/// The first buffer that the block writes and that lives on outside its scope; null when there is none.
ir::Buffer outputOf(Edit &edit, StmtId block)
{
    const ir::Block &scope = edit.block(scopeOf(edit, block));
    for (const analysis::Access &write : analysis::accessesOf(edit.index(block), block).writes) {
        if (!std::ranges::contains(scope.allocBuffers, write.region->buffer))
            return write.region->buffer;
    }
    return {};
}

} // namespace

bool isOutput(Edit &edit, StmtId block) { return static_cast<bool>(outputOf(edit, block)); }

void requireNotOutput(Edit &edit, StmtId block)
{
    if (const ir::Buffer buffer = outputOf(edit, block))
        refuse(diagnostic(codes::outputBlock, "block " + named(edit.block(block)) + " writes '"
                                                  + buffer.name() + "', which is an output")
                   .at(block)
                   .withHint("write it through a cache first (cache_write), or work on the block before it"));
}

std::string describeDependence(const analysis::FunctionIndex &index, StmtId from, StmtId to)
{
    const auto access = [&](StmtId id, const ir::Buffer &buffer, bool isWrite) {
        const ir::Block &block = *index.block(id);
        const std::vector<ir::BufferRegion> &regions = isWrite ? block.writes : block.reads;
        const ir::BufferRegion *region = ir::findRegion(regions, buffer);
        return region ? named(block) + (isWrite ? " writes " : " reads ") + script::printRegion(*region)
                      : std::string();
    };
    for (const analysis::Dependence &d : index.scope(index.scopeRoot(from)).dependences) {
        if (d.from != from || d.to != to)
            continue;
        using enum analysis::DependenceKind;
        const std::string first = access(from, d.buffer, d.kind != War);
        const std::string second = access(to, d.buffer, d.kind != Raw);
        if (!first.empty() && !second.empty())
            return std::format("{}, {}", first, second);
    }
    return {};
}

std::vector<const ir::For *> mixedLoops(const ir::Block &block, const std::vector<const ir::For *> &loops)
{
    std::vector<const ir::For *> mixed;
    std::ranges::copy_if(loops, std::back_inserter(mixed), [&](const ir::For *loop) {
        const analysis::LoopUse use = analysis::loopUse(block, loop->var);
        return use.spatial && use.reduce;
    });
    return mixed;
}

void requireEachPointOnce(const analysis::FunctionIndex &index, const ir::Block &block, StmtId outermost,
                          const std::string &hint)
{
    const auto isInjective = [&](StmtId outside, const ir::Expr &predicate) {
        arith::Analyzer analyzer;
        analysis::bindEnclosing(analyzer, index, outermost);
        return arith::detectIterMap(block.iterValues, analysis::loopDomains(index, block.id, outside),
                                    predicate, arith::IterMapLevel::Bijective, analyzer)
            .has_value();
    };
    // Iterations that never meet without the predicate do not meet with it, nor do they over fewer loops.
    const StmtId outside = index.parent(outermost), scope = analysis::scopeThrough(index, block.id);
    if (isInjective(outside, {}) || isInjective(outside, block.predicate)
        || isInjective(scope, block.predicate))
        return;
    const ir::For &loop = *index.loop(outermost);
    refuse(diagnostic("schedule.reduction-repeated",
                      "from loop " + named(loop) + " inwards the reduction " + named(block)
                          + " may run more than once for an element, and each time needs its own init")
               .at(outermost)
               .at(block.id)
               .withHint(hint));
}

void requireWholeRepetitions(const analysis::FunctionIndex &index, const ir::Block &block,
                             const std::vector<const ir::For *> &order)
{
    bool isReducing = false;
    for (const ir::For *loop : order) {
        const analysis::LoopUse use = analysis::loopUse(block, loop->var);
        // A loop that feeds no variable repeats the whole.
        const bool repeats = use.spatial || (!use.reduce && !ir::isConstInt(loop->extent, 1));
        if (repeats && (isReducing || use.reduce)) {
            const auto outermost = std::ranges::min_element(
                order, {}, [&](const ir::For *l) { return index.ancestors(l->id).size(); });
            return requireEachPointOnce(index, block, (*outermost)->id,
                                        "keep the loops of the reduction within the others");
        }
        isReducing = isReducing || use.reduce;
    }
}

void requireNoInit(const ir::Block &block)
{
    if (block.init)
        refuse(diagnostic("schedule.has-init", "block " + named(block) + " is a reduction with an init")
                   .at(block.id)
                   .withHint("only blocks without a reduction can be inlined"));
}

void requireAsDeclared(Edit &edit, StmtId id, const ir::Buffer &buffer)
{
    const ir::Block &block = edit.block(id);
    const ir::BufferRegion *declared = ir::findRegion(block.writes, buffer);
    const analysis::AccessRegions found = analysis::accessRegions(block, {{buffer->data, buffer}});
    const ir::BufferRegion *written = ir::findRegion(found.writes, buffer);
    arith::Analyzer analyzer;
    analysis::bindEnclosing(analyzer, edit.index(id), id);
    bindAll(analyzer, domainsOf(block));
    if (declared && written && !arith::covers(written->region, declared->region, analyzer))
        refuse(diagnostic("schedule.not-written", "block " + named(block) + " is said to write more of '"
                                                      + buffer.name() + "' than it does")
                   .at(id)
                   .withHint("the copy would overwrite elements that the block leaves alone"));
    for (const StmtId inside : edit.index(id).scope(id).blocks)
        requireAsDeclared(edit, inside, buffer);
}

bool runsEverywhere(const ir::Block &block, const arith::Domains &around)
{
    arith::Analyzer analyzer;
    const auto covered =
        arith::exactRegionOver(ir::pointRegion(block.iterValues), around, analyzer, block.predicate);
    arith::Region domain;
    for (const ir::IterVar &iter : block.iterVars)
        domain.push_back(iter.domain);
    return covered && arith::holdsAround(block.predicate, around, analyzer)
           && arith::covers(*covered, domain, analyzer);
}

void requireRunsEverywhere(Edit &edit, const ir::Block &block)
{
    if (!runsEverywhere(block, domainsAround(edit.index(block.id), block.id)))
        refuse(diagnostic("schedule.predicate",
                          "block " + named(block) + " does not run over the whole domain of its variables")
                   .at(block.id));
}

} // namespace nestwright::schedule
