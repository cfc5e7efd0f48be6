// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/device/warp_accesses.h"

#include "core/analysis/access/integer_code.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/block_marker.h"
#include "core/ir/threads.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace nestwright::analysis {

using ir::Expr;
using ir::Stmt;
using support::StmtId;

namespace {

constexpr std::int64_t bankCount = 32, wordBytes = 4, sectorBytes = 32, widestBytes = 16;
constexpr std::size_t mostSampled = 64;
constexpr std::int64_t mostThreads = 1024;

/// A loop around an access: the variable, and the values of it that are tried.
struct Tried {
    ir::Var var;
    std::vector<std::int64_t> values;
};

std::vector<std::int64_t> samplesOf(std::int64_t min, std::int64_t extent)
{
    std::vector<std::int64_t> values{min, min + 1, min + extent / 2, min + extent - 1};
    std::ranges::sort(values);
    const auto [first, last] = std::ranges::unique(values);
    values.erase(first, last);
    std::erase_if(values, [&](std::int64_t value) { return value < min || value >= min + extent; });
    return values;
}

/// All combinations of the sampled values of several loops; later loops get fewer values where there would be
/// too many combinations.
class SampledIterations {
public:
    explicit SampledIterations(std::vector<Tried> loops) : m_loops(std::move(loops)), m_places(m_loops.size())
    {
        std::size_t count = 1;
        for (Tried &loop : m_loops) {
            while (loop.values.size() > 1 && count * loop.values.size() > mostSampled)
                loop.values.pop_back();
            count *= loop.values.size();
            m_isOver = m_isOver || loop.values.empty();
        }
    }
    bool isOver() const { return m_isOver; }
    void next()
    {
        for (std::size_t i = m_places.size(); i-- > 0;) {
            if (++m_places[i] < m_loops[i].values.size())
                return;
            m_places[i] = 0;
        }
        m_isOver = true;
    }
    /// Writes the values to the front of `values`.
    void fill(std::vector<std::int64_t> &values) const
    {
        for (std::size_t i = 0; i < m_loops.size(); ++i)
            values[i] = m_loops[i].values[m_places[i]];
    }

private:
    std::vector<Tried> m_loops;
    std::vector<std::size_t> m_places;
    bool m_isOver = false;
};

struct ThreadLoop {
    ir::Var var;
    std::int64_t min = 0, extent = 1;
};

/// One access, ready to be evaluated: its index, and the conditions under which a thread takes part.
class AccessCode {
public:
    static std::optional<AccessCode> of(const ir::Buffer &buffer, const Expr &index,
                                        const std::vector<Expr> &conditions, std::span<const ir::Var> vars)
    {
        AccessCode code;
        const auto *ramp = index.as<ir::Ramp>();
        const std::int64_t *stride = ramp ? ir::asInt(ramp->stride) : nullptr;
        if (index.dtype().isVector() && (!ramp || ramp->base.dtype().isVector() || !stride))
            return std::nullopt;
        code.m_bytes = std::max(1, buffer.dtype().bytes());
        code.m_lanes = ramp ? ramp->lanes : 1;
        code.m_stride = stride ? *stride : 0;
        auto made = IntegerCode::of(ramp ? ramp->base : index, vars);
        if (!made)
            return std::nullopt;
        code.m_index = std::move(*made);
        for (const Expr &condition : conditions) {
            if (auto part = IntegerCode::of(condition, vars)) // another one is taken to hold
                code.m_conditions.push_back(std::move(*part));
        }
        return code;
    }

    /// Elements of a vector go one after the other, in as wide pieces as memory takes where they lie dense.
    int pieces(std::int64_t address) const
    {
        const std::int64_t all = std::int64_t{m_lanes} * m_bytes;
        if (m_lanes > 1 && m_stride == 1) {
            for (const std::int64_t wide : {widestBytes, std::int64_t{8}}) {
                if (all % wide == 0 && address % wide == 0)
                    return static_cast<int>(all / wide);
            }
        }
        return m_lanes;
    }

    /// Nothing where the index cannot be computed; no bytes where the thread takes no part.
    std::optional<LaneAccess> at(std::span<const std::int64_t> values, int piece)
    {
        for (IntegerCode &condition : m_conditions) {
            if (const auto holds = condition.eval(values); holds && *holds == 0)
                return LaneAccess{};
        }
        const auto index = m_index->eval(values);
        if (!index)
            return std::nullopt;
        const std::int64_t address = *index * m_bytes;
        if (address < 0)
            return LaneAccess{};
        const int count = pieces(address), bytes = m_lanes * m_bytes / count;
        const std::int64_t step = count == m_lanes ? m_stride * m_bytes : bytes;
        return LaneAccess{address + std::min(piece, count - 1) * step, bytes};
    }
    int mostPieces() const { return m_lanes; }

private:
    std::optional<IntegerCode> m_index;
    std::vector<IntegerCode> m_conditions;
    std::int64_t m_stride = 0;
    int m_bytes = 1, m_lanes = 1;
};

class WarpAccessFinder final : public ir::Visitor {
public:
    std::vector<WarpAccess> found;

    void stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>())
            return within(*loop);
        if (const auto *branch = s.as<ir::IfThenElse>()) {
            expr(branch->condition);
            m_conditions.push_back(branch->condition);
            stmt(branch->thenCase);
            m_conditions.back() = !branch->condition;
            if (branch->elseCase)
                stmt(branch->elseCase);
            m_conditions.pop_back();
            return;
        }
        if (const auto *mark = s.as<ir::AttrStmt>()) {
            const StmtId outer = m_place;
            if (const StmtId block = ir::markedBlock(*mark))
                m_place = block;
            children(s);
            m_place = outer;
            return;
        }
        if (const auto *store = s.as<ir::BufferStore>())
            add(store->buffer, store->indices.front(), true);
        children(s);
    }

    void expr(const Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>())
            add(load->buffer, load->indices.front(), false);
        children(e);
    }

private:
    void within(const ir::For &loop)
    {
        expr(loop.min);
        expr(loop.extent);
        const StmtId outer = std::exchange(m_place, loop.id ? loop.id : m_place);
        const std::int64_t *min = ir::asInt(loop.min), *extent = ir::asInt(loop.extent);
        if (ir::isBoundTo(loop, ir::ThreadRank::Thread)) {
            const auto axis = ir::threadAxisOf(loop);
            m_isKnown = m_isKnown && min && extent && *extent > 0;
            m_threads[axis->dimension] = {loop.var, min ? *min : 0, extent ? *extent : 1};
            stmt(loop.body);
            m_threads[axis->dimension] = {};
        } else {
            const std::int64_t start = min ? *min : 0;
            m_loops.push_back({loop.var, samplesOf(start, extent ? std::max<std::int64_t>(*extent, 0) : 1)});
            const bool isRepeated = extent && !ir::isBoundTo(loop, ir::ThreadRank::Block);
            const double outside = m_times;
            m_times *= isRepeated ? static_cast<double>(*extent) : 1;
            stmt(loop.body);
            m_times = outside;
            m_loops.pop_back();
        }
        m_place = outer;
    }

    WarpAccess &entry(const ir::Buffer &buffer, bool isStore)
    {
        for (WarpAccess &access : found) {
            if (access.place == m_place && access.buffer->data == buffer->data && access.isStore == isStore)
                return access;
        }
        WarpAccess access;
        access.place = m_place;
        access.buffer = buffer;
        access.isStore = isStore;
        return found.emplace_back(std::move(access));
    }

    void add(const ir::Buffer &buffer, const Expr &index, bool isStore)
    {
        const ir::MemoryRank rank = ir::memoryRankOf(buffer->scope);
        if (!m_isKnown || (rank != ir::MemoryRank::Block && rank != ir::MemoryRank::Device))
            return;
        std::vector<ir::Var> vars;
        for (const Tried &loop : m_loops)
            vars.push_back(loop.var);
        const std::size_t firstThread = vars.size();
        std::int64_t threads = 1;
        for (const ThreadLoop &axis : m_threads) {
            vars.push_back(axis.var ? axis.var : ir::Var("none", ir::DataType::int32()));
            threads *= axis.extent;
        }
        auto code = AccessCode::of(buffer, index, m_conditions, vars);
        if (!code || threads > mostThreads)
            return;
        std::vector<std::int64_t> values(vars.size());
        std::array<LaneAccess, ir::warpSize> lanes{};
        WarpAccess worst;
        bool isComputed = false;
        for (SampledIterations iterations(m_loops); !iterations.isOver(); iterations.next()) {
            iterations.fill(values);
            for (std::int64_t first = 0; first < threads; first += ir::warpSize) {
                const auto count =
                    static_cast<std::size_t>(std::min<std::int64_t>(ir::warpSize, threads - first));
                for (int piece = 0; piece < code->mostPieces(); ++piece) {
                    for (std::size_t lane = 0; lane < count; ++lane) {
                        place(first + static_cast<std::int64_t>(lane),
                              std::span(values).subspan(firstThread));
                        const auto access = code->at(values, piece);
                        if (!access)
                            return;
                        lanes[lane] = *access;
                    }
                    const std::span<const LaneAccess> all(lanes.data(), count);
                    isComputed = true;
                    worst.conflictDegree = std::max(worst.conflictDegree, bankConflictDegree(all));
                    const Sectors sectors = sectorsOf(all);
                    if (sectors.touched * std::max(1, worst.sectors.fewest)
                        > worst.sectors.touched * std::max(1, sectors.fewest))
                        worst.sectors = sectors;
                }
            }
        }
        if (!isComputed)
            return;
        WarpAccess &known = entry(buffer, isStore);
        known.times = std::max(known.times, m_times);
        if (rank == ir::MemoryRank::Block)
            known.conflictDegree = std::max(known.conflictDegree, worst.conflictDegree);
        else if (worst.sectors.touched * std::max(1, known.sectors.fewest)
                 > known.sectors.touched * std::max(1, worst.sectors.fewest))
            known.sectors = worst.sectors;
    }

    /// The values of the axes for a thread, counted with x the fastest.
    void place(std::int64_t thread, std::span<std::int64_t> values) const
    {
        for (std::size_t d = 0; d < m_threads.size(); ++d) {
            values[d] = m_threads[d].min + thread % m_threads[d].extent;
            thread /= m_threads[d].extent;
        }
    }

    std::vector<Tried> m_loops;
    std::array<ThreadLoop, ir::threadDimensions> m_threads;
    std::vector<Expr> m_conditions;
    StmtId m_place;
    double m_times = 1;
    bool m_isKnown = true;
};

} // namespace

int bankConflictDegree(std::span<const LaneAccess> lanes)
{
    int widest = 0;
    for (const LaneAccess &lane : lanes)
        widest = std::max(widest, lane.bytes);
    const std::size_t together = ir::warpSize / static_cast<std::size_t>(std::clamp(widest / 4, 1, 4));
    int degree = 1;
    std::vector<std::int64_t> words;
    for (std::size_t first = 0; first < lanes.size(); first += together) {
        words.clear();
        for (const LaneAccess &lane : lanes.subspan(first, std::min(together, lanes.size() - first))) {
            const std::int64_t end = lane.address + lane.bytes;
            for (std::int64_t word = lane.address / wordBytes; lane.bytes > 0 && word * wordBytes < end;
                 ++word)
                words.push_back(word);
        }
        std::ranges::sort(words);
        const auto repeated = std::ranges::unique(words);
        words.erase(repeated.begin(), repeated.end());
        std::array<int, bankCount> ofBank{};
        for (const std::int64_t word : words)
            degree = std::max(degree, ++ofBank[static_cast<std::size_t>(word % bankCount)]);
    }
    return degree;
}

Sectors sectorsOf(std::span<const LaneAccess> lanes)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> parts; // begin and end
    for (const LaneAccess &lane : lanes) {
        if (lane.bytes > 0)
            parts.emplace_back(lane.address, lane.address + lane.bytes);
    }
    std::ranges::sort(parts);
    Sectors sectors;
    std::int64_t bytes = 0, upTo = 0, next = 0; // what is counted ends there; so do its sectors
    for (const auto &[begin, end] : parts) {
        bytes += std::max<std::int64_t>(0, end - std::max(begin, upTo));
        upTo = std::max(upTo, end);
        const std::int64_t first = std::max(begin / sectorBytes, next), last = (end - 1) / sectorBytes;
        sectors.touched += static_cast<int>(std::max<std::int64_t>(0, last - first + 1));
        next = std::max(next, last + 1);
    }
    sectors.fewest = static_cast<int>((bytes + sectorBytes - 1) / sectorBytes);
    return sectors;
}

std::vector<WarpAccess> warpAccesses(const ir::PrimFunc &function)
{
    WarpAccessFinder finder;
    finder.stmt(function.body);
    return std::move(finder.found);
}

} // namespace nestwright::analysis
