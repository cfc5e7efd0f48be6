// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/aliases.h"

#include "core/analysis/access/aliases.h"
#include "core/schedule/edit.h"
#include "core/schedule/state_index.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nestwright::schedule {

namespace {

bool changesMemory(const Primitive &primitive)
{
    constexpr std::array<std::string_view, 3> storage{"set_scope", "storage_align", "unsafe_set_dtype"};
    switch (primitive.group) {
    case Group::Query:
    case Group::Loops:
    case Group::Sampling: return false;
    case Group::Annotate: return std::ranges::contains(storage, primitive.name);
    case Group::Layout: return primitive.name != "reorder_block_iter_var";
    case Group::Caching:
    case Group::Movement:
    case Group::Reduction: return true;
    }
    std::unreachable();
}

} // namespace

void requireOneBufferPerMemory(const State &state, const Step &step)
{
    if (!changesMemory(*step.primitive))
        return;
    for (const ArgValue &value : step.args) {
        const StmtId *id = value.as<StmtId>();
        const analysis::FunctionIndex *index = id ? state.index->of(*id) : nullptr;
        const auto aliases = index ? analysis::aliasesIn(*index->function()) : std::nullopt;
        if (!aliases)
            continue;
        refuse(support::diagnostic("schedule.alias", "'" + std::string(step.primitive->name)
                                                         + "' would change what only one of the buffers '"
                                                         + aliases->first.name() + "' and '"
                                                         + aliases->second.name()
                                                         + "' sees, which are the same memory")
                   .at(*id)
                   .withHint("write the program with one buffer in place of both"));
    }
}

} // namespace nestwright::schedule
