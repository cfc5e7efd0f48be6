// SPDX-License-Identifier: Apache-2.0
/// Races between threads of a device.
#pragma once

#include "core/interp/frame.h"
#include "core/interp/memory_cells.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestwright::interp {

enum class Verb : std::uint8_t { Reads, Writes };
inline const char *spelling(Verb verb) { return verb == Verb::Reads ? "reads" : "writes"; }

/// Finds two threads of a launch that access the same byte, one of them to write, with no barrier between.
/// Threads of different blocks never meet. Threads may write the value that is there already, and what they
/// read then is their own.
class RaceFinder {
public:
    /// An access of the running thread.
    struct Access {
        const Memory &memory;
        const std::byte *data = nullptr;
        std::size_t bytes = 0;
        Verb verb = {};
        const CodePlace &place;
        bool changes = true; ///< of a write: another value was there
    };

    /// All that came before is done.
    void beginLaunch() { m_launch = ++m_eras; }
    void beginBlock() { ++m_block; }
    /// All threads of the block have met.
    void meet() { ++m_epoch; }
    /// The threads of one warp of it have met.
    void meetWarp(std::size_t warp);
    /// The memory is new.
    void forget(const Memory &memory);
    /// The memory is gone: its cells serve another.
    void release(const Memory &memory);

    /// Code: "interp.race", with both places. `element` names it: "A[5]".
    template <class Element> void note(const Frame &frame, const Access &access, const Element &element)
    {
        if (frame.group && !access.memory.isPrivate) {
            if (const std::optional<Conflict> found = conflict(frame, access))
                report(frame, access, *found, m_block, element());
        }
    }

    /// Code of the last write to that byte of the memory by a thread of this launch; null where there was
    /// none.
    const CodePlace *lastWrite(const std::byte *memory, std::size_t byte) const;

private:
    struct Use {
        std::int64_t block = -1, epoch = 0, warpEpoch = 0;
        const CodePlace *place = nullptr; ///< null: there was none
        std::uint32_t thread = 0;
    };
    struct Cell {
        Use write, read, otherRead; ///< the last ones; reads of two threads where there were several
        Use rewrite;                ///< the last write of the value that was there, since `write`
    };
    struct Cells {
        MemoryCells<Cell> cells;
        std::uint64_t born = 0; ///< era since which the memory is this one
    };
    struct Conflict {
        Use other;
        Verb verb;
    };

    /// Records the access. The use that it conflicts with, if any.
    std::optional<Conflict> conflict(const Frame &frame, const Access &access);
    static std::optional<Conflict> conflictIn(Cell &cell, const Use &now, Verb verb, bool changes);
    Cells &cellsOf(const Access &access);
    static bool isOrdered(const Use &before, const Use &now);
    std::int64_t &warpEpoch(std::size_t warp);
    [[noreturn]] static void report(const Frame &frame, const Access &access, const Conflict &found,
                                    std::int64_t block, const std::string &element);

    std::unordered_map<const std::byte *, Cells> m_cells; ///< by memory
    std::vector<Cells> m_spare;                           ///< of memories that are gone
    std::uint64_t m_eras = 0, m_launch = 0;               ///< eras begin with launches and new memories
    std::int64_t m_block = 0, m_epoch = 0;
    std::vector<std::int64_t> m_warpEpochs; ///< by warp
};

} // namespace nestwright::interp
