// SPDX-License-Identifier: Apache-2.0
#include "core/explore/trace/replay.h"

#include "core/explore/trace/cache_simulation.h"
#include "core/explore/trace/replay_rows.h"
#include "core/explore/trace/reuse_distance.h"

#include <algorithm>
#include <array>
#include <bit>
#include <format>

namespace nestwright::explore {

using interp::TraceEvent;

namespace {

constexpr std::int64_t eventsPerAccess = 8; ///< where loops run without accesses

class ReplayRecorder {
public:
    ReplayRecorder(Replay &replay, std::int64_t mostAccesses)
        : m_replay(replay)
        , m_caches(replay.levels)
        , m_lineBits(std::countr_zero(
              static_cast<std::uint64_t>(replay.levels.empty() ? 64 : replay.levels.front().lineBytes)))
        , m_most(mostAccesses)
        , m_eventsLeft(eventsPerAccess * mostAccesses)
    {
    }

    bool take(const TraceTables &tables, std::span<const TraceEvent> events)
    {
        m_replay.loopValues.resize(tables.loops.size());
        for (const TraceEvent &event : events) {
            const bool isFull = std::ssize(m_replay.accesses) >= m_most || --m_eventsLeft < 0;
            if (isFull && event.kind != TraceEvent::Memory) {
                m_replay.isWhole = false;
                return false;
            }
            if (event.kind == TraceEvent::Access)
                addAccess(tables, event);
            else if (event.kind == TraceEvent::Iteration)
                beginIteration(event);
        }
        return true;
    }

    void endStep()
    {
        const auto count = static_cast<std::uint32_t>(m_replay.accesses.size());
        if (m_replay.firstAccess.back() != count)
            m_replay.firstAccess.push_back(count);
    }

private:
    void beginIteration(const TraceEvent &event)
    {
        endStep();
        const auto step = static_cast<std::uint32_t>(m_replay.firstAccess.size() - 1);
        std::vector<LoopValue> &values = m_replay.loopValues[event.site];
        if (!values.empty() && values.back().step == step)
            values.back().value = event.value; // the iteration before it touched nothing
        else
            values.push_back({.step = step, .value = event.value});
    }

    void addAccess(const TraceTables &tables, const TraceEvent &event)
    {
        const std::uint64_t address = tables.addressOf(event);
        m_replay.accesses.push_back(
            {.element = static_cast<std::uint32_t>(event.value / tables.buffers[event.memory].elementBytes),
             .access = static_cast<std::uint16_t>(tables.accessOf(event)),
             .level = static_cast<std::uint8_t>(m_caches.access(address)),
             .reuse = reuseClass(m_distances.touch(address >> m_lineBits))});
    }

    Replay &m_replay;
    CacheSimulation m_caches;
    ReuseDistance m_distances;
    int m_lineBits;
    std::int64_t m_most, m_eventsLeft;
};

} // namespace

std::uint8_t reuseClass(std::optional<std::uint32_t> distance)
{
    if (!distance)
        return firstTouchClass;
    return static_cast<std::uint8_t>(std::min((std::bit_width(*distance) + 1) / 2, firstTouchClass - 1));
}

std::string reuseText(std::uint8_t reuseClass)
{
    constexpr std::array<const char *, reuseClasses> texts{
        "same line",      "1 … 3 lines",      "4 … 15 lines",       "16 … 63 lines",
        "64 … 255 lines", "256 … 1023 lines", "1024 lines or more", "first touch"};
    return texts.at(reuseClass);
}

std::optional<std::int64_t> Replay::valueOf(std::size_t loop, std::size_t step) const
{
    const std::vector<LoopValue> &values = loopValues[loop];
    const auto next = std::ranges::upper_bound(values, step, {}, &LoopValue::step);
    return next == values.begin() ? std::nullopt : std::optional(std::prev(next)->value);
}

std::size_t Replay::iterationFrom(std::size_t loop, std::size_t step, bool backwards) const
{
    const std::vector<LoopValue> &values = loopValues[loop];
    if (backwards) {
        const auto here = std::ranges::lower_bound(values, step, {}, &LoopValue::step);
        return here == values.begin() ? 0 : std::prev(here)->step;
    }
    const auto next = std::ranges::upper_bound(values, step, {}, &LoopValue::step);
    const std::size_t last = stepCount() == 0 ? 0 : stepCount() - 1;
    return next == values.end() ? last : std::min<std::size_t>(next->step, last);
}

int Replay::rowAt(std::size_t step) const
{
    if (step >= stepCount() || accessesOf(step).empty())
        return -1;
    const support::StmtId stmt = tables.accesses[accessesOf(step).back().access].stmt;
    const auto row = std::ranges::find_last(rows, stmt, &ReplayRow::stmt); // the first may set it to 0
    return row.empty() ? -1 : static_cast<int>(row.begin() - rows.begin());
}

support::Result<Replay> recordReplay(const ir::PrimFunc &function,
                                     std::span<const target::MemoryLevel> levels, std::int64_t mostAccesses)
{
    Replay replay;
    replay.levels.assign(levels.begin(), levels.end());
    replay.firstAccess = {0};
    ReplayRecorder recorder(replay, mostAccesses);
    auto tables =
        traceAccesses(function, {}, [&](const TraceTables &known, std::span<const TraceEvent> events) {
            return recorder.take(known, events);
        });
    if (!tables)
        return support::fail(std::move(tables.error()));
    std::int64_t elements = 0;
    for (const TracedBuffer &buffer : tables->buffers)
        elements += buffer.bytes / buffer.elementBytes;
    if (elements > mostReplayedElements)
        return support::fail(
            support::diagnostic("explore.too-many-elements",
                                std::format("the buffers have {} elements, but at most {} are played",
                                            elements, mostReplayedElements))
                .withHint("choose smaller extents"));
    recorder.endStep();
    replay.tables = *std::move(tables);
    replay.loopValues.resize(replay.tables.loops.size());
    replay.rows = replayRows(function, replay.tables);
    return replay;
}

ReplayCursor::ReplayCursor(std::shared_ptr<const Replay> replay) : m_replay(std::move(replay))
{
    const TraceTables &tables = m_replay->tables;
    m_state.held.assign(tables.accesses.size(), LevelCounts(m_replay->levels.size() + 1, 0));
    m_state.lastElements.resize(tables.buffers.size());
    for (const TracedBuffer &buffer : tables.buffers) {
        const auto elements = static_cast<std::size_t>(buffer.bytes / buffer.elementBytes);
        m_state.lastTouches.emplace_back(elements, 0);
        m_elements += elements;
    }
    m_kept.push_back(m_state);
}

/// Keeps the place where it lies far enough behind those that are kept, so that going back takes little.
void ReplayCursor::keep()
{
    constexpr std::size_t mostKeptElements = 1 << 20;
    constexpr std::uint32_t accessesApart = 1 << 18;
    const std::uint32_t here = m_replay->firstAccess[m_state.position];
    if (m_elements <= mostKeptElements
        && here >= m_replay->firstAccess[m_kept.back().position] + accessesApart)
        m_kept.push_back(m_state);
}

void ReplayCursor::moveTo(std::size_t position)
{
    position = std::min(position, m_replay->stepCount());
    if (position < m_state.position)
        m_state = *std::prev(std::ranges::upper_bound(m_kept, position, {}, &State::position));
    constexpr std::size_t stepsApart = 1 << 14;
    while (m_state.position < position) {
        const std::size_t next = std::min(position, m_state.position + stepsApart);
        const std::uint32_t end = m_replay->firstAccess[next];
        for (std::uint32_t i = m_replay->firstAccess[m_state.position]; i < end; ++i) {
            const ReplayAccess &access = m_replay->accesses[i];
            const std::size_t buffer = m_replay->tables.accesses[access.access].buffer;
            ++m_state.held[access.access][access.level];
            m_state.lastTouches[buffer][access.element] = i + 1;
            m_state.lastElements[buffer] = access.element;
        }
        m_state.position = next;
        keep();
    }
}

} // namespace nestwright::explore
