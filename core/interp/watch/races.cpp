// SPDX-License-Identifier: Apache-2.0
#include "core/interp/watch/races.h"

#include "core/interp/codes.h"
#include "core/interp/thread_group.h"
#include "core/ir/threads.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <utility>

namespace nestwright::interp {

std::int64_t &RaceFinder::warpEpoch(std::size_t warp)
{
    if (warp >= m_warpEpochs.size())
        m_warpEpochs.resize(warp + 1, 0);
    return m_warpEpochs[warp];
}

void RaceFinder::meetWarp(std::size_t warp) { ++warpEpoch(warp); }

bool RaceFinder::isOrdered(const Use &before, const Use &now)
{
    if (!before.place)
        return true;
    if (before.block != now.block)
        return false;
    const bool sameWarp = before.thread / ir::warpSize == now.thread / ir::warpSize;
    return before.thread == now.thread || before.epoch != now.epoch
           || (sameWarp && before.warpEpoch != now.warpEpoch);
}

void RaceFinder::forget(const Memory &memory)
{
    if (const auto found = m_cells.find(memory.data); found != m_cells.end())
        found->second.born = ++m_eras;
}

void RaceFinder::release(const Memory &memory)
{
    if (auto gone = m_cells.extract(memory.data))
        m_spare.push_back(std::move(gone.mapped()));
}

RaceFinder::Cells &RaceFinder::cellsOf(const Access &access)
{
    const auto [found, isNew] = m_cells.try_emplace(access.memory.data);
    Cells &cells = found->second;
    if (isNew && !m_spare.empty()) {
        cells = std::move(m_spare.back());
        m_spare.pop_back();
    }
    if (isNew)
        cells.born = ++m_eras;
    return cells;
}

std::optional<RaceFinder::Conflict> RaceFinder::conflictIn(Cell &cell, const Use &now, Verb verb,
                                                           bool changes)
{
    if (verb == Verb::Writes && !changes) {
        cell.rewrite = now;
        return std::nullopt;
    }
    if (verb == Verb::Writes) {
        for (const Conflict &before : {Conflict{cell.write, Verb::Writes},
                                       {cell.read, Verb::Reads},
                                       {cell.otherRead, Verb::Reads},
                                       {cell.rewrite, Verb::Writes}}) {
            if (!isOrdered(before.other, now))
                return before;
        }
        cell = {.write = now, .read = {}, .otherRead = {}, .rewrite = {}};
        return std::nullopt;
    }
    const bool isRewritten = cell.rewrite.place && isOrdered(cell.rewrite, now);
    if (!isRewritten && !isOrdered(cell.write, now))
        return Conflict{.other = cell.write, .verb = Verb::Writes};
    if (!isOrdered(cell.read, now))
        cell.otherRead = cell.read;
    cell.read = now;
    return std::nullopt;
}

std::optional<RaceFinder::Conflict> RaceFinder::conflict(const Frame &frame, const Access &access)
{
    const Use now{.block = m_block,
                  .epoch = m_epoch,
                  .warpEpoch = warpEpoch(frame.thread / ir::warpSize),
                  .place = &access.place,
                  .thread = static_cast<std::uint32_t>(frame.thread)};
    Cells &of = cellsOf(access);
    std::optional<Conflict> found;
    of.cells.visit(static_cast<std::size_t>(access.data - access.memory.data), access.bytes,
                   std::max(m_launch, of.born), [&](Cell &cell) {
                       found = conflictIn(cell, now, access.verb, access.changes);
                       return !found;
                   });
    return found;
}

const CodePlace *RaceFinder::lastWrite(const std::byte *memory, std::size_t byte) const
{
    const auto found = m_cells.find(memory);
    const Cell *cell = found == m_cells.end()
                           ? nullptr
                           : found->second.cells.find(byte, std::max(m_launch, found->second.born));
    return cell ? cell->write.place : nullptr;
}

void RaceFinder::report(const Frame &frame, const Access &access, const Conflict &found, std::int64_t block,
                        const std::string &element)
{
    const Use &other = found.other;
    const bool sameBlock = other.block == block;
    const std::string otherName = sameBlock ? frame.group->name(other.thread) : "a thread of another block";
    support::Diagnostic diagnostic =
        support::diagnostic(codes::race, frame.group->name(frame.thread) + ' ' + spelling(access.verb) + " '"
                                             + element + "' in " + access.place.name() + ", " + otherName
                                             + ' ' + spelling(found.verb) + " it in " + other.place->name()
                                             + ", and no barrier is between them")
            .withHint("put a barrier between the two, or have one thread do both");
    for (const CodePlace *place : {&access.place, other.place}) {
        if (place->stmt)
            diagnostic.locations.push_back({.file = {}, .stmt = place->stmt, .label = place->name()});
    }
    throw support::UserError(std::move(diagnostic));
}

} // namespace nestwright::interp
