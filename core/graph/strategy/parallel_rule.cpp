// SPDX-License-Identifier: Apache-2.0
#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <bit>

namespace nestwright::graph {

namespace {

constexpr double leastForThreads = 16'384; ///< iterations; fewer take less time than waking a thread

/// Fuses `loops`, as far as they are there, and runs them in parallel.
void parallelize(Scheduler &scheduler, StmtId block, const std::vector<StmtId> &loops)
{
    if (loops.empty() || !isWorthThreads(scheduler, block))
        return;
    if (const auto fused = scheduler.fuse(loops))
        scheduler.annotate("parallel", *fused);
}

} // namespace

std::int64_t bytesOf(const ir::Buffer &buffer)
{
    std::int64_t bytes = buffer.dtype().bytes();
    for (const ir::Expr &extent : buffer.shape()) {
        const std::int64_t *value = ir::asInt(extent);
        bytes *= value ? *value : 0;
    }
    return bytes;
}

ir::Var laneVariable(const ir::Block &block)
{
    ir::Var lanes;
    for (const ir::IterVar &iter : block.iterVars)
        lanes = iter.kind == ir::IterKind::Spatial ? iter.var : lanes;
    return lanes;
}

std::int64_t largestDivisor(std::int64_t extent, std::int64_t limit)
{
    for (std::int64_t factor = std::min(extent, limit); factor > 1; --factor) {
        if (extent % factor == 0)
            return factor;
    }
    return 1;
}

std::int64_t fairDivisor(const target::Machine &machine, std::int64_t extent, std::int64_t limit,
                         std::int64_t others)
{
    std::int64_t best = largestDivisor(extent, limit);
    const auto imbalance = [&](std::int64_t factor) { return machine.imbalance(others * (extent / factor)); };
    for (std::int64_t factor = best; factor >= 1 && imbalance(best) > target::fairImbalance; --factor) {
        if (extent % factor == 0 && imbalance(factor) < imbalance(best))
            best = factor;
    }
    return best;
}

double laneEfficiency(const target::Machine &machine, std::int64_t lanes, std::int64_t elementBytes)
{
    const std::int64_t whole = machine.vectors.bytes / elementBytes;
    const auto pieces = lanes / whole + std::popcount(static_cast<std::uint64_t>(lanes % whole));
    return static_cast<double>(lanes) / static_cast<double>(pieces);
}

std::int64_t registerTileRows(const target::Machine &machine, std::int64_t lanes, std::int64_t elementBytes,
                              std::int64_t beside)
{
    // With room for operands: where these are known, no more.
    const std::int64_t registerTile =
        beside > 1 ? machine.vectors.registers - beside - 2 : machine.vectors.sums;
    return std::max<std::int64_t>(1, registerTile * machine.vectors.bytes / (lanes * elementBytes));
}

std::int64_t tileRows(const target::Machine &machine, std::int64_t lanes, const Panels &panels,
                      std::int64_t elementBytes)
{
    const std::int64_t room = registerTileRows(machine, lanes, elementBytes);
    if (panels.width == 1)
        return room;
    return std::max<std::int64_t>(1, room / (1 + panels.kept) / (panels.width / lanes));
}

Panels panelsOf(const Scheduler &scheduler, StmtId block)
{
    struct Finder : ir::Visitor {
        void expr(const ir::Expr &e) override
        {
            const auto *load = e.as<ir::BufferLoad>();
            const auto *last =
                load && !load->indices.empty() ? load->indices.back().as<ir::Binary>() : nullptr;
            const std::int64_t *divisor =
                last && last->op == ir::BinaryOp::FloorMod ? ir::asInt(last->b) : nullptr;
            if (divisor && last->a.as<ir::VarNode>() == column.get()) {
                found.width = *divisor;
                const bool changes = std::ranges::any_of(load->indices, [&](const ir::Expr &index) {
                    return innermost && ir::uses(index, innermost);
                });
                found.kept += changes ? 0 : 1;
            }
            children(e);
        }
        ir::Var column, innermost;
        Panels found;
    };
    Finder finder;
    for (const ir::IterVar &var : scheduler.block(block).iterVars)
        (var.kind == ir::IterKind::Spatial ? finder.column : finder.innermost) = var.var;
    finder.stmt(scheduler.block(block).body);
    return finder.found;
}

std::int64_t lanesFor(const target::Machine &machine, std::int64_t extent, std::int64_t elementBytes)
{
    const std::int64_t whole = machine.vectors.bytes / elementBytes;
    std::int64_t best = 1;
    for (std::int64_t lanes = 2; lanes <= std::min(extent, 4 * whole); ++lanes) {
        if (extent % lanes == 0
            && laneEfficiency(machine, lanes, elementBytes) > laneEfficiency(machine, best, elementBytes))
            best = lanes;
    }
    return best;
}

bool isWorthThreads(const Scheduler &scheduler, StmtId block)
{
    double iterations = 1;
    for (const LoopOf &loop : scheduler.loops(block))
        iterations *= static_cast<double>(std::max<std::int64_t>(1, loop.extent));
    return iterations >= leastForThreads;
}

std::vector<LoopOf> loopsWithin(const Scheduler &scheduler, StmtId block, std::size_t depth)
{
    std::vector<LoopOf> loops = scheduler.loops(block);
    loops.erase(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(std::min(depth, loops.size())));
    return loops;
}

void parallelizeReduction(Scheduler &scheduler, StmtId block)
{
    std::vector<StmtId> spatial;
    for (const LoopOf &loop : scheduler.loops(block)) {
        if (loop.reduces)
            break;
        spatial.push_back(loop.id);
    }
    parallelize(scheduler, block, spatial);
}

namespace {

/// Puts the innermost of `loops` into vectors. Gives the loop around them; nothing where that is the one
/// before.
std::optional<StmtId> vectorizeInnermost(Scheduler &scheduler, StmtId block, const std::vector<LoopOf> &loops)
{
    const std::int64_t bytes =
        scheduler.block(block).writes.empty() ? 4 : scheduler.block(block).writes[0].buffer.dtype().bytes();
    const LoopOf &last = loops.back();
    const target::Machine &machine = scheduler.machine();
    const std::int64_t whole = machine.vectors.bytes / bytes;
    std::int64_t lanes = lanesFor(machine, last.extent, bytes);
    if (laneEfficiency(machine, lanes, bytes) * 2 < static_cast<double>(whole) && last.extent > 2 * whole)
        lanes = whole; // the last vector is filled in part
    if (lanes > 1 && lanes < last.extent) {
        const std::vector<StmtId> parts = scheduler.split(last.id, {lanes});
        if (parts.size() != 2)
            return std::nullopt;
        scheduler.annotate("vectorize", parts[1]);
        return parts[0];
    }
    if (lanes == last.extent)
        scheduler.annotate("vectorize", last.id);
    else if (loops.size() == 1)
        return last.id;
    return std::nullopt;
}

} // namespace

std::optional<StmtId> vectorizeStage(Scheduler &scheduler, StmtId block, std::size_t depth)
{
    const std::vector<LoopOf> loops = loopsWithin(scheduler, block, depth);
    return loops.empty() ? std::nullopt : vectorizeInnermost(scheduler, block, loops);
}

void parallelizeStage(Scheduler &scheduler, StmtId block)
{
    const std::vector<LoopOf> loops = scheduler.loops(block);
    if (loops.empty())
        return;
    std::vector<StmtId> outer;
    for (std::size_t i = 0; i + 1 < loops.size(); ++i)
        outer.push_back(loops[i].id);
    if (const auto around = vectorizeInnermost(scheduler, block, loops))
        outer.push_back(*around);
    parallelize(scheduler, block, outer);
    streamResult(scheduler, block, scheduler.loops(block).front().id);
}

} // namespace nestwright::graph
