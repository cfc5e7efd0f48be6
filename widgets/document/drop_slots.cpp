// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/drop_slots.h"

#include "core/schedule/apply.h"
#include "core/schedule/primitive.h"
#include "core/schedule/state_index.h"
#include "widgets/document/actions.h"

#include <QStringList>

#include <algorithm>

namespace nestwright::document {

using schedule::ArgList;

namespace {

DropSlot reorderSlot(const Nest &nest, const std::vector<int> &chain, std::size_t from, std::size_t to)
{
    std::vector<int> order = chain;
    const int moved = order[from];
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), moved);
    ArgList loops;
    QStringList names;
    for (std::size_t i = std::min(from, to); i <= std::max(from, to); ++i) {
        const NestRow &row = nest.rows[static_cast<std::size_t>(order[i])];
        loops.emplace_back(row.id);
        names << row.name;
    }
    DropSlot slot;
    slot.row = chain[to];
    slot.above = to < from;
    slot.steps = {{schedule::findPrimitive("reorder"), {loops}}};
    slot.label = QStringLiteral("drop here: %1").arg(names.join(QStringLiteral(", ")));
    return slot;
}

std::vector<DropSlot> loopSlots(const Nest &nest, int row, const std::stop_token &stop)
{
    std::vector<DropSlot> slots;
    const std::vector<int> chain = perfectNest(nest, row);
    const auto from = static_cast<std::size_t>(std::ranges::find(chain, row) - chain.begin());
    for (std::size_t to = 0; to < chain.size() && !stop.stop_requested(); ++to) {
        if (to == from)
            continue;
        DropSlot slot = reorderSlot(nest, chain, from, to);
        if (schedule::check(nest.state, slot.steps.front()))
            slots.push_back(std::move(slot));
    }
    return slots;
}

std::vector<DropSlot> blockSlots(const Nest &nest, StmtId block, const std::stop_token &stop)
{
    std::vector<DropSlot> slots;
    for (std::size_t i = 0; i < nest.rows.size() && !stop.stop_requested(); ++i) {
        const NestRow &loop = nest.rows[i];
        if (loop.kind != RowKind::Loop)
            continue;
        for (const char *name : {"compute_at", "reverse_compute_at"}) {
            auto step = schedule::makeStep(name, {{"block", block}, {"loop", loop.id}});
            if (!step || !schedule::check(nest.state, *step))
                continue;
            slots.push_back({.row = static_cast<int>(i),
                             .into = true,
                             .steps = {*std::move(step)},
                             .label = QStringLiteral("%1 %2").arg(
                                 QString::fromLatin1(name).replace(u'_', u' '), loop.name)});
            break;
        }
    }
    return slots;
}

/// The loops around `block` into which the copy that `cache` makes of its buffer may go.
void addCacheSlots(const Nest &nest, StmtId block, const schedule::Step &cache, const char *move,
                   const QString &label, const std::stop_token &stop, std::vector<DropSlot> &slots)
{
    const auto cached = schedule::apply(nest.state, cache);
    const auto row = nest.rowOf.find(block);
    if (!cached || cached->outputs.empty() || row == nest.rowOf.end())
        return;
    for (const int loop : nest.loopsTo(row->second)) {
        if (stop.stop_requested())
            return;
        auto step = schedule::makeStep(
            move, {{"block", cached->id(0)},
                   {"loop", cached->forward(nest.rows[static_cast<std::size_t>(loop)].id)}});
        const bool taken = std::ranges::any_of(slots, [&](const DropSlot &slot) { return slot.row == loop; });
        if (step && !taken && schedule::check(cached->state, *step))
            slots.push_back({.row = loop, .into = true, .steps = {cache, *std::move(step)}, .label = label});
    }
}

} // namespace

std::vector<DropSlot> dropSlots(const Nest &nest, StmtId dragged, const std::stop_token &stop)
{
    const auto found = nest.rowOf.find(dragged);
    if (found == nest.rowOf.end())
        return {};
    return nest.rows[static_cast<std::size_t>(found->second)].kind == RowKind::Loop
               ? loopSlots(nest, found->second, stop)
               : blockSlots(nest, dragged, stop);
}

std::vector<DropSlot> dropSlotsOfBuffer(const Nest &nest, const QString &buffer, BufferUse use,
                                        const std::stop_token &stop)
{
    std::vector<DropSlot> slots;
    const std::string name = buffer.toStdString();
    for (const NestRow &row : nest.rows) {
        const analysis::FunctionIndex *index =
            row.kind == RowKind::Block ? nest.state.index->of(row.id) : nullptr;
        const ir::Block *block = index ? index->block(row.id) : nullptr;
        if (!block)
            continue;
        const auto addSide = [&](const std::vector<ir::BufferRegion> &regions, const char *cache,
                                 const char *indexField, const char *move) {
            for (std::size_t i = 0; i < regions.size(); ++i) {
                if (regions[i].buffer.name() != name)
                    continue;
                const auto step = schedule::makeStep(cache, {{"block", row.id},
                                                             {indexField, static_cast<std::int64_t>(i)},
                                                             {"storage_scope", "global"}});
                if (step)
                    addCacheSlots(nest, row.id, *step, move,
                                  QStringLiteral("a copy of %1 per iteration").arg(buffer), stop, slots);
            }
        };
        if (use != BufferUse::Written)
            addSide(block->reads, "cache_read", "read_buffer_index", "compute_at");
        addSide(block->writes, "cache_write", "write_buffer_index", "reverse_compute_at");
    }
    return slots;
}

} // namespace nestwright::document
