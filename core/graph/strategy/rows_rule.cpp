// SPDX-License-Identifier: Apache-2.0
/// Two products of matrices with stages row by row between them, as attention has them. (After
/// FlashAttention: T. Dao et al., 2022, which never writes the matrix between the products to memory.)
#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// Whether the block sums up products of elements of two stages or inputs.
bool isContraction(const Scheduler &scheduler, StmtId block)
{
    if (!isReduction(scheduler, block))
        return false;
    const ir::Block &sum = scheduler.block(block);
    const auto isOther = [&](const auto &region) { return !(region.buffer == sum.writes[0].buffer); };
    return sum.writes.size() == 1 && std::ranges::count_if(sum.reads, isOther) >= 2;
}

/// The blocks that `block` needs, directly or through others.
std::vector<StmtId> neededBy(const Scheduler &scheduler, StmtId block)
{
    std::vector<StmtId> found;
    std::vector<StmtId> open = scheduler.index().producers(block);
    while (!open.empty()) {
        const StmtId next = open.back();
        open.pop_back();
        if (next == block || std::ranges::contains(found, next))
            continue;
        found.push_back(next);
        for (const StmtId producer : scheduler.index().producers(next))
            open.push_back(producer);
    }
    return found;
}

/// A variable of the last stage that an index of the sum's result follows: one value of the index for each
/// `step` values.
struct Followed {
    std::size_t variable = 0;
    std::int64_t step = 1;
};

/// For each leading dimension of the sum's result how the last stage goes along it; as many as go along one
/// variable each.
std::vector<Followed> followedDimensions(const ir::Block &last, const ir::Buffer &sum)
{
    struct Finder : ir::Visitor {
        explicit Finder(const ir::Buffer &wanted) : buffer(wanted) {}
        void expr(const ir::Expr &e) override
        {
            if (const auto *load = e.as<ir::BufferLoad>(); load && load->buffer == buffer && indices.empty())
                indices = load->indices;
            children(e);
        }
        const ir::Buffer &buffer;
        std::vector<ir::Expr> indices;
    };
    Finder finder(sum);
    finder.stmt(last.body);
    std::vector<Followed> followed;
    for (const ir::Expr &index : finder.indices) {
        if (ir::isConstInt(index, 0)) // one block of rows
            break;
        const auto *quotient = index.as<ir::Binary>();
        const bool isQuotient = quotient && quotient->op == ir::BinaryOp::FloorDiv;
        const std::int64_t *divisor = isQuotient ? ir::asInt(quotient->b) : nullptr;
        const auto *variable = (isQuotient ? quotient->a : index).as<ir::VarNode>();
        const auto found = std::ranges::find_if(
            last.iterVars, [&](const ir::IterVar &v) { return v.var.get() == variable; });
        if (!variable || (isQuotient && !divisor) || found == last.iterVars.end())
            break;
        const auto place = static_cast<std::size_t>(found - last.iterVars.begin());
        if (std::ranges::contains(followed, place, &Followed::variable))
            break;
        followed.push_back({place, divisor ? *divisor : 1});
    }
    return followed;
}

/// The loop around one block of rows of the last stage. Nothing where there is none.
std::optional<StmtId> rowBlockLoop(Scheduler &scheduler, StmtId last, const std::vector<Followed> &followed)
{
    const std::vector<LoopOf> loops = scheduler.loops(last);
    if (loops.size() != scheduler.block(last).iterVars.size())
        return std::nullopt;
    std::vector<StmtId> outer, inner;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        if (!std::ranges::contains(followed, i, &Followed::variable))
            inner.push_back(loops[i].id);
    }
    for (const Followed &each : followed) {
        const StmtId loop = loops[each.variable].id;
        if (each.step == 1) {
            outer.push_back(loop);
            continue;
        }
        const std::vector<StmtId> parts = scheduler.split(loop, {each.step});
        if (parts.size() != 2)
            return std::nullopt;
        outer.push_back(parts[0]);
        inner.insert(inner.begin(), parts[1]);
    }
    std::vector<StmtId> order = outer;
    order.insert(order.end(), inner.begin(), inner.end());
    return scheduler.reorder(order) ? scheduler.fuse(outer) : std::nullopt;
}

bool endsInVector(const Scheduler &scheduler, StmtId block)
{
    const std::vector<StmtId> loops = scheduler.index().loopsOf(block);
    return !loops.empty() && scheduler.index().loop(loops.back())->forKind == ir::ForKind::Vectorized;
}

/// The last stage, a sum that it needs and a sum that this one needs.
struct Chain {
    StmtId first, sum, last;
};

std::optional<Chain> chainOf(const Scheduler &scheduler)
{
    const std::vector<StmtId> blocks = scheduler.blocks();
    if (blocks.empty() || isReduction(scheduler, blocks.back()))
        return std::nullopt;
    for (const StmtId sum : scheduler.index().producers(blocks.back())) {
        if (!isContraction(scheduler, sum))
            continue;
        for (const StmtId first : neededBy(scheduler, sum)) {
            if (isContraction(scheduler, first))
                return Chain{first, sum, blocks.back()};
        }
    }
    return std::nullopt;
}

bool placeInRows(Scheduler &scheduler, const Chain &chain)
{
    const auto followed =
        followedDimensions(scheduler.block(chain.last), scheduler.block(chain.sum).writes[0].buffer);
    if (followed.empty())
        return false;
    const auto around = rowBlockLoop(scheduler, chain.last, followed);
    if (!around)
        return false;
    std::vector<StmtId> stages = scheduler.blocks();
    std::erase(stages, chain.last);
    if (!computeAt(scheduler, stages, *around))
        return false;
    if (isWorthThreads(scheduler, chain.first))
        scheduler.annotate("parallel", *around);
    stages.push_back(chain.last);
    constexpr std::size_t depth = 1;
    for (const StmtId stage : stages) {
        const Scheduler::Checkpoint before = scheduler.checkpoint();
        if (reducesRows(scheduler, stage)) {
            reduceInVectors(scheduler, stage);
        } else if (isReduction(scheduler, stage)) {
            if (!tileReduction(scheduler, stage, depth))
                scheduler.restore(before);
        } else if (!endsInVector(scheduler, stage)) { // else it is computed tile by tile
            vectorizeStage(scheduler, stage, depth);
        }
    }
    return true;
}

} // namespace

bool nestRows(Scheduler &scheduler)
{
    const Scheduler::Checkpoint before = scheduler.checkpoint();
    const auto chain = chainOf(scheduler);
    if (chain && placeInRows(scheduler, *chain))
        return true;
    scheduler.restore(before);
    return false;
}

} // namespace nestwright::graph
