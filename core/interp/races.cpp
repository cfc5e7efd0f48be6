// SPDX-License-Identifier: Apache-2.0
#include "core/interp/races.h"

#include "core/interp/thread_group.h"
#include "core/ir/threads.h"
#include "core/support/errors.h"

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

const RaceFinder::Use *RaceFinder::conflict(const Frame &frame, const Access &access)
{
    const Use now{.block = m_block,
                  .epoch = m_epoch,
                  .warpEpoch = warpEpoch(frame.thread / ir::warpSize),
                  .thread = frame.thread,
                  .verb = access.verb,
                  .place = &access.place};
    std::vector<Cell> &cells = m_cells[access.memory.data];
    cells.resize(static_cast<std::size_t>(access.memory.bytes));
    const auto first = static_cast<std::size_t>(access.data - access.memory.data);
    for (std::size_t i = first; i < first + access.bytes; ++i) {
        Cell &cell = cells[i];
        if (access.verb == Verb::Writes && !access.changes) {
            cell.rewrite = now;
            continue;
        }
        if (access.verb == Verb::Writes) {
            for (const Use *before : {&cell.write, &cell.read, &cell.otherRead, &cell.rewrite}) {
                if (!isOrdered(*before, now)) {
                    m_found = *before;
                    return &m_found;
                }
            }
            cell = {.write = now, .read = {}, .otherRead = {}, .rewrite = {}};
            continue;
        }
        const bool isRewritten = cell.rewrite.place && isOrdered(cell.rewrite, now);
        if (!isRewritten && !isOrdered(cell.write, now)) {
            m_found = cell.write;
            return &m_found;
        }
        if (!isOrdered(cell.read, now))
            cell.otherRead = cell.read;
        cell.read = now;
    }
    return nullptr;
}

const CodePlace *RaceFinder::lastWrite(const std::byte *memory, std::size_t byte) const
{
    const auto found = m_cells.find(memory);
    return found == m_cells.end() || byte >= found->second.size() ? nullptr : found->second[byte].write.place;
}

void RaceFinder::report(const Frame &frame, const Access &access, const Use &other, std::int64_t block,
                        const std::string &element)
{
    const bool sameBlock = other.block == block;
    const std::string otherName = sameBlock ? frame.group->name(other.thread) : "a thread of another block";
    support::Diagnostic diagnostic =
        support::diagnostic("interp.race", frame.group->name(frame.thread) + ' ' + spelling(access.verb)
                                               + " '" + element + "' in " + access.place.name() + ", "
                                               + otherName + ' ' + spelling(other.verb) + " it in "
                                               + other.place->name() + ", and no barrier is between them")
            .withHint("put a barrier between the two, or have one thread do both");
    for (const CodePlace *place : {&access.place, other.place}) {
        if (place->stmt)
            diagnostic.locations.push_back({.file = {}, .stmt = place->stmt, .label = place->name()});
    }
    throw support::UserError(std::move(diagnostic));
}

} // namespace nestwright::interp
