// SPDX-License-Identifier: Apache-2.0
#include "core/explore/compare/variant_facts.h"
#include "core/codegen/codes.h"
#include "core/explore/predict/access_strides.h"

#include "core/analysis/access/footprint.h"
#include "core/analysis/kernel/counts.h"
#include "core/explore/predict/access_strides.h"
#include "core/measure/machine/caches.h"
#include "core/suggest/loop_facts.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace nestwright::explore {

using backend::LoopCode;
using suggest::LoopNest;

namespace {

/// The accesses that `block` declares, with their strides in `loop`, which is around it. `cache` is left
/// open.
std::vector<Access> accessesIn(const suggest::LoopNest &nest, StmtId block, StmtId loop)
{
    std::vector<Access> accesses;
    for (const AccessStrides &each : accessStrides(*nest.indexOf(block), block, {loop})) {
        const int bytes = each.buffer.dtype().bytes();
        const std::optional<std::int64_t> stride = each.strides.front();
        accesses.push_back(
            {each.buffer.name(), each.isWrite, stride ? std::optional(*stride * bytes) : stride, bytes, 0});
    }
    return accesses;
}

const LoopCode *codeOfLoop(const std::vector<LoopCode> &code, StmtId loop)
{
    const LoopCode *best = nullptr;
    for (const LoopCode &each : code) {
        if (each.loop == loop
            && (!best
                || std::pair(each.counts.flops, each.counts.packed)
                       > std::pair(best->counts.flops, best->counts.packed)))
            best = &each;
    }
    return best;
}

/// Iterations of `loops` together; nothing where one is symbolic.
std::optional<double> turnsOf(const LoopNest &nest, const std::vector<StmtId> &loops)
{
    double turns = 1;
    for (const StmtId loop : loops) {
        const auto iterations = nest.iterations(loop);
        if (!iterations)
            return std::nullopt;
        turns *= static_cast<double>(*iterations);
    }
    return turns;
}

/// The work of blocks and the loops of machine code that do it.
class Work {
public:
    Work(const LoopNest &nest, const std::vector<LoopCode> &code) : m_nest(nest)
    {
        for (const StmtId id : nest.all()) {
            const ir::Block *block = nest.block(id);
            if (!block || !nest.indexOf(id)->childBlocks(id).empty())
                continue;
            const auto operations = analysis::operationsOf(*block);
            Part part{id, nest.loopsTo(id), backend::codeOf(code, {id}), 0};
            if (operations)
                part.flops = operations->flops + operations->transcendental;
            if (const auto own = cycles(part)) {
                m_cycles = m_cycles.value_or(0) + *own;
                for (const StmtId loop : part.loops)
                    m_cyclesOf[loop] += *own;
            }
            m_parts.push_back(std::move(part));
        }
    }

    struct Part {
        StmtId block;
        std::vector<StmtId> loops; ///< around it
        const LoopCode *code = nullptr;
        double flops = 0; ///< of all its runs
    };
    /// Cycles of all runs of a block: those of the machine code that does its work, in proportion to the
    /// operations of both. Nothing where the code's time is not known, or where it computes no floating-point
    /// numbers, so that its iterations cannot be counted.
    std::optional<double> cycles(const Part &part) const
    {
        if (!part.code || !part.code->time || part.code->counts.flops <= 0 || part.flops <= 0)
            return std::nullopt;
        return part.flops / part.code->counts.flops * part.code->time->cycles;
    }

    /// Cycles of all blocks within a loop.
    std::optional<double> cyclesWithin(StmtId loop) const
    {
        const auto found = m_cyclesOf.find(loop);
        return found == m_cyclesOf.end() ? std::nullopt : std::optional(found->second);
    }
    std::optional<double> allCycles() const { return m_cycles; }

    /// Null where nothing is known.
    const Part *hottest() const
    {
        const Part *best = nullptr;
        std::tuple<double, double, double> most{};
        for (const Part &part : m_parts) {
            const std::tuple heat{cycles(part).value_or(0), part.flops,
                                  turnsOf(m_nest, part.loops).value_or(0)};
            if (!best || heat > most) {
                best = &part;
                most = heat;
            }
        }
        return best;
    }

private:
    const LoopNest &m_nest;
    std::vector<Part> m_parts;
    std::optional<double> m_cycles;
    std::map<StmtId, double> m_cyclesOf; ///< by loop
};

std::vector<LoopView> viewsOf(const LoopNest &nest, const std::vector<LoopCode> &code, const Work &work,
                              std::optional<double> all)
{
    std::vector<LoopView> views;
    for (const StmtId id : nest.all()) {
        const ir::For *loop = nest.loop(id);
        if (!loop)
            continue;
        LoopView view{.loop = id,
                      .name = nest.name(id),
                      .kind = suggest::kindBadge(*loop),
                      .depth = static_cast<int>(nest.loopsTo(id).size()) - 1};
        if (const analysis::LoopAxis *axis = nest.axis(id))
            view.axis = axis->mixed() ? -2 : axis->single();
        const suggest::LoopFacts facts = suggest::loopFacts(nest, id);
        view.trips = facts.iterations;
        view.bytes = facts.bytes;
        view.cache = facts.lineBytes ? measure::cacheHolding(*facts.lineBytes) : 0;
        if (const LoopCode *own = codeOfLoop(code, id))
            view.code = *own;
        view.cycles = work.cyclesWithin(id);
        if (view.cycles && all > 0.0)
            view.share = *view.cycles / *all;
        views.push_back(std::move(view));
    }
    return views;
}

/// Traffic into a cache of `bytes`, which keeps lines from one iteration of a loop to the next: each run of
/// the innermost loop that touches more than it holds fetches its distinct lines once.
std::optional<double> trafficInto(const LoopNest &nest, const std::vector<StmtId> &loops, double bytes)
{
    for (std::size_t i = loops.size(); i-- > 0;) {
        const auto touched = suggest::loopFacts(nest, loops[i]).lineBytes;
        if (!touched)
            return std::nullopt;
        if (*touched > bytes || i == 0) {
            const auto runs = turnsOf(nest, {loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(i)});
            return runs ? std::optional(*runs * *touched) : std::nullopt;
        }
    }
    return std::nullopt;
}

HotBlock hotBlockOf(const LoopNest &nest, const Work::Part &part)
{
    HotBlock hot{.block = part.block};
    if (part.code)
        hot.code = *part.code;
    hot.instances = turnsOf(nest, part.loops);
    const ir::Block &block = *nest.block(part.block);
    if (!block.writes.empty())
        hot.elementBytes = block.writes.front().buffer.dtype().bytes();
    const auto takesTurns = [&](StmtId loop) { return nest.iterations(loop).value_or(2) > 1; };
    std::vector<StmtId> loops = part.loops;
    std::erase_if(loops, [&](StmtId loop) { return !takesTurns(loop); });
    for (const StmtId loop : loops) {
        if (nest.loop(loop)->forKind != ir::ForKind::Parallel)
            continue;
        if (hot.parallelLoop.empty())
            hot.parallelLoop = nest.name(loop);
        hot.parallelTurns *= static_cast<double>(nest.iterations(loop).value_or(1));
    }
    if (loops.empty())
        return hot;
    hot.loop = nest.name(loops.back());
    hot.accesses = accessesIn(nest, part.block, loops.back());
    const auto near = suggest::loopFacts(nest, loops[loops.size() - std::min<std::size_t>(2, loops.size())]);
    for (Access &access : hot.accesses)
        access.cache = near.lineBytes ? measure::cacheHolding(*near.lineBytes) : 0;
    const std::vector<target::MemoryLevel> levels = measure::memoryLevels();
    for (std::size_t i = 0; i < hot.traffic.size() && i + 1 < levels.size(); ++i)
        hot.traffic[i] = trafficInto(nest, loops, static_cast<double>(levels[i].bytes));
    return hot;
}

/// The caches are this processor's.
void forgetProcessor(std::vector<LoopView> &loops)
{
    for (LoopView &loop : loops)
        loop.cache = 0;
}

} // namespace

const LoopView *VariantFacts::loop(StmtId id) const
{
    const auto found = placeOf.find(id);
    return found == placeOf.end() ? nullptr : &loops[found->second];
}

support::Result<VariantFacts> factsOf(std::string name, const schedule::State &state,
                                      const target::Target &target, const std::stop_token &stop)
{
    VariantFacts facts{std::move(name), LoopNest(state, script::print(state.module)), {}, {}, {}, {}, {}};
    auto code = backend::loopCode(state.module, target, stop);
    if (code)
        facts.code = *std::move(code);
    else if (code.error().code != codegen::codes::unsupported)
        return std::unexpected(code.error());
    const Work work(facts.nest, facts.code);
    facts.cycles = work.allCycles();
    facts.loops = viewsOf(facts.nest, facts.code, work, facts.cycles);
    for (std::size_t i = 0; i < facts.loops.size(); ++i)
        facts.placeOf.emplace(facts.loops[i].loop, i);
    const Work::Part *hottest = work.hottest();
    if (target.isGpu())
        forgetProcessor(facts.loops);
    else if (hottest)
        facts.hot = hotBlockOf(facts.nest, *hottest);
    return facts;
}

} // namespace nestwright::explore
