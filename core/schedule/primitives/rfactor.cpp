// SPDX-License-Identifier: Apache-2.0
/// Factoring a reduction by one of its loops: partial results that are combined afterwards.
#include "core/analysis/complete_regions.h"
#include "core/analysis/regions.h"
#include "core/ir/builder.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"
#include "core/schedule/bindings.h"
#include "core/schedule/block_rules.h"
#include "core/schedule/predicates.h"
#include "core/schedule/primitives/all.h"
#include "core/schedule/reducer.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct RfactorArgs {
    LoopId loop;
    std::int64_t factorAxis = 0;
};

/// Whether the values of the block's iteration variables of this kind use the loop.
bool feeds(const ir::Block &block, const ir::Var &loop, ir::IterKind kind)
{
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        if (block.iterVars[i].kind == kind && ir::uses(block.iterValues[i], loop))
            return true;
    }
    return false;
}

const ir::Block &onlyBlockBelow(Edit &edit, const ir::For &loop)
{
    const std::vector<StmtId> below = edit.index(loop.id).childBlocks(loop.id);
    if (below.size() != 1)
        refuse(diagnostic("schedule.not-only-child",
                          "loop " + named(loop) + " is around " + std::to_string(below.size())
                              + " blocks; only the loop of a single reduction can be factored")
                   .at(loop.id));
    return edit.block(below.front());
}

/// The loops around the block, of which each is all that the one outside it holds, and each feeds either kind of variable.
std::vector<const ir::For *> requireLoops(Edit &edit, const ir::Block &block, const ir::For &factored)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    std::vector<const ir::For *> loops;
    for (const StmtId id : index.loopsOf(block.id))
        loops.push_back(index.loop(id));
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const ir::For &loop = *loops[i];
        const bool isLast = i + 1 == loops.size();
        if (isLast ? loop.body.as<ir::Block>() != &block : onlyLoopIn(loop.body) != loops[i + 1])
            refuse(diagnostic("schedule.not-only-child",
                              "loop " + named(loop) + " holds more than the reduction " + named(block))
                       .at(loop.id)
                       .at(block.id));
        if (feeds(block, loop.var, ir::IterKind::Spatial) && feeds(block, loop.var, ir::IterKind::Reduce))
            refuse(diagnostic("schedule.iter-kind", "loop " + named(loop)
                                                        + " feeds data-parallel and reduction variables "
                                                          "of block "
                                                        + named(block) + " at once")
                       .at(loop.id)
                       .withHint("factor before loops are fused"));
    }
    if (!feeds(block, factored.var, ir::IterKind::Reduce))
        refuse(diagnostic("schedule.iter-kind",
                          "loop " + named(factored) + " feeds no reduction variable of block " + named(block))
                   .at(factored.id)
                   .at(block.id)
                   .withHint("choose a loop of the reduction"));
    if (factored.forKind != ir::ForKind::Serial)
        refuse(diagnostic("schedule.loop-not-serial",
                          "loop " + named(factored) + " must be serial to be factored")
                   .at(factored.id));
    return loops;
}

/// Makes the two blocks: the one for the parts and the one that combines them.
class Factoring {
public:
    Factoring(Edit &edit, const ir::Block &block, const ir::For &factored, std::vector<const ir::For *> loops,
              std::size_t axis)
        : m_edit(edit)
        , m_block(block)
        , m_factored(factored)
        , m_loops(std::move(loops))
        , m_axis(axis)
        , m_reduction(reductionOf(block))
    {
        ir::BufferNode node = *m_reduction.buffer.get();
        node.name += "_rf";
        node.data = ir::Var(node.name, ir::DataType::handle());
        node.strides.clear();
        node.elemOffset = {};
        node.shape.insert(node.shape.begin() + static_cast<std::ptrdiff_t>(axis), factored.extent);
        m_parts = ir::Buffer(std::move(node));
    }

    const ir::Buffer &parts() const { return m_parts; }

    /// The block of the parts under copies of all loops. The factored loop is data-parallel in it.
    ir::Stmt partsNest(StmtId id)
    {
        ir::Block block = m_block;
        block.id = id;
        block.origin = m_edit.origin("parts", m_block.id);
        block.name += "_rf";
        block.iterVars.clear();
        block.iterValues.clear();
        ir::VarMap<ir::Expr> values; // of the old variables in terms of the new ones
        ir::VarMap<ir::Expr> loopIters;
        const ir::Var part = addIter(block, m_factored, ir::IterKind::Spatial);
        loopIters[m_factored.var] = part;
        bool stillReduces = false;
        for (std::size_t i = 0; i < m_block.iterVars.size(); ++i) {
            const ir::IterVar &iter = m_block.iterVars[i];
            const ir::Expr &value = m_block.iterValues[i];
            if (!ir::uses(value, m_factored.var)) {
                ir::IterVar kept = iter;
                kept.var = ir::Var(iter.var.name(), iter.var->dtype);
                values[iter.var] = kept.var;
                stillReduces = stillReduces || kept.kind == ir::IterKind::Reduce;
                block.iterVars.push_back(kept);
                block.iterValues.push_back(value);
                continue;
            }
            for (const ir::For *loop : m_loops) {
                if (ir::uses(value, loop->var) && !loopIters.contains(loop->var)) {
                    loopIters[loop->var] = addIter(block, *loop, ir::IterKind::Reduce);
                    stillReduces = true;
                }
            }
            values[iter.var] = ir::substitute(value, loopIters);
        }
        fillBody(block, part, values, stillReduces);
        ir::VarMap<ir::Expr> copies;
        std::vector<ir::For> loops;
        for (const ir::For *loop : m_loops) {
            loops.push_back(*loop);
            loops.back().id = m_edit.newId();
            loops.back().origin = m_edit.origin("parts", loop->id);
            loops.back().var = ir::Var(loop->var.name(), loop->var->dtype);
            copies[loop->var] = loops.back().var;
        }
        for (ir::Expr &value : block.iterValues)
            value = ir::substitute(value, copies);
        block.predicate = ir::substitute(block.predicate, copies);
        return nestOf(std::move(loops), ir::make(std::move(block)));
    }

    /// The old block under those of its loops that it still needs: it combines the parts.
    ir::Stmt combiningNest()
    {
        std::vector<ir::For> kept;
        arith::Domains loops, discarded;
        for (const ir::For *loop : m_loops) {
            loops.push_back(domainOf(*loop));
            if (loop != &m_factored && !feeds(m_block, loop->var, ir::IterKind::Spatial)) {
                discarded.push_back(loops.back());
                continue;
            }
            kept.push_back(*loop);
        }
        ir::Block block = m_block;
        block.iterVars.clear();
        block.iterValues.clear();
        ir::VarMap<ir::Expr> values;
        const ir::Var part = addIter(block, m_factored, ir::IterKind::Reduce);
        for (std::size_t i = 0; i < m_block.iterVars.size(); ++i) {
            if (m_block.iterVars[i].kind != ir::IterKind::Spatial)
                continue;
            ir::IterVar iter = m_block.iterVars[i];
            iter.var = ir::Var(iter.var.name(), iter.var->dtype);
            values[m_block.iterVars[i].var] = iter.var;
            block.iterVars.push_back(iter);
            block.iterValues.push_back(m_block.iterValues[i]);
        }
        block.predicate = predicateWithout(block, m_block.predicate, discarded, loops);
        std::vector<ir::Expr> indices = m_reduction.indices;
        for (ir::Expr &index : indices)
            index = ir::substitute(index, values);
        block.init = ir::store(m_reduction.buffer, m_reduction.identity, indices);
        block.body = ir::store(m_reduction.buffer,
                               m_reduction.combine(ir::load(m_reduction.buffer, indices),
                                                   ir::load(m_parts, withPart(indices, part))),
                               indices);
        setRegions(block);
        return nestOf(std::move(kept), ir::make(std::move(block)));
    }

private:
    /// `body` within the loops, outermost first.
    static ir::Stmt nestOf(std::vector<ir::For> loops, ir::Stmt body)
    {
        for (std::size_t i = loops.size(); i-- > 0;) {
            loops[i].body = std::move(body);
            body = ir::make(std::move(loops[i]));
        }
        return body;
    }

    /// A variable of the block that runs over the loop, called after it.
    static ir::Var addIter(ir::Block &block, const ir::For &loop, ir::IterKind kind)
    {
        const ir::Var var('v' + loop.var.name(), loop.var->dtype);
        block.iterVars.push_back({.domain = {loop.min, loop.extent}, .var = var, .kind = kind});
        block.iterValues.push_back(loop.var);
        return var;
    }

    std::vector<ir::Expr> withPart(std::vector<ir::Expr> indices, const ir::Var &part) const
    {
        indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(m_axis), part);
        return indices;
    }

    void fillBody(ir::Block &block, const ir::Var &part, const ir::VarMap<ir::Expr> &values,
                  bool stillReduces)
    {
        std::vector<ir::Expr> indices = m_reduction.indices;
        for (ir::Expr &index : indices)
            index = ir::substitute(index, values);
        indices = withPart(std::move(indices), part);
        const ir::Expr term = ir::substitute(m_reduction.term, values);
        block.init = stillReduces ? ir::store(m_parts, m_reduction.identity, indices) : ir::Stmt();
        block.body = ir::store(
            m_parts, stillReduces ? m_reduction.combine(ir::load(m_parts, indices), term) : term, indices);
        setRegions(block);
    }

    static void setRegions(ir::Block &block)
    {
        analysis::AccessRegions regions = analysis::accessRegions(block);
        block.reads = std::move(regions.reads);
        block.writes = std::move(regions.writes);
    }

    Edit &m_edit;
    const ir::Block &m_block;
    const ir::For &m_factored;
    std::vector<const ir::For *> m_loops;
    std::size_t m_axis;
    Reduction m_reduction;
    ir::Buffer m_parts;
};

std::size_t normalisedAxis(const ir::For &loop, const ir::Block &block, std::int64_t axis)
{
    const auto rank = static_cast<std::int64_t>(block.writes.front().region.size());
    if (axis < -rank - 1 || axis > rank)
        refuse(diagnostic("schedule.axis", "the new dimension can go to the places "
                                               + std::to_string(-rank - 1) + " to " + std::to_string(rank)
                                               + " of '" + block.writes.front().buffer.name() + "', not to "
                                               + std::to_string(axis))
                   .at(loop.id));
    return static_cast<std::size_t>(axis < 0 ? axis + rank + 1 : axis);
}

ArgList rfactor(Edit &edit, const RfactorArgs &args)
{
    const ir::For &loop = edit.loop(args.loop.id);
    const StmtId scope = scopeOf(edit, loop.id);
    const ir::Block &block = onlyBlockBelow(edit, loop);
    requireStagePipeline(edit, scope);
    requireReduction(edit, block.id);
    std::vector<const ir::For *> loops = requireLoops(edit, block, loop);
    requireWholeRepetitions(edit.index(block.id), block, loops);
    if (block.writes.size() != 1)
        refuse(diagnostic("schedule.unknown-reducer", "block " + named(block) + " writes several buffers")
                   .at(block.id));
    const StmtId outermost = loops.front()->id;
    Factoring factoring(edit, block, loop, std::move(loops), normalisedAxis(loop, block, args.factorAxis));
    const StmtId id = edit.newId();
    const ir::Stmt parts = factoring.partsNest(id), combining = factoring.combiningNest();
    edit.setBody(rewriteAt(
        edit.body(),
        {{outermost, [&](const ir::Stmt &) { return ir::seq({parts, combining}); }},
         {scope, editBlock([&](ir::Block &root) { root.allocBuffers.push_back(factoring.parts()); })}}));
    ir::PrimFunc function = *edit.index(block.id).function();
    function.body = edit.body();
    const analysis::FunctionIndex after(std::make_shared<const ir::PrimFunc>(std::move(function)));
    if (analysis::whyNotCovered(after, block.id))
        refuse(diagnostic("schedule.predicate", "the predicate of block " + named(block)
                                                    + " may leave parts out, which would never be set")
                   .at(block.id)
                   .withHint("split the reduction by a factor that divides it"));
    return {id};
}

} // namespace

Primitive rfactorPrimitive()
{
    return define<RfactorArgs>(
        {.name = "rfactor",
         .title = "Factor reduction",
         .group = Group::Reduction,
         .key = "",
         .summary =
             "Makes partial results of a reduction along one of its loops, which can then run in parallel.",
         .documentation =
             R"(The chosen loop becomes data-parallel: each of its iterations reduces into an element of its own. The old
block then combines these.

```
for i, k_0, k_1:                    for i, k_0, k_1: B_rf[i, k_1] += A[i, k_0 * 4 + k_1]
    B[i] += A[i, k_0 * 4 + k_1] →   for i, k_1: B[i] += B_rf[i, k_1]
```

**Legal** for a serial loop of a reduction by +, *, min or max that is alone below its loops, when the loop feeds reduction
variables only.)",
         .results = Results::Single,
         .traceKind = "RFactor"},
        {required<&RfactorArgs::loop>("loop", "Loop", "The loop of the reduction to factor by."),
         required<&RfactorArgs::factorAxis>(
             "factor_axis", "New dimension",
             "Place of the new dimension in the partial results; negative counts "
             "from the end.")
             .attribute()},
        rfactor);
}

} // namespace nestwright::schedule
