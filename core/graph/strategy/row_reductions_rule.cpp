// SPDX-License-Identifier: Apache-2.0
/// Reductions of terms that lie side by side in memory: softmax, normalisations, sums and maxima of rows.
/// Vectors hold several terms of one row, and all stages work on a row while it is in the cache.
#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// Rows shorter than that are fused with the dimension before them.
constexpr std::int64_t shortRow = 64;
/// Elements of rows that go together, how many do, and of how many in all.
constexpr std::int64_t longestRow = 1024, mostRows = 4, enoughRows = 256;

std::vector<ir::Var> variablesOf(const ir::Block &block, ir::IterKind kind)
{
    std::vector<ir::Var> variables;
    for (const ir::IterVar &var : block.iterVars) {
        if (var.kind == kind)
            variables.push_back(var.var);
    }
    return variables;
}

/// The loads of a sum whose terms differ along its innermost reduction variable, and how they do.
struct TermLoads : ir::Visitor {
    TermLoads(const ir::Block &sum)
        : result(sum.writes[0].buffer)
        , spatial(variablesOf(sum, ir::IterKind::Spatial))
        , reduced(variablesOf(sum, ir::IterKind::Reduce))
    {
        stmt(sum.body);
    }

    void expr(const ir::Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>(); load && !(load->buffer == result))
            note(load->indices);
        children(e);
    }

    void note(const std::vector<ir::Expr> &indices)
    {
        const auto isUsed = [&](const ir::Var &var) {
            return std::ranges::any_of(indices, [&](const ir::Expr &index) { return ir::uses(index, var); });
        };
        if (!std::ranges::any_of(reduced, isUsed))
            return;
        ++count;
        sideBySide = sideBySide && indices.back().as<ir::VarNode>() == reduced.back().get();
        std::vector<bool> used;
        for (const ir::Var &var : spatial)
            used.push_back(isUsed(var));
        if (std::ranges::none_of(used, std::identity()))
            return; // a weight for each term
        products = products || (!rows.empty() && rows != used);
        rows = std::move(used);
    }

    ir::Buffer result;
    std::vector<ir::Var> spatial, reduced;
    std::vector<bool> rows; ///< which spatial variables choose the row
    int count = 0;
    bool sideBySide = true, products = false;
};

/// The loop over rows of the last stage. With several together each stage takes these one after the other, in
/// a loop of their own.
struct Rows {
    StmtId around;
    std::int64_t together = 1;
    std::int64_t apart = 1; ///< from the first of some rows to the first of the next ones
};

/// Rows of one loop that go together, so that what a stage waits for in one row (the last step of a sum, say)
/// it does meanwhile in the others.
std::int64_t rowsTogether(const LoopOf &loop) { return largestDivisor(loop.extent, mostRows); }

/// Nothing where there are no rows. The trailing `count` dimensions are a row.
std::optional<Rows> rowsOf(Scheduler &scheduler, StmtId last, std::size_t count, bool hasStages)
{
    std::vector<LoopOf> loops = scheduler.loops(last);
    std::erase_if(loops, [](const LoopOf &loop) { return loop.reduces; });
    std::int64_t elements = 1, rows = 1;
    if (!isReduction(scheduler, last)) {
        if (loops.size() <= count)
            return std::nullopt;
        for (; count > 0; --count) {
            elements *= loops.back().extent;
            loops.pop_back();
        }
    }
    if (loops.empty())
        return std::nullopt;
    std::vector<StmtId> outer;
    for (const LoopOf &loop : loops) {
        outer.push_back(loop.id);
        rows *= loop.extent;
    }
    Rows made;
    if (hasStages && elements <= longestRow && rows >= enoughRows) {
        std::size_t of = loops.size() - 1;
        while (of > 0 && rowsTogether(loops[of]) == 1)
            --of;
        made.together = rowsTogether(loops[of]);
        if (made.together > 1) {
            const std::vector<StmtId> parts = scheduler.split(loops[of].id, {made.together});
            if (parts.size() != 2)
                return std::nullopt;
            outer[of] = parts[0];
            if (of + 1 < outer.size()) {
                std::vector<StmtId> order = outer;
                order.push_back(parts[1]);
                if (!scheduler.reorder(order))
                    return std::nullopt;
            } else {
                made.apart = made.together;
            }
        }
    }
    const auto fused = scheduler.fuse(outer);
    if (!fused)
        return std::nullopt;
    made.around = *fused;
    return made;
}

/// A stage of a row, within the loop over rows.
void vectorizeRow(Scheduler &scheduler, StmtId stage, const Rows &rows)
{
    const std::size_t depth = rows.together > 1 ? 2 : 1;
    std::int64_t elements = rows.apart;
    for (const LoopOf &loop : loopsWithin(scheduler, stage, depth))
        elements *= loop.extent;
    if (const auto loop = vectorizeStage(scheduler, stage, depth))
        fetchNextRow(scheduler, stage, *loop, elements);
}

bool placeInRows(Scheduler &scheduler)
{
    std::vector<StmtId> stages = scheduler.blocks();
    const StmtId last = stages.back();
    std::size_t reduced = 0;
    for (const StmtId stage : stages) {
        if (!isReduction(scheduler, stage))
            continue;
        if (!reducesRows(scheduler, stage))
            return false;
        const std::size_t count = variablesOf(scheduler.block(stage), ir::IterKind::Reduce).size();
        if (reduced && count != reduced)
            return false;
        reduced = count;
    }
    if (reduced == 0)
        return false;
    const auto rows = rowsOf(scheduler, last, reduced, stages.size() > 1);
    if (!rows)
        return false;
    stages.pop_back();
    if (!computeAt(scheduler, stages, rows->around))
        return false;
    if (isWorthThreads(scheduler, last))
        scheduler.annotate("parallel", rows->around);
    streamResult(scheduler, last, rows->around);
    stages.push_back(last);
    for (const StmtId stage : stages) {
        if (isReduction(scheduler, stage))
            reduceInVectors(scheduler, stage);
        else
            vectorizeRow(scheduler, stage, *rows);
    }
    return true;
}

} // namespace

bool reducesRows(const Scheduler &scheduler, StmtId block)
{
    const ir::Block &sum = scheduler.block(block);
    if (!isReduction(scheduler, block) || sum.writes.size() != 1)
        return false;
    const TermLoads loads(sum);
    return loads.count > 0 && loads.sideBySide && !loads.products;
}

void reduceInVectors(Scheduler &scheduler, StmtId block)
{
    std::vector<StmtId> reducing;
    std::int64_t innermost = 0;
    for (const LoopOf &loop : scheduler.loops(block)) {
        if (!loop.reduces)
            continue;
        reducing.push_back(loop.id);
        innermost = loop.extent;
    }
    if (reducing.empty()) // a single term
        return;
    std::optional<StmtId> loop = reducing.back();
    if (innermost < shortRow) {
        if (const auto fused = scheduler.fuse(reducing))
            loop = fused;
    }
    scheduler.note(*loop, ir::reassociateKey, 1);
    fetchTerms(scheduler, block, *loop);
    // Else the first iteration would be cut off, and with it the whole vectors.
    scheduler.attempt("decompose_reduction", {{"block", block}, {"loop", *loop}});
}

void parallelizeRows(Scheduler &scheduler, StmtId block)
{
    parallelizeReduction(scheduler, block);
    reduceInVectors(scheduler, block);
}

bool nestRowReductions(Scheduler &scheduler)
{
    const Scheduler::Checkpoint before = scheduler.checkpoint();
    if (!scheduler.blocks().empty() && placeInRows(scheduler))
        return true;
    scheduler.restore(before);
    return false;
}

} // namespace nestwright::graph
