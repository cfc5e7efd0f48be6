// SPDX-License-Identifier: Apache-2.0
#include "core/explore/prediction.h"

#include "core/analysis/axes.h"
#include "core/analysis/counts.h"
#include "core/analysis/footprint.h"
#include "core/explore/access_strides.h"
#include "core/ir/attributes.h"
#include "core/ir/builder.h"
#include "core/schedule/state_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::explore {

namespace {

// In times of one vector multiply-add of a processor with two units for them, two for loads, one for stores.
constexpr double accumulatorsNeeded = 8; ///< vectors in flight that hide what a multiply-add waits
constexpr double vectorRegisters = 28;   ///< that a register tile may take
constexpr double loadTime = 1, storeTime = 2;
constexpr double loopCycles = 1;       ///< of an iteration that is not unrolled
constexpr double mostUnrolled = 8;     ///< iterations that the compiler unrolls by itself
constexpr double shareOfCache = 0.8;   ///< that a loop's lines may take and stay
constexpr double ways = 8;             ///< of a set of a cache
constexpr double regionSeconds = 3e-6; ///< until threads work, and until all are done

/// Times of the processor's units for a block, in cycles of one vector multiply-add.
struct UnitTime {
    double computing = 0, loading = 0, loops = 0;
    bool waits = false; ///< for results, more than for units
};

struct Loop {
    StmtId id;
    double extent = 1;
    ir::ForKind kind = ir::ForKind::Serial;
    bool isReduction = false;
    bool reassociates = false; ///< its terms may be summed up in any order
};

double product(std::span<const Loop> loops)
{
    double all = 1;
    for (const Loop &loop : loops)
        all *= loop.extent;
    return all;
}

/// One block with its loops: which are in registers, which in vectors.
class BlockWork {
public:
    BlockWork(const analysis::FunctionIndex &index, StmtId block, std::vector<Loop> loops,
              const Machine &machine)
        : m_block(*index.block(block))
        , m_loops(std::move(loops))
    {
        std::vector<StmtId> ids;
        for (const Loop &loop : m_loops)
            ids.push_back(loop.id);
        m_accesses = accessStrides(index, block, ids);
        const ir::DataType type =
            m_block.writes.empty() ? ir::DataType::float32() : m_block.writes.front().buffer.dtype();
        m_width = std::max(1.0, machine.vectorBits / (8.0 * std::max(1, type.bytes())));
        findVectors();
    }

    UnitTime all() const
    {
        const auto reduction = std::ranges::find_if(m_loops.rbegin(), m_loops.rend(), &Loop::isReduction);
        const auto behind = static_cast<std::size_t>(reduction.base() - m_loops.begin());
        const std::size_t tile = reduction == m_loops.rend() ? firstInRegisters() : behind;
        double rounds = product(std::span(m_loops).first(tile));
        const bool sumsVectors = m_vector && *m_vector < tile && m_loops[*m_vector].isReduction;
        if (sumsVectors)
            rounds *= std::ceil(m_loops[*m_vector].extent / m_width) / m_loops[*m_vector].extent;
        UnitTime work = round(tile, reduction != m_loops.rend() && !sumsVectors);
        work.computing *= rounds;
        work.loading *= rounds;
        work.loops *= rounds;
        work.loading += sumsMoved(tile);
        return work;
    }

private:
    /// The vectorized loop, or the innermost where a compiler makes vectors of it by itself.
    void findVectors()
    {
        for (std::size_t i = 0; i < m_loops.size(); ++i) {
            if (m_loops[i].kind == ir::ForKind::Vectorized)
                m_vector = i;
        }
        if (m_vector || m_loops.empty() || (m_loops.back().isReduction && !m_loops.back().reassociates))
            return;
        const bool isDense = std::ranges::all_of(m_accesses, [](const AccessStrides &access) {
            return access.strides.back() == 0 || access.strides.back() == 1;
        });
        if (isDense && m_loops.back().extent >= m_width / 2)
            m_vector = m_loops.size() - 1;
    }

    std::size_t firstInRegisters() const
    {
        std::size_t first = m_loops.size();
        while (first > 0 && isUnrolled(m_loops[first - 1]))
            --first;
        return first;
    }

    static bool isUnrolled(const Loop &loop)
    {
        return loop.kind == ir::ForKind::Unrolled || loop.kind == ir::ForKind::Vectorized
               || (loop.kind == ir::ForKind::Serial && loop.extent <= mostUnrolled);
    }

    /// Vectors, or numbers where they are no vectors, that the loops from `tile` on make of an access.
    double instructionsOf(const AccessStrides &access, std::size_t tile) const
    {
        double count = access.elements;
        for (std::size_t i = tile; i < m_loops.size(); ++i) {
            const bool moves = access.strides[i] != 0;
            if (i == m_vector)
                count *= !moves                   ? 1
                         : access.strides[i] == 1 ? std::ceil(m_loops[i].extent / m_width)
                                                  : m_loops[i].extent;
            else if (moves)
                count *= m_loops[i].extent;
        }
        return count;
    }

    /// Sums are fetched before the innermost reduction and put back behind it, as often as that begins.
    double sumsMoved(std::size_t tile) const
    {
        std::size_t begin = tile;
        while (begin > 0 && m_loops[begin - 1].isReduction)
            --begin;
        if (begin == tile)
            return 0;
        double count = 0;
        for (const AccessStrides &access : m_accesses)
            count += access.isWrite ? instructionsOf(access, tile) * (loadTime + storeTime) : 0;
        return count * product(std::span(m_loops).first(begin));
    }

    /// One round of the loops before `tile`: all of those from it on.
    UnitTime round(std::size_t tile, bool reduces) const
    {
        double instances = 1, loops = 0, accumulators = 1;
        bool inRegisters = true;
        for (std::size_t i = tile; i < m_loops.size(); ++i) {
            const Loop &loop = m_loops[i];
            const double steps = i == m_vector ? std::ceil(loop.extent / m_width) : loop.extent;
            instances *= steps;
            accumulators *= steps;
            inRegisters = inRegisters && isUnrolled(loop);
            if (!isUnrolled(loop))
                loops += instances * loopCycles;
        }
        UnitTime work;
        double operations = 1;
        if (const auto counted = analysis::operationsOf(m_block)) {
            double points = 1;
            for (const ir::IterVar &variable : m_block.iterVars) {
                if (const auto *extent = variable.domain.extent.as<ir::IntImm>())
                    points *= static_cast<double>(std::max<std::int64_t>(1, extent->value));
            }
            operations = (counted->flops / 2 + counted->integerOps / 2
                          + counted->transcendental * operationsOfFunction)
                         / points;
        }
        const double arithmetic = instances * std::max(0.5, operations);
        // Sums that wait for each other, where too few are formed at once.
        const double waiting = reduces && inRegisters
                                   ? arithmetic * std::max(1.0, accumulatorsNeeded / accumulators)
                                   : arithmetic;
        work.computing = waiting;
        work.waits = waiting > 1.5 * arithmetic;
        for (const AccessStrides &access : m_accesses) {
            const double count = instructionsOf(access, tile);
            if (!access.isWrite)
                work.loading += count * loadTime;
            else if (!reduces)
                work.loading += count * storeTime;
            else if (!inRegisters || accumulators > vectorRegisters) // each sum is fetched and put back
                work.loading += count * (loadTime + storeTime);
        }
        work.loops = loops + (tile > 0 ? loopCycles : 0);
        return work;
    }

    const ir::Block &m_block;
    std::vector<Loop> m_loops;
    std::vector<AccessStrides> m_accesses;
    std::optional<std::size_t> m_vector;
    double m_width = 1;
};

struct Cache {
    double capacity = 0, way = 0; ///< bytes
};

/// Bytes of whole lines.
double linesOf(const std::vector<analysis::Footprint> &footprints)
{
    double lines = 0;
    for (const analysis::Footprint &each : footprints)
        lines += each.rows * each.rowBytes;
    return lines;
}

/// One nest of a function, of which no other is run by the same loops.
class Nest {
public:
    Nest(const analysis::FunctionIndex &index, StmtId top, const Machine &machine)
        : m_index(index)
        , m_machine(machine)
        , m_axes(analysis::loopAxes(index))
        , m_top(top)
    {
        isKnown = visit(top, {});
    }

    bool isKnown = true;
    UnitTime work{};
    double threads = 1; ///< that work on average
    double regions = 0; ///< times that threads are set to work

    /// Bytes of lines that come from beyond a cache of this size.
    double traffic(const Cache &cache) const { return trafficOf(m_top, cache); }

private:
    bool visit(StmtId id, std::vector<Loop> loops)
    {
        if (const ir::For *loop = m_index.loop(id)) {
            const auto *extent = loop->extent.as<ir::IntImm>();
            if (!extent)
                return false;
            const auto axis = m_axes.find(id);
            const Loop next{id, static_cast<double>(extent->value), loop->forKind,
                            axis != m_axes.end() && axis->second.reduce && !axis->second.spatial,
                            ir::numberAt(loop->annotations, ir::reassociateKey) != 0};
            if (loop->forKind == ir::ForKind::Parallel && regions == 0) {
                regions = product(loops);
                threads = next.extent / std::ceil(next.extent / m_machine.threads);
            }
            loops.push_back(next);
        }
        const std::vector<StmtId> &children = m_index.children(id);
        if (m_index.block(id) && children.empty()) {
            const UnitTime own = BlockWork(m_index, id, std::move(loops), m_machine).all();
            work.waits = own.computing > work.computing ? own.waits : work.waits;
            work.computing += own.computing;
            work.loading += own.loading;
            work.loops += own.loops;
            return true;
        }
        return std::ranges::all_of(children, [&](StmtId child) { return visit(child, loops); });
    }

    /// The room that the lines take in a cache of which a way holds so many bytes: rows whose distance is a
    /// multiple of that meet in the same sets.
    static double roomOf(const std::vector<analysis::Footprint> &footprints, double way)
    {
        double room = 0;
        for (const analysis::Footprint &each : footprints) {
            const auto shared =
                std::gcd(static_cast<std::int64_t>(each.rowDistance), static_cast<std::int64_t>(way));
            room += each.rows * std::max(each.rowBytes, each.rows > 1 ? static_cast<double>(shared) : 0);
        }
        return room;
    }

    double trafficOf(StmtId id, const Cache &cache) const
    {
        const double whole = linesOf(analysis::footprintOfLoop(m_index, id));
        const ir::For *loop = m_index.loop(id);
        const std::vector<StmtId> &children = m_index.children(id);
        if (children.empty())
            return whole;
        const double room = roomOf(analysis::footprintOfIteration(m_index, id), cache.way);
        // Caches do not replace strictly what is oldest: of what is little too much, most stays.
        const double gone = std::clamp((room - cache.capacity) / cache.capacity, 0.0, 1.0);
        if (gone == 0)
            return whole;
        double each = 0;
        for (const StmtId child : children)
            each += trafficOf(child, cache);
        each *= loop ? static_cast<double>(*ir::asInt(loop->extent)) : 1;
        return whole + gone * std::max(0.0, each - whole);
    }

    const analysis::FunctionIndex &m_index;
    const Machine &m_machine;
    std::unordered_map<StmtId, analysis::LoopAxis> m_axes;
    StmtId m_top;
};

/// Together, where each overlaps with the others but not wholly.
double together(std::initializer_list<double> parts)
{
    double sum = 0;
    for (const double part : parts)
        sum += std::pow(part, 4);
    return std::pow(sum, 0.25);
}

/// `lines`: of the whole program, which stay where they fit.
void add(Prediction &prediction, const Nest &nest, double lines, const Machine &machine)
{
    const double cycle = 2 * machine.vectorBits / 32.0 / machine.flops;
    const double computing = (nest.work.computing + nest.work.loops) * cycle / nest.threads;
    const double loading = nest.work.loading * cycle / nest.threads;
    double slowest = 0;
    for (std::size_t i = 0; i + 1 < machine.levels.size(); ++i) {
        const measure::MemoryLevel &cache = machine.levels[i], &beyond = machine.levels[i + 1];
        const bool isShared = i + 2 == machine.levels.size();
        const auto size = static_cast<double>(cache.bytes);
        const Cache room{size * shareOfCache / (isShared ? nest.threads : 1), size / ways};
        const bool stays = lines <= (isShared ? size * shareOfCache : room.capacity);
        const double bytes = stays ? 0 : nest.traffic(room);
        const double seconds = bytes / beyond.bytesPerSecond / nest.threads;
        if (prediction.traffic.size() <= i)
            prediction.traffic.push_back({beyond.name, 0, 0});
        prediction.traffic[i].bytes += bytes;
        prediction.traffic[i].seconds += seconds;
        slowest = together({slowest, seconds});
    }
    prediction.computing += computing;
    prediction.loading += loading;
    const double own = together({computing, loading, slowest}) + nest.regions * regionSeconds;
    prediction.threadsAtWork = (prediction.threadsAtWork * prediction.seconds + nest.threads * own)
                               / std::max(1e-12, prediction.seconds + own);
    prediction.seconds += own;
}

std::string limitOf(const Prediction &prediction, bool waits)
{
    std::string limit = waits ? "results it waits for" : "arithmetic";
    double most = prediction.computing;
    if (prediction.loading > most) {
        most = prediction.loading;
        limit = "loads and stores";
    }
    for (const Traffic &each : prediction.traffic) {
        if (each.seconds > most) {
            most = each.seconds;
            limit = each.level;
        }
    }
    return limit;
}

} // namespace

std::optional<Prediction> predict(const schedule::State &state, const Machine &machine)
{
    const ir::Module::Entry *entry = state.module.mainEntry();
    const analysis::FunctionIndex *index = entry ? state.index->function(entry->name) : nullptr;
    if (!index || !index->root())
        return std::nullopt;
    Prediction prediction;
    double longest = 0;
    bool waits = false;
    const std::vector<StmtId> &nests = index->children(index->root());
    const double lines = linesOf(analysis::footprintOfLoop(*index, index->root()));
    for (const StmtId top : nests) {
        const Nest nest(*index, top, machine);
        if (!nest.isKnown)
            return std::nullopt;
        add(prediction, nest, lines, machine);
        if (nest.work.computing > longest) {
            longest = nest.work.computing;
            waits = nest.work.waits;
        }
    }
    prediction.limit = limitOf(prediction, waits);
    return prediction;
}

} // namespace nestwright::explore
