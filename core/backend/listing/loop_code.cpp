// SPDX-License-Identifier: Apache-2.0
#include "core/backend/listing/loop_code.h"

#include "core/ir/build/walk.h"
#include "core/ir/node/block_marker.h"

#include <algorithm>
#include <format>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace nestwright::backend {

using support::StmtId;

namespace {

/// Innermost loop around each loop and block of a flat program, with its depth; a loop holds itself.
class HoldingLoops final : public ir::Visitor {
public:
    struct Place {
        StmtId loop;
        int depth = 0;
    };

    explicit HoldingLoops(const ir::Module &flat)
    {
        for (const ir::Module::Entry &entry : flat.functions())
            stmt(entry.function->body);
    }

    /// No loop where there is none.
    Place of(StmtId id) const
    {
        const auto found = m_places.find(id);
        return found == m_places.end() ? Place() : found->second;
    }

    void stmt(const ir::Stmt &s) override
    {
        const Place outer = m_current;
        if (const auto *loop = s.as<ir::For>(); loop && loop->id) {
            m_current = {loop->id, outer.depth + 1};
            m_places[loop->id] = m_current;
        } else if (const auto *attribute = s.as<ir::AttrStmt>()) {
            if (const StmtId block = ir::markedBlock(*attribute))
                m_places[block] = m_current;
        }
        children(s);
        m_current = outer;
    }

private:
    Place m_current;
    std::unordered_map<StmtId, Place> m_places;
};

} // namespace

void findLoops(std::vector<LoopCode> &loops, const ir::Module &flat)
{
    const HoldingLoops holding(flat);
    for (LoopCode &each : loops) {
        HoldingLoops::Place best = holding.of(each.loop);
        for (const StmtId id : best.loop ? std::vector<StmtId>() : each.statements) {
            if (const HoldingLoops::Place place = holding.of(id); place.depth > best.depth)
                best = place;
        }
        each.loop = best.loop;
    }
}

const LoopCode *codeOf(const std::vector<LoopCode> &loops, const std::vector<StmtId> &within)
{
    const auto holds = [&](const LoopCode &loop) {
        return std::ranges::any_of(
            loop.statements, [&](StmtId each) { return std::ranges::find(within, each) != within.end(); });
    };
    const auto work = [](const LoopCode &loop) {
        return std::tuple(loop.isInnermost, loop.counts.flops, loop.counts.packed, loop.counts.all);
    };
    const LoopCode *best = nullptr;
    for (const LoopCode &loop : loops) {
        if (holds(loop) && (!best || work(loop) > work(*best)))
            best = &loop;
    }
    return best;
}

std::string_view limitName(CycleLimit limit)
{
    switch (limit) {
    case CycleLimit::None: break;
    case CycleLimit::Units: return "units";
    case CycleLimit::Dispatch: return "dispatch";
    case CycleLimit::Latency: return "latency";
    }
    return {};
}

std::string limitText(const CycleCount &time)
{
    return time.limit == CycleLimit::Units     ? time.units
           : time.limit == CycleLimit::Latency ? "results it waits for"
                                               : std::string(limitName(time.limit));
}

std::string cyclesText(const CycleCount &time)
{
    std::string most = std::format("{:.1f}", time.cycles), least = std::format("{:.1f}", time.leastCycles);
    return time.leastCycles < time.cycles && least != most ? least + " to " + most : most;
}

std::string timeText(const LoopCode &loop)
{
    if (!loop.time)
        return {};
    const std::string limit = limitText(*loop.time);
    return cyclesText(*loop.time) + " cycles an iteration" + (limit.empty() ? "" : ", limited by " + limit);
}

std::string instructionsText(const LoopCode &loop)
{
    const InstructionCounts &counts = loop.counts;
    std::string text = std::format("{} instructions", counts.all);
    std::string_view separator = ": ";
    const auto add = [&](int count, std::string_view one, std::string_view many) {
        if (count > 0)
            text += std::format("{}{} {}", std::exchange(separator, ", "), count, count == 1 ? one : many);
    };
    const std::string bits = std::to_string(loop.vectorBits) + " bits";
    add(counts.packed, "computes vectors of " + bits, "compute vectors of " + bits);
    add(counts.scalar, "computes one number", "compute one number");
    add(counts.loads - counts.reloads, "load", "loads");
    add(counts.stores - counts.spills, "store", "stores");
    add(counts.gathers, "gather", "gathers");
    add(counts.scatters, "scatter", "scatters");
    add(counts.spills + counts.reloads, "register put aside or fetched back",
        "registers put aside or fetched back");
    add(counts.prefetches, "prefetch", "prefetches");
    add(counts.calls, "call", "calls");
    return text;
}

} // namespace nestwright::backend
