// SPDX-License-Identifier: Apache-2.0
/// Factoring a reduction by one of its loops: partial results that are combined afterwards.
#include "core/analysis/access/accesses.h"
#include "core/analysis/kernel/block_kind.h"
#include "core/analysis/kernel/reduction.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/codes.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/predicates.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"
#include "core/script/print/printer.h"

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

/// The loops around the block: it comes first below the outermost one and is alone from the first loop of the
/// reduction inwards, where only such loops follow.
std::vector<const ir::For *> requireLoops(Edit &edit, const ir::Block &block, const ir::For &factored)
{
    const analysis::FunctionIndex &index = edit.index(block.id);
    std::vector<const ir::For *> loops;
    for (const StmtId id : index.loopsOf(block.id))
        loops.push_back(index.loop(id));
    if (index.childBlocks(loops.front()->id).front() != block.id)
        refuse(diagnostic("schedule.not-only-child", "loop " + named(*loops.front())
                                                         + " holds other blocks before the reduction "
                                                         + named(block))
                   .at(loops.front()->id)
                   .at(block.id));
    for (const StmtId outside : analysis::loopsThrough(index, loops.front()->id)) {
        const ir::For &loop = *index.loop(outside);
        if (feeds(block, loop.var, ir::IterKind::Reduce))
            refuse(diagnostic("schedule.other-scope", "loop " + named(loop) + " of the reduction "
                                                          + named(block)
                                                          + " is not in the same scope, but around it")
                       .at(outside)
                       .at(block.id)
                       .withHint("factor before loop_partition"));
    }
    bool isReducing = false;
    for (const ir::For *loop : loops) {
        const bool isSpatial = feeds(block, loop->var, ir::IterKind::Spatial);
        const bool reduces = feeds(block, loop->var, ir::IterKind::Reduce);
        if (isSpatial && reduces)
            refuse(diagnostic(codes::iterKind, "loop " + named(*loop)
                                                   + " feeds data-parallel and reduction variables "
                                                     "of block "
                                                   + named(block) + " at once")
                       .at(loop->id)
                       .withHint("factor before loops are fused"));
        isReducing = isReducing || reduces;
        if (isReducing && index.childBlocks(loop->id).size() > 1)
            refuse(diagnostic("schedule.not-only-child",
                              "loop " + named(*loop) + " holds more than the reduction " + named(block))
                       .at(loop->id)
                       .at(block.id));
        if (!isSpatial && !reduces && !ir::isConstInt(loop->extent, 1))
            refuse(diagnostic("schedule.reduction-repeated",
                              "loop " + named(*loop) + " runs the reduction " + named(block) + " repeatedly")
                       .at(loop->id)
                       .at(block.id));
    }
    if (feeds(block, factored.var, ir::IterKind::Spatial))
        refuse(diagnostic(codes::iterKind,
                          "loop " + named(factored) + " feeds no reduction variable of block " + named(block))
                   .at(factored.id)
                   .at(block.id)
                   .withHint("choose a loop of the reduction"));
    if (!ir::isConstInt(factored.min, 0))
        refuse(diagnostic("schedule.loop-start", "loop " + named(factored) + " begins at "
                                                     + script::printExpr(factored.min)
                                                     + "; only loops that begin at 0 can be factored")
                   .at(factored.id));
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
        , m_reduction(analysis::reductionOf(block))
    {
        for (const ir::Buffer &buffer : m_reduction.buffers)
            m_parts.push_back(partsOf(buffer));
    }

    const std::vector<ir::Buffer> &parts() const { return m_parts; }

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
            for (const ir::For *loop : loopsIn(value)) {
                if (!loopIters.contains(loop->var)) {
                    loopIters[loop->var] = addIter(block, *loop, ir::IterKind::Reduce);
                    stillReduces = true;
                }
            }
            values[iter.var] = ir::substitute(value, loopIters);
        }
        std::vector<ir::Expr> indices = m_reduction.indices;
        for (ir::Expr &index : indices)
            index = ir::substitute(index, values);
        analysis::Reduction::Values terms;
        for (const ir::Expr &term : m_reduction.terms)
            terms.push_back(ir::substitute(term, values));
        fillBody(block, m_parts, withPart(std::move(indices), part), terms, stillReduces);
        setRegions(block, part, values);
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

    /// The old block, combining the parts, and its loops: those of the reduction go, but for the factored
    /// one.
    Changes combining() const
    {
        Changes changes;
        arith::Domains loops, discarded;
        for (const ir::For *loop : m_loops) {
            loops.push_back(domainOf(*loop));
            if (loop == &m_factored || !feeds(m_block, loop->var, ir::IterKind::Reduce))
                continue;
            discarded.push_back(loops.back());
            changes[loop->id] = [](const ir::Stmt &s) { return s.as<ir::For>()->body; };
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
        // Partial results that get no term are not begun, and must not be combined.
        block.predicate = ir::logicalAnd(predicateWithout(block, m_block.predicate, discarded, loops),
                                         whereBegun(m_block, discarded, loops));
        std::vector<ir::Expr> indices = m_reduction.indices;
        for (ir::Expr &index : indices)
            index = ir::substitute(index, values);
        const std::vector<ir::Expr> from = withPart(indices, part);
        fillBody(block, m_reduction.buffers, indices, loadsOf(m_parts, from), true);
        block.reads = pointsOf(m_parts, from);
        block.writes = pointsOf(m_reduction.buffers, indices);
        changes[m_block.id] = [block](const ir::Stmt &) { return ir::make(block); };
        return changes;
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

    ir::Buffer partsOf(const ir::Buffer &buffer) const
    {
        ir::BufferNode node = *buffer.get();
        node.name += "_rf";
        node.data = ir::Var(node.name, ir::DataType::handle());
        node.strides.clear();
        if (node.shape.empty()
            && !node.elemOffset) // of a scalar it has 64 bits, whatever the new dimension has
            node.elemOffset = ir::intImm(0, ir::DataType::int64());
        node.shape.insert(node.shape.begin() + static_cast<std::ptrdiff_t>(m_axis), m_factored.extent);
        return ir::Buffer(std::move(node));
    }

    /// The loops whose variables occur in `value`, in the order in which they do.
    std::vector<const ir::For *> loopsIn(const ir::Expr &value) const
    {
        std::vector<const ir::For *> found;
        ir::forEachExpr(value, [&](const ir::Expr &e) {
            const ir::Var var = ir::Var::from(e);
            const auto loop = std::ranges::find_if(
                m_loops, [&](const ir::For *candidate) { return var && candidate->var == var; });
            if (loop != m_loops.end())
                found.push_back(*loop);
            return true;
        });
        return found;
    }

    static analysis::Reduction::Values loadsOf(const std::vector<ir::Buffer> &buffers,
                                               const std::vector<ir::Expr> &indices)
    {
        analysis::Reduction::Values loads;
        for (const ir::Buffer &buffer : buffers)
            loads.push_back(ir::load(buffer, indices));
        return loads;
    }

    static std::vector<ir::BufferRegion> pointsOf(const std::vector<ir::Buffer> &buffers,
                                                  const std::vector<ir::Expr> &indices)
    {
        std::vector<ir::BufferRegion> regions;
        for (const ir::Buffer &buffer : buffers)
            regions.push_back({buffer, ir::pointRegion(indices)});
        return regions;
    }

    /// Init and body that combine the elements of `buffers` at `indices` with `terms`, or only store these.
    void fillBody(ir::Block &block, const std::vector<ir::Buffer> &buffers,
                  const std::vector<ir::Expr> &indices, const analysis::Reduction::Values &terms,
                  bool reduces) const
    {
        const analysis::Reduction::Values values =
            reduces ? m_reduction.combine(loadsOf(buffers, indices), terms) : terms;
        const bool hasLets = reduces && buffers.size() > 1;
        std::vector<ir::Stmt> inits, stores;
        std::vector<ir::Var> lets;
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            inits.push_back(ir::store(buffers[i], m_reduction.identities[i], indices));
            if (hasLets)
                lets.emplace_back("v_" + buffers[i].name(), values[i].dtype());
            stores.push_back(ir::store(buffers[i], hasLets ? ir::Expr(lets[i]) : values[i], indices));
        }
        block.init = reduces ? ir::seq(std::move(inits)) : ir::Stmt();
        block.body = ir::seq(std::move(stores));
        for (std::size_t i = lets.size(); i-- > 0;) {
            ir::LetStmt let;
            let.value = values[i];
            let.var = lets[i];
            let.body = block.body;
            block.body = ir::make(std::move(let));
        }
    }

    /// The old block's regions in terms of the new variables; its writes are the parts now.
    void setRegions(ir::Block &block, const ir::Var &part, const ir::VarMap<ir::Expr> &values) const
    {
        for (ir::BufferRegion &read : block.reads)
            read = ir::substitute(read, values);
        for (ir::BufferRegion &write : block.writes) {
            const auto at = std::ranges::find(m_reduction.buffers, write.buffer);
            write = ir::substitute(write, values);
            write.buffer = m_parts[static_cast<std::size_t>(at - m_reduction.buffers.begin())];
            write.region.insert(write.region.begin() + static_cast<std::ptrdiff_t>(m_axis),
                                {part, ir::intImm(1, part->dtype)});
        }
    }

    Edit &m_edit;
    const ir::Block &m_block;
    const ir::For &m_factored;
    std::vector<const ir::For *> m_loops;
    std::size_t m_axis;
    analysis::Reduction m_reduction;
    std::vector<ir::Buffer> m_parts;
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
    const StmtId outermost = loops.front()->id;
    Factoring factoring(edit, block, loop, std::move(loops), normalisedAxis(loop, block, args.factorAxis));
    const StmtId id = edit.newId();
    const ir::Stmt parts = factoring.partsNest(id);
    Changes changes = factoring.combining();
    const auto inner = std::move(changes[outermost]);
    changes[outermost] = [&](const ir::Stmt &s) { return ir::seq({parts, inner ? inner(s) : s}); };
    changes[scope] = editBlock([&](ir::Block &root) {
        root.allocBuffers.insert(root.allocBuffers.end(), factoring.parts().begin(), factoring.parts().end());
    });
    edit.setBody(rewriteAt(edit.body(), changes));
    return {id};
}

} // namespace

Primitive rfactorPrimitive()
{
    return define<RfactorArgs>(
        {.name = "rfactor",
         .title = "Factor reduction",
         .group = Group::Reduction,
         .key = "G",
         .summary =
             "Makes partial results of a reduction along one of its loops, which can then run in parallel.",
         .documentation =
             R"(The chosen loop becomes data-parallel: each of its iterations reduces into an element of its
own. The old block then combines these.

```
for i, k_0, k_1:                    for i, k_0, k_1: B_rf[i, k_1] += A[i, k_0 * 4 + k_1]
    B[i] += A[i, k_0 * 4 + k_1] →   for i, k_1: B[i] += B_rf[i, k_1]
```

**Legal** for a serial loop of a reduction by +, *, min or max, or of an arg-min or arg-max, that is alone
below the loops of the reduction and comes first below all its loops, when the loop feeds reduction
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
