// SPDX-License-Identifier: Apache-2.0
#include "core/interp/races.h"

#include "core/interp/thread_group.h"
#include "core/ir/threads.h"
#include "core/support/errors.h"

#include <algorithm>
#include <numeric>
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

RaceFinder::Cell &RaceFinder::Cells::at(std::size_t index, std::uint64_t era)
{
    const std::size_t page = index / pageSize;
    if (page >= pages.size())
        pages.resize(page + 1);
    if (!pages[page])
        pages[page] = std::make_unique<Page>();
    Cell &cell = (*pages[page])[index % pageSize];
    if (cell.era < era)
        cell = {.era = era, .write = {}, .read = {}, .otherRead = {}, .rewrite = {}};
    return cell;
}

/// Several cells in place of each, with what is known of it.
void RaceFinder::Cells::refine(std::size_t finer)
{
    Cells result{.unit = finer, .born = born, .pages = {}};
    const std::size_t parts = unit / finer;
    for (std::size_t page = 0; page < pages.size(); ++page) {
        for (std::size_t i = 0; pages[page] && i < pageSize; ++i) {
            const Cell &cell = (*pages[page])[i];
            for (std::size_t part = 0; cell.era > 0 && part < parts; ++part)
                result.at((page * pageSize + i) * parts + part, cell.era) = cell;
        }
    }
    *this = std::move(result);
}

RaceFinder::Cells &RaceFinder::cellsOf(const Access &access)
{
    const auto [found, isNew] = m_cells.try_emplace(access.memory.data);
    Cells &cells = found->second;
    if (isNew && !m_spare.empty()) {
        cells = std::move(m_spare.back());
        m_spare.pop_back();
    }
    if (isNew) {
        cells.unit = 0;
        cells.born = ++m_eras;
    }
    // Cells are as large as all accesses allow: one never holds parts of two elements.
    const auto first = static_cast<std::size_t>(access.data - access.memory.data);
    const std::size_t unit = std::gcd(std::gcd(cells.unit, access.bytes), first);
    if (cells.unit != 0 && unit != cells.unit)
        cells.refine(unit);
    cells.unit = unit;
    return cells;
}

std::optional<RaceFinder::Conflict> RaceFinder::conflict(const Frame &frame, const Access &access)
{
    const Use now{.block = m_block,
                  .epoch = m_epoch,
                  .warpEpoch = warpEpoch(frame.thread / ir::warpSize),
                  .place = &access.place,
                  .thread = static_cast<std::uint32_t>(frame.thread)};
    Cells &cells = cellsOf(access);
    const std::uint64_t era = std::max(m_launch, cells.born);
    const std::size_t first = static_cast<std::size_t>(access.data - access.memory.data) / cells.unit;
    for (std::size_t i = first; i < first + access.bytes / cells.unit; ++i) {
        Cell &cell = cells.at(i, era);
        if (access.verb == Verb::Writes && !access.changes) {
            cell.rewrite = now;
            continue;
        }
        if (access.verb == Verb::Writes) {
            for (const Conflict &before : {Conflict{cell.write, Verb::Writes},
                                           {cell.read, Verb::Reads},
                                           {cell.otherRead, Verb::Reads},
                                           {cell.rewrite, Verb::Writes}}) {
                if (!isOrdered(before.other, now))
                    return before;
            }
            cell = {.era = era, .write = now, .read = {}, .otherRead = {}, .rewrite = {}};
            continue;
        }
        const bool isRewritten = cell.rewrite.place && isOrdered(cell.rewrite, now);
        if (!isRewritten && !isOrdered(cell.write, now))
            return Conflict{.other = cell.write, .verb = Verb::Writes};
        if (!isOrdered(cell.read, now))
            cell.otherRead = cell.read;
        cell.read = now;
    }
    return std::nullopt;
}

const CodePlace *RaceFinder::lastWrite(const std::byte *memory, std::size_t byte) const
{
    const auto found = m_cells.find(memory);
    if (found == m_cells.end() || found->second.unit == 0)
        return nullptr;
    const Cells &cells = found->second;
    const std::size_t index = byte / cells.unit, page = index / pageSize;
    if (page >= cells.pages.size() || !cells.pages[page])
        return nullptr;
    const Cell &cell = (*cells.pages[page])[index % pageSize];
    return cell.era < std::max(m_launch, cells.born) ? nullptr : cell.write.place;
}

void RaceFinder::report(const Frame &frame, const Access &access, const Conflict &found, std::int64_t block,
                        const std::string &element)
{
    const Use &other = found.other;
    const bool sameBlock = other.block == block;
    const std::string otherName = sameBlock ? frame.group->name(other.thread) : "a thread of another block";
    support::Diagnostic diagnostic =
        support::diagnostic("interp.race", frame.group->name(frame.thread) + ' ' + spelling(access.verb)
                                               + " '" + element + "' in " + access.place.name() + ", "
                                               + otherName + ' ' + spelling(found.verb) + " it in "
                                               + other.place->name() + ", and no barrier is between them")
            .withHint("put a barrier between the two, or have one thread do both");
    for (const CodePlace *place : {&access.place, other.place}) {
        if (place->stmt)
            diagnostic.locations.push_back({.file = {}, .stmt = place->stmt, .label = place->name()});
    }
    throw support::UserError(std::move(diagnostic));
}

} // namespace nestwright::interp
