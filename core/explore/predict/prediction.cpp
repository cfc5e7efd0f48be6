// SPDX-License-Identifier: Apache-2.0
#include "core/explore/predict/prediction.h"

#include "core/analysis/access/footprint.h"
#include "core/analysis/kernel/axes.h"
#include "core/explore/predict/unit_time.h"
#include "core/ir/build/builder.h"
#include "core/ir/node/attributes.h"
#include "core/schedule/state_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::explore {

namespace {

constexpr double shareOfCache = 0.8;   ///< that a loop's lines may take and stay
constexpr double ways = 8;             ///< of a set of a cache
constexpr double regionSeconds = 3e-6; ///< until threads work, and until all are done

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

/// One nest of a function; nests share no loops.
class Nest {
public:
    enum class Threads : std::uint8_t { One, All };

    Nest(const analysis::FunctionIndex &index, StmtId top, const target::Machine &machine,
         Threads threadsUsed)
        : m_index(index)
        , m_machine(machine)
        , m_axes(analysis::loopAxes(index))
        , m_top(top)
        , m_threads(threadsUsed)
    {
        isKnown = visit(top, {});
    }

    bool isKnown = true;
    UnitTime work{};
    double threads = 1; ///< that work on average
    double regions = 0; ///< times that threads are set to work

    /// Bytes of lines that come from beyond a cache of this size.
    double traffic(const Cache &cache) const
    {
        double all = 0;
        for (const auto &[buffer, bytes] : flowOf(m_top, cache).traffic)
            all += bytes;
        return all;
    }

private:
    bool visit(StmtId id, std::vector<EnclosingLoop> loops)
    {
        if (const ir::For *loop = m_index.loop(id)) {
            const auto *extent = loop->extent.as<ir::IntImm>();
            if (!extent)
                return false;
            const auto axis = m_axes.find(id);
            const bool isParallel = loop->forKind == ir::ForKind::Parallel && m_threads == Threads::All;
            const bool isSerial = loop->forKind == ir::ForKind::Parallel && !isParallel;
            const EnclosingLoop next{id, static_cast<double>(extent->value),
                                     isSerial ? ir::ForKind::Serial : loop->forKind,
                                     axis != m_axes.end() && axis->second.reduce && !axis->second.spatial,
                                     ir::numberAt(loop->annotations, ir::reassociateKey) != 0};
            if (isParallel && regions == 0) {
                regions = iterationsOf(loops);
                threads = next.extent / std::ceil(next.extent / m_machine.threads);
            }
            loops.push_back(next);
        }
        const std::vector<StmtId> &children = m_index.children(id);
        if (m_index.block(id) && children.empty()) {
            const UnitTime own = unitTimeOf(m_index, id, std::move(loops), m_machine);
            work.waits = own.computing > work.computing ? own.waits : work.waits;
            work.computing += own.computing;
            work.loading += own.loading;
            work.loops += own.loops;
            return true;
        }
        return std::ranges::all_of(children, [&](StmtId child) { return visit(child, loops); });
    }

    /// Bytes of a cache that a buffer's lines occupy, with `way` bytes per way: rows at a distance that is a
    /// multiple of `way` map to the same sets.
    static double roomOf(const analysis::Footprint &footprint, double way)
    {
        // Each tile has a local buffer of its own, which is compact.
        const double distance =
            footprint.buffer->scope == "local" ? footprint.rowBytes : footprint.rowDistance;
        const auto shared = std::gcd(static_cast<std::int64_t>(distance), static_cast<std::int64_t>(way));
        const bool isSpread = footprint.rows > 1;
        return footprint.rows * std::max(footprint.rowBytes, isSpread ? static_cast<double>(shared) : 0);
    }

    /// The share of each buffer's lines that does not stay from one iteration to the next. What others take
    /// of its sets is taken for what they take on average.
    static ir::BufferMap<double> leaving(const std::vector<analysis::Footprint> &iteration,
                                         const Cache &cache)
    {
        const double all = linesOf(iteration);
        ir::BufferMap<double> shares;
        for (const analysis::Footprint &each : iteration) {
            const double room = all + roomOf(each, cache.way) - each.rows * each.rowBytes;
            // Caches do not replace strictly what is oldest: of what is little too much, most stays.
            if (room > cache.capacity)
                shares[each.buffer] = std::min(1.0, (room - cache.capacity) / cache.capacity);
        }
        return shares;
    }

    /// Traffic of a loop, by buffer.
    struct Flow {
        ir::BufferMap<double> lines;   ///< bytes of different lines
        ir::BufferMap<double> traffic; ///< bytes that come from beyond the cache
    };

    Flow flowOf(StmtId id, const Cache &cache) const
    {
        const Touched &touched = touchedBy(id);
        Flow flow{touched.lines, {}};
        const std::vector<StmtId> &children = m_index.children(id);
        const ir::For *loop = m_index.loop(id);
        const double extent = loop ? static_cast<double>(*ir::asInt(loop->extent)) : 1;
        Flow each;
        for (const StmtId child : children) {
            const Flow below = flowOf(child, cache);
            for (const auto &[buffer, bytes] : below.lines)
                each.lines[buffer] += bytes * extent;
            for (const auto &[buffer, bytes] : below.traffic)
                each.traffic[buffer] += bytes * extent;
        }
        // A region whose bounds are not known is all of its buffer: no iteration touches more than it can.
        for (auto &[buffer, bytes] : flow.lines) {
            if (const auto most = each.lines.find(buffer); most != each.lines.end())
                bytes = std::min(bytes, most->second);
        }
        flow.traffic = flow.lines;
        if (children.empty())
            return flow;
        for (const auto &[buffer, share] : leaving(touched.iteration, cache))
            flow.traffic[buffer] += share * std::max(0.0, each.traffic[buffer] - flow.traffic[buffer]);
        return flow;
    }

    /// Bytes that a loop touches; found on first use.
    struct Touched {
        ir::BufferMap<double> lines; ///< bytes of different lines, of all iterations
        std::vector<analysis::Footprint> iteration;
    };

    const Touched &touchedBy(StmtId id) const
    {
        const auto [known, isNew] = m_touched.try_emplace(id);
        if (isNew) {
            for (const analysis::Footprint &each : analysis::footprintOfLoop(m_index, id))
                known->second.lines[each.buffer] += each.rows * each.rowBytes;
            known->second.iteration = analysis::footprintOfIteration(m_index, id);
        }
        return known->second;
    }

    const analysis::FunctionIndex &m_index;
    const target::Machine &m_machine;
    std::unordered_map<StmtId, analysis::LoopAxis> m_axes;
    StmtId m_top;
    Threads m_threads;
    mutable std::unordered_map<StmtId, Touched> m_touched;
};

/// Together, where each overlaps with the others but not wholly.
double together(std::initializer_list<double> parts)
{
    double sum = 0;
    for (const double part : parts)
        sum += std::pow(part, 4);
    return std::pow(sum, 0.25);
}

/// Time of one nest.
struct NestTime {
    double computing = 0, loading = 0;
    std::vector<Traffic> traffic{};
    double seconds = 0;
};

/// `lines`: of the whole program, which stay where they fit.
NestTime timeOf(const Nest &nest, double lines, const target::Machine &machine)
{
    const double cycle = 2 * machine.vectors.bits() / 32.0 / machine.flops;
    NestTime time{.computing = (nest.work.computing + nest.work.loops) * cycle / nest.threads,
                  .loading = nest.work.loading * cycle / nest.threads};
    double slowest = 0;
    for (std::size_t i = 0; i + 1 < machine.levels.size(); ++i) {
        const target::MemoryLevel &cache = machine.levels[i], &beyond = machine.levels[i + 1];
        const bool isShared = i + 2 == machine.levels.size();
        const auto size = static_cast<double>(cache.bytes);
        const Cache room{size * shareOfCache / (isShared ? nest.threads : 1), size / ways};
        const bool stays = lines <= (isShared ? size * shareOfCache : room.capacity);
        const double bytes = stays ? 0 : nest.traffic(room);
        time.traffic.push_back({beyond.name, bytes, bytes / beyond.bytesPerSecond / nest.threads});
        slowest = together({slowest, time.traffic.back().seconds});
    }
    time.seconds = together({time.computing, time.loading, slowest}) + nest.regions * regionSeconds;
    return time;
}

void add(Prediction &prediction, const NestTime &time, double threads)
{
    for (std::size_t i = 0; i < time.traffic.size(); ++i) {
        if (prediction.traffic.size() <= i)
            prediction.traffic.push_back({time.traffic[i].level, 0, 0});
        prediction.traffic[i].bytes += time.traffic[i].bytes;
        prediction.traffic[i].seconds += time.traffic[i].seconds;
    }
    prediction.computing += time.computing;
    prediction.loading += time.loading;
    prediction.threadsAtWork = (prediction.threadsAtWork * prediction.seconds + threads * time.seconds)
                               / std::max(1e-12, prediction.seconds + time.seconds);
    prediction.seconds += time.seconds;
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

std::optional<Prediction> predict(const schedule::State &state, const target::Machine &machine)
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
        const Nest nest(*index, top, machine, Nest::Threads::All);
        if (!nest.isKnown)
            return std::nullopt;
        NestTime time = timeOf(nest, lines, machine);
        if (nest.threads > 1) { // which take at best their share of what one takes
            const Nest alone(*index, top, machine, Nest::Threads::One);
            time.seconds = std::max(time.seconds, timeOf(alone, lines, machine).seconds / nest.threads);
        }
        add(prediction, time, nest.threads);
        if (nest.work.computing > longest) {
            longest = nest.work.computing;
            waits = nest.work.waits;
        }
    }
    prediction.limit = limitOf(prediction, waits);
    return prediction;
}

} // namespace nestwright::explore
