// SPDX-License-Identifier: Apache-2.0
/// Races between iterations of parallel loops.
#pragma once

#include "core/interp/watch/races.h"

namespace nestwright::interp {

/// Finds two iterations of a parallel loop that access the same element, one of them to write. An iteration
/// within iterations of other parallel loops may run at the same time as all that is in another iteration of
/// the innermost loop that both are in: what a fork-join program's strands may do (Feng and Leiserson,
/// "Efficient Detection of Determinacy Races in Cilk Programs", 1997). They may write the value that is there
/// already.
class IterationRaces {
public:
    using Access = RaceFinder::Access;

    void enterLoop(const std::string &variable);
    void leaveLoop();
    void beginIteration(std::int64_t value);
    /// The memory is new.
    void forget(const std::byte *memory);

    /// Code: "interp.race", with both places. `element` names it: "A[5]".
    template <class Element> void note(const Access &access, const Element &element)
    {
        if (m_loops.empty())
            return;
        if (const std::optional<Use> other = conflict(access))
            report(access, *other, element());
    }

private:
    struct Loop {
        const std::string *variable;
        std::uint32_t number, outer; ///< of the loop's run; the strand around it
    };
    /// An iteration; number 0 is what is in none.
    struct Strand {
        std::uint32_t parent = 0, loop = 0;
        std::int32_t depth = 0;
        std::int64_t value = 0;
        const std::string *variable = nullptr;
    };
    struct Use {
        std::uint32_t strand = 0; ///< 0: there was none
        const CodePlace *place = nullptr;
        Verb verb = Verb::Reads;
    };
    struct Cell {
        std::uint32_t write = 0, read = 0, otherRead = 0, rewrite = 0; ///< strands, as in RaceFinder
        const CodePlace *writer = nullptr, *reader = nullptr;
    };
    struct Cells {
        MemoryCells<Cell> cells;
        std::uint32_t born = 0; ///< uses by earlier strands are of memory that is gone
        std::uint64_t run = 0;  ///< of the outermost loop, in which it was touched last
    };

    std::optional<Use> conflict(const Access &access);
    std::optional<Use> conflictIn(Cell &cell, const Access &access, std::uint32_t born);
    bool isOrdered(std::uint32_t before, std::uint32_t now) const;
    [[noreturn]] void report(const Access &access, const Use &other, const std::string &element) const;

    std::vector<Loop> m_loops;
    std::vector<Strand> m_strands{Strand{}};
    std::uint32_t m_now = 0, m_runs = 0;
    std::uint64_t m_era = 1; ///< of the outermost loop's run; strands are counted anew in each
    std::unordered_map<const std::byte *, Cells> m_cells;
};

/// A run of a loop; it is none of a parallel one where `variable` or `races` is null.
class ParallelRounds {
public:
    ParallelRounds(IterationRaces *races, const std::string *variable) : m_races(variable ? races : nullptr)
    {
        if (m_races)
            m_races->enterLoop(*variable);
    }
    ~ParallelRounds()
    {
        if (m_races)
            m_races->leaveLoop();
    }
    ParallelRounds(const ParallelRounds &) = delete;
    ParallelRounds &operator=(const ParallelRounds &) = delete;

    void begin(std::int64_t value) const
    {
        if (m_races)
            m_races->beginIteration(value);
    }

private:
    IterationRaces *m_races;
};

} // namespace nestwright::interp
