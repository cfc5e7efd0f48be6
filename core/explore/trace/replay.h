// SPDX-License-Identifier: Apache-2.0
/// A run of a program kept step by step: which elements each iteration touches, how long ago their lines were
/// touched last, and which cache holds them.
#pragma once

#include "core/explore/trace/access_trace.h"
#include "core/explore/trace/cache_counts.h"

#include <memory>
#include <optional>

namespace nestwright::explore {

/// Classes of reuse distance, in lines touched since: none, fewer than 4, 16, 64, 256 or 1024, or
/// more; the last class is a first touch.
inline constexpr std::uint8_t reuseClasses = 8, firstTouchClass = reuseClasses - 1;
std::uint8_t reuseClass(std::optional<std::uint32_t> distance);
/// "4 … 15 lines".
std::string reuseText(std::uint8_t reuseClass);

struct ReplayAccess {
    std::uint32_t element = 0; ///< from the begin of the buffer
    std::uint16_t access = 0;  ///< of TraceTables::accesses
    std::uint8_t level = 0;    ///< that holds it; the number of caches where none does
    std::uint8_t reuse = 0;    ///< class
};

/// A loop or statement of the traced program, in its order.
struct ReplayRow {
    support::StmtId stmt{};
    std::string text;
    int depth = 0;
    int parent = -1; ///< row around it
    int loop = -1;   ///< of TraceTables::loops; -1: a statement
};

/// Value of a loop's variable from `step` on.
struct LoopValue {
    std::uint32_t step = 0;
    std::int64_t value = 0;
};

/// A step is an iteration of an innermost loop, with accesses.
struct Replay {
    TraceTables tables;
    std::vector<ReplayRow> rows;
    std::vector<target::MemoryLevel> levels;
    std::vector<ReplayAccess> accesses;
    std::vector<std::uint32_t> firstAccess;         ///< by step, and the number of all accesses behind them
    std::vector<std::vector<LoopValue>> loopValues; ///< by loop, ascending steps
    bool isWhole = true;                            ///< the run went to its end

    std::size_t stepCount() const { return firstAccess.size() - 1; }
    std::span<const ReplayAccess> accessesOf(std::size_t step) const
    {
        return std::span(accesses).subspan(firstAccess[step], firstAccess[step + 1] - firstAccess[step]);
    }
    /// Nothing before its first iteration.
    std::optional<std::int64_t> valueOf(std::size_t loop, std::size_t step) const;
    /// The step at which the loop begins its next iteration behind `step`, or the one before it
    /// (`backwards`); the last or first step where there is none.
    std::size_t iterationFrom(std::size_t loop, std::size_t step, bool backwards) const;
    /// The row of the statement that accesses most at that step; -1 where it is none of the program's.
    int rowAt(std::size_t step) const;
};

/// Most accesses of a replay: a minute at 60 frames a second and 1000 steps a frame; 8 bytes each.
inline constexpr std::int64_t mostReplayed = 1 << 22;
/// Most elements of all buffers of a replay; a cursor keeps some bytes for each element.
inline constexpr std::int64_t mostReplayedElements = 1 << 24;

/// Records a run of the function (traceableFunction), at most so many accesses. Errors are those of
/// traceAccesses, and "explore.too-many-elements".
support::Result<Replay> recordReplay(const ir::PrimFunc &function,
                                     std::span<const target::MemoryLevel> levels,
                                     std::int64_t mostAccesses = mostReplayed);

/// A place in a replay with all that led there.
class ReplayCursor {
public:
    explicit ReplayCursor(std::shared_ptr<const Replay> replay);

    const Replay &replay() const { return *m_replay; }
    /// Steps that were made.
    std::size_t position() const { return m_state.position; }
    /// Makes the steps up to there, where it lies behind from a place that was kept.
    void moveTo(std::size_t position);
    /// Counts of levels that held the accesses made so far, by access of the tables.
    const std::vector<LevelCounts> &held() const { return m_state.held; }
    /// For each element of the buffer, 1 more than the number of its last access; 0 where there was none.
    std::span<const std::uint32_t> lastTouches(std::size_t buffer) const
    {
        return m_state.lastTouches[buffer];
    }
    /// The element of the buffer that was accessed last, 0 before.
    std::uint32_t lastElement(std::size_t buffer) const { return m_state.lastElements[buffer]; }

private:
    /// All that the steps so far led to.
    struct State {
        std::size_t position = 0;
        std::vector<LevelCounts> held;
        std::vector<std::vector<std::uint32_t>> lastTouches;
        std::vector<std::uint32_t> lastElements;
    };
    void keep();

    std::shared_ptr<const Replay> m_replay;
    State m_state;
    std::vector<State> m_kept; ///< ascending, the first of no step; those passed on the way
    std::size_t m_elements = 0;
};

} // namespace nestwright::explore
