// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/loop_nest.h"

#include "core/schedule/state_index.h"

#include <algorithm>

namespace nestwright::suggest {

namespace {

std::unordered_map<StmtId, std::string> printedNames(const script::Printed &printed)
{
    std::vector<std::size_t> lineStarts{0};
    for (std::size_t i = 0; i < printed.text.size(); ++i) {
        if (printed.text[i] == '\n')
            lineStarts.push_back(i + 1);
    }
    std::unordered_map<StmtId, std::string> names;
    for (const script::VarUse &use : printed.varUses) {
        if (names.contains(use.loop))
            continue;
        const std::size_t at =
            lineStarts.at(static_cast<std::size_t>(use.line)) + static_cast<std::size_t>(use.column);
        names.emplace(use.loop, printed.text.substr(at, static_cast<std::size_t>(use.length)));
    }
    return names;
}

} // namespace

LoopNest::LoopNest(schedule::State state, const script::Printed &printed)
    : m_state(std::move(state))
    , m_names(printedNames(printed))
{
    for (const ir::Module::Entry &entry : m_state.module.functions()) {
        const analysis::FunctionIndex *index = m_state.index->function(entry.name);
        if (!index)
            continue;
        m_axes.merge(analysis::loopAxes(*index));
        std::ranges::copy_if(index->all(), std::back_inserter(m_all),
                             [&](StmtId id) { return id != index->root(); });
    }
}

const analysis::FunctionIndex *LoopNest::indexOf(StmtId id) const
{
    return m_state.index ? m_state.index->of(id) : nullptr;
}

const ir::For *LoopNest::loop(StmtId id) const
{
    const analysis::FunctionIndex *index = indexOf(id);
    return index ? index->loop(id) : nullptr;
}

const ir::Block *LoopNest::block(StmtId id) const
{
    const analysis::FunctionIndex *index = indexOf(id);
    return index ? index->block(id) : nullptr;
}

bool LoopNest::isRoot(StmtId id) const
{
    const analysis::FunctionIndex *index = indexOf(id);
    return index && index->root() == id;
}

std::string LoopNest::name(StmtId id) const
{
    if (const ir::Block *found = block(id))
        return found->name;
    if (const auto printed = m_names.find(id); printed != m_names.end())
        return printed->second;
    const ir::For *found = loop(id);
    return found ? found->var.name() : std::string();
}

std::optional<std::int64_t> LoopNest::iterations(StmtId id) const
{
    const ir::For *found = loop(id);
    const auto *extent = found ? found->extent.as<ir::IntImm>() : nullptr;
    return extent ? std::optional(extent->value) : std::nullopt;
}

const analysis::LoopAxis *LoopNest::axis(StmtId id) const
{
    const auto found = m_axes.find(id);
    return found == m_axes.end() ? nullptr : &found->second;
}

std::vector<StmtId> LoopNest::loopsTo(StmtId id) const
{
    const analysis::FunctionIndex *index = indexOf(id);
    if (!index)
        return {};
    std::vector<StmtId> loops = index->ancestors(id);
    loops.insert(loops.begin(), id);
    std::erase_if(loops, [&](StmtId each) { return !index->loop(each); });
    std::ranges::reverse(loops);
    return loops;
}

StmtId LoopNest::firstBlock(StmtId id) const
{
    const analysis::FunctionIndex *index = indexOf(id);
    if (!index || index->block(id))
        return index ? id : StmtId();
    for (const StmtId child : index->children(id)) {
        if (const StmtId found = firstBlock(child))
            return found;
    }
    return {};
}

std::vector<StmtId> LoopNest::perfectNest(StmtId id) const
{
    const analysis::FunctionIndex *index = indexOf(id);
    if (!index || !index->loop(id))
        return {};
    const auto holdsOne = [&](StmtId each) { return index->children(each).size() == 1; };
    StmtId top = id;
    for (StmtId parent = index->parent(top); parent && index->loop(parent) && holdsOne(parent);
         parent = index->parent(top))
        top = parent;
    std::vector<StmtId> chain{top};
    while (holdsOne(chain.back()) && index->loop(index->children(chain.back()).front()))
        chain.push_back(index->children(chain.back()).front());
    return chain;
}

std::string kindBadge(const ir::For &loop)
{
    switch (loop.forKind) {
    case ir::ForKind::Serial: return {};
    case ir::ForKind::Parallel: return "parallel";
    case ir::ForKind::Vectorized: return "vector";
    case ir::ForKind::Unrolled: return "unroll";
    case ir::ForKind::ThreadBinding: return loop.thread;
    }
    return {};
}

} // namespace nestwright::suggest
