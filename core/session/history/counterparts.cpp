// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/counterparts.h"

#include "core/schedule/state_index.h"

#include <algorithm>

namespace nestwright::session {

using support::StmtId;

namespace {

/// One step down the tree.
StmtId down(const Variant &to, StmtId id) { return to.forward(id); }

/// One step up the tree: a loop becomes its origin.
StmtId up(const Variant &from, const Variant &to, StmtId id)
{
    const auto there = [&](StmtId candidate) { return to.state->index->of(candidate) != nullptr; };
    while (id && !there(id)) {
        const analysis::FunctionIndex *index = from.state->index->of(id);
        if (!index)
            return {};
        if (const ir::For *loop = index->loop(id))
            id = loop->origin.parent;
        else if (const ir::Block *block = index->block(id))
            id = block->origin.parent;
    }
    return id;
}

} // namespace

std::vector<StmtId> counterparts(const VariantTree &tree, const std::vector<StmtId> &ids, VariantId from,
                                 VariantId to)
{
    if (from == to)
        return ids;
    const std::vector<VariantId> rise = tree.path(from);
    const std::vector<VariantId> fall = tree.path(to);
    std::size_t common = 0;
    while (common < rise.size() && common < fall.size() && rise[common] == fall[common])
        ++common;
    std::vector<StmtId> result;
    for (StmtId id : ids) {
        for (std::size_t i = rise.size(); id && i-- > common;)
            id = up(tree.at(rise[i]), tree.at(rise[i - 1]), id);
        for (std::size_t i = common; id && i < fall.size(); ++i)
            id = down(tree.at(fall[i]), id);
        if (id && tree.at(to).state->index->of(id) && std::ranges::find(result, id) == result.end())
            result.push_back(id);
    }
    return result;
}

StmtId counterpart(const VariantTree &tree, StmtId id, VariantId from, VariantId to)
{
    const std::vector<StmtId> there = counterparts(tree, {id}, from, to);
    return there.empty() ? StmtId() : there.front();
}

} // namespace nestwright::session
