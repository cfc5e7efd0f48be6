// SPDX-License-Identifier: Apache-2.0
#include "core/interp/watch/iteration_races.h"

#include "core/interp/codes.h"
#include "core/support/errors/errors.h"

#include <format>

namespace nestwright::interp {

void IterationRaces::enterLoop(const std::string &variable)
{
    m_loops.push_back({.variable = &variable, .number = ++m_runs, .outer = m_now});
}

void IterationRaces::leaveLoop()
{
    m_now = m_loops.back().outer;
    m_loops.pop_back();
    if (m_loops.empty()) { // all that follows waits for it
        ++m_era;
        m_strands.resize(1);
    }
}

void IterationRaces::beginIteration(std::int64_t value)
{
    const Loop &loop = m_loops.back();
    m_now = static_cast<std::uint32_t>(m_strands.size());
    m_strands.push_back({.parent = loop.outer,
                         .loop = loop.number,
                         .depth = static_cast<std::int32_t>(m_loops.size()),
                         .value = value,
                         .variable = loop.variable});
}

void IterationRaces::forget(const std::byte *memory)
{
    const auto found = m_cells.find(memory);
    if (found != m_cells.end() && found->second.run == m_era)
        found->second.born = static_cast<std::uint32_t>(m_strands.size());
}

bool IterationRaces::isOrdered(std::uint32_t before, std::uint32_t now) const
{
    if (before == now || before == 0 || now == 0)
        return true;
    while (m_strands[before].depth > m_strands[now].depth)
        before = m_strands[before].parent;
    while (m_strands[now].depth > m_strands[before].depth)
        now = m_strands[now].parent;
    while (before != now && m_strands[before].parent != m_strands[now].parent) {
        before = m_strands[before].parent;
        now = m_strands[now].parent;
    }
    return before == now || m_strands[before].loop != m_strands[now].loop;
}

std::optional<IterationRaces::Use> IterationRaces::conflictIn(Cell &cell, const Access &access,
                                                              std::uint32_t born)
{
    const auto isOrderedBefore = [&](std::uint32_t strand) {
        return strand < born || isOrdered(strand, m_now);
    };
    if (access.verb == Verb::Writes && !access.changes) {
        cell.rewrite = m_now;
        return std::nullopt;
    }
    if (access.verb == Verb::Writes) {
        for (const std::uint32_t read : {cell.read, cell.otherRead}) {
            if (!isOrderedBefore(read))
                return Use{read, cell.reader, Verb::Reads};
        }
        for (const std::uint32_t write : {cell.write, cell.rewrite}) {
            if (!isOrderedBefore(write))
                return Use{write, cell.writer ? cell.writer : &access.place, Verb::Writes};
        }
        cell = {.write = m_now, .writer = &access.place};
        return std::nullopt;
    }
    const bool isRewritten = cell.rewrite != 0 && isOrderedBefore(cell.rewrite);
    if (!isRewritten && !isOrderedBefore(cell.write))
        return Use{cell.write, cell.writer, Verb::Writes};
    if (!isOrderedBefore(cell.read))
        cell.otherRead = cell.read;
    cell.read = m_now;
    cell.reader = &access.place;
    return std::nullopt;
}

std::optional<IterationRaces::Use> IterationRaces::conflict(const Access &access)
{
    Cells &of = m_cells[access.memory.data];
    if (of.run != m_era) {
        of.born = 0;
        of.run = m_era;
    }
    std::optional<Use> found;
    of.cells.visit(static_cast<std::size_t>(access.data - access.memory.data), access.bytes, m_era,
                   [&](Cell &cell) {
                       found = conflictIn(cell, access, of.born);
                       return !found;
                   });
    return found;
}

void IterationRaces::report(const Access &access, const Use &other, const std::string &element) const
{
    std::uint32_t mine = m_now, theirs = other.strand;
    while (m_strands[mine].depth > m_strands[theirs].depth)
        mine = m_strands[mine].parent;
    while (m_strands[theirs].depth > m_strands[mine].depth)
        theirs = m_strands[theirs].parent;
    while (m_strands[mine].parent != m_strands[theirs].parent) {
        mine = m_strands[mine].parent;
        theirs = m_strands[theirs].parent;
    }
    support::Diagnostic diagnostic =
        support::diagnostic(
            codes::race,
            std::format("iteration {} of the parallel loop '{}' {} '{}' in {}, iteration {} {} it in {}, and "
                        "they may run at the same time",
                        m_strands[mine].value, *m_strands[mine].variable, spelling(access.verb), element,
                        access.place.name(), m_strands[theirs].value, spelling(other.verb),
                        other.place->name()))
            .withHint("give each iteration elements of its own, or leave the loop serial");
    for (const CodePlace *place : {&access.place, other.place}) {
        if (place->stmt)
            diagnostic.locations.push_back({.file = {}, .stmt = place->stmt, .label = place->name()});
    }
    throw support::UserError(std::move(diagnostic));
}

} // namespace nestwright::interp
