// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/replay.h"

#include "core/schedule/codes.h"
#include "core/schedule/primitive.h"
#include "core/schedule/state_index.h"
#include "core/support/errors/errors.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

/// The loop around `block` whose variable is called so; none where there is none or several.
StmtId loopAround(const analysis::FunctionIndex &index, StmtId block, const std::string &variable)
{
    StmtId found;
    for (const StmtId loop : index.loopsOf(block)) {
        if (index.loop(loop)->var.name() != variable)
            continue;
        if (found)
            return {};
        found = loop;
    }
    return found;
}

/// Statement whose name in `now` is that of `id` in `before`.
StmtId namesake(StmtId id, const State &before, const State &now)
{
    const analysis::FunctionIndex *old = before.index->of(id);
    const analysis::FunctionIndex *index =
        old ? now.index->function(before.index->functionName(id)) : nullptr;
    if (!index)
        return {};
    if (const ir::Block *block = old->block(id)) {
        if (id == old->root())
            return index->root();
        return index->blockByName(block->name).value_or(StmtId{});
    }
    for (const StmtId below : old->childBlocks(id)) {
        const auto block = index->blockByName(old->block(below)->name);
        const StmtId loop = block ? loopAround(*index, *block, old->loop(id)->var.name()) : StmtId{};
        if (loop)
            return loop;
    }
    return {};
}

} // namespace

StmtId Replay::followed(StmtId id, const State &before, const State &now) const
{
    if (isMark(id))
        return id;
    if (const auto result = m_results.find(id); result != m_results.end() && now.index->of(result->second))
        return result->second;
    if (m_common.index->of(id) && before.index->of(id) && now.index->of(id))
        return id;
    if (const StmtId found = namesake(id, before, now))
        return found;
    if (const auto made = m_made.find(id); made != m_made.end() && now.index->of(made->second))
        return made->second;
    const analysis::FunctionIndex *index = before.index->of(id);
    throw support::UserError(
        support::diagnostic(codes::replay, std::string(index && index->block(id) ? "block" : "loop") + " '"
                                               + nameOf(before, id) + "' is not here")
            .withHint("make what is called so again, or leave the step out"));
}

ArgValue Replay::translated(const ArgValue &value, const State &before, const State &now) const
{
    ArgValue result = value;
    if (const StmtId *id = value.as<StmtId>())
        result.value = followed(*id, before, now);
    if (const ArgList *list = value.as<ArgList>()) {
        ArgList items;
        for (const ArgValue &item : *list)
            items.push_back(translated(item, before, now));
        result.value = std::move(items);
    }
    if (const ArgMap *map = value.as<ArgMap>()) {
        ArgMap items = *map;
        for (ArgValue &item : items.values)
            item = translated(item, before, now);
        result.value = std::move(items);
    }
    return result;
}

Result<Step> Replay::translated(const Step &step, const State &before, const State &now) const
{
    try {
        Step result = step;
        for (ArgValue &arg : result.args)
            arg = translated(arg, before, now);
        return result;
    } catch (const support::UserError &error) {
        return support::fail(error.diagnostic());
    }
}

void Replay::note(const ArgList &before, const ArgList &now)
{
    for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i) {
        const StmtId *old = before[i].as<StmtId>(), *result = now[i].as<StmtId>();
        if (old && result)
            m_results[*old] = *result;
    }
}

void Replay::noteMade(const State &before, const State &after, const State &nowBefore, const State &nowAfter)
{
    const std::uint32_t count = after.ids.last() - before.ids.last();
    if (count != nowAfter.ids.last() - nowBefore.ids.last())
        return;
    for (std::uint32_t i = 1; i <= count; ++i)
        m_made[StmtId{before.ids.last() + i}] = StmtId{nowBefore.ids.last() + i};
}

} // namespace nestwright::schedule
