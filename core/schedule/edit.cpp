// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/edit.h"

#include "core/ir/build/walk.h"
#include "core/schedule/state_index.h"
#include "core/schedule/tree.h"

#include <unordered_map>

namespace nestwright::schedule {

using support::diagnostic;

void refuse(Diagnostic diagnostic) { throw support::UserError(std::move(diagnostic)); }

std::string named(const ir::For &loop) { return "'" + loop.var.name() + "'"; }
std::string named(const ir::Block &block) { return "'" + block.name + "'"; }
std::string named(const ir::Stmt &loopOrBlock)
{
    if (const auto *loop = loopOrBlock.as<ir::For>())
        return "loop " + named(*loop);
    const auto *block = loopOrBlock.as<ir::Block>();
    return block ? "block " + named(*block) : "a statement";
}

const analysis::FunctionIndex &Edit::index(StmtId id)
{
    if (m_index && m_index->contains(id))
        return *m_index;
    const analysis::FunctionIndex *index = m_before.index->of(id);
    if (!index)
        refuse(diagnostic("schedule.unknown-statement", "there is no loop or block #"
                                                            + std::to_string(id.value)
                                                            + "; an earlier step removed it")
                   .withHint("look the loop or block up again with get_block and get_loops"));
    if (m_index)
        refuse(diagnostic("schedule.other-function", named(index->find(id)) + " is in another function than "
                                                         + named(m_index->find(m_index->root())))
                   .at(id));
    m_index = index;
    m_body = index->function()->body;
    return *index;
}

const ir::For &Edit::loop(StmtId id)
{
    const ir::Stmt s = index(id).find(id);
    if (!s.as<ir::For>())
        refuse(diagnostic("schedule.not-a-loop", "expected a loop, found " + named(s)).at(id));
    return *s.as<ir::For>();
}

const ir::Block &Edit::block(StmtId id)
{
    const ir::Stmt s = index(id).find(id);
    if (!s.as<ir::Block>())
        refuse(diagnostic("schedule.not-a-block", "expected a block, found " + named(s)).at(id));
    return *s.as<ir::Block>();
}

void Edit::replace(StmtId id, const ir::Stmt &with)
{
    m_body = rewriteAt(m_body, {{id, [&](const ir::Stmt &) { return with; }}});
}

void Edit::replaceParameter(const ir::Buffer &buffer, const ir::Buffer &with)
{
    NW_ASSERT(m_index, "no function has been chosen");
    if (m_params.empty())
        m_params = m_index->function()->params;
    for (ir::Param &param : m_params) {
        if (param.buffer == buffer)
            param.buffer = with;
    }
}

namespace {

struct Parts {
    std::vector<StmtId> ids;
    std::unordered_map<StmtId, StmtId> firstPartOf; ///< by the id it came from
};

Parts partsIn(const ir::Stmt &body)
{
    Parts parts;
    const auto add = [&](StmtId id, const ir::Origin &origin) {
        parts.ids.push_back(id);
        if (origin.parent)
            parts.firstPartOf.try_emplace(origin.parent, id);
    };
    ir::forEachStmt(body, [&](const ir::Stmt &s) {
        if (const auto *loop = s.as<ir::For>())
            add(loop->id, loop->origin);
        else if (const auto *block = s.as<ir::Block>())
            add(block->id, block->origin);
        return true;
    });
    return parts;
}

} // namespace

State Edit::stateAfter(State state) const
{
    state.random = m_random;
    state.intrins = m_before.intrins;
    return state;
}

Applied Edit::finish(ArgList outputs) &&
{
    if (!m_index || (m_body.same(m_index->function()->body) && m_params.empty()))
        return {stateAfter(m_before), std::move(outputs), std::move(m_forward), std::move(m_decision)};
    ir::PrimFunc function = *m_index->function();
    function.body = std::move(m_body);
    if (!m_params.empty())
        function.params = std::move(m_params);
    const std::string name = m_before.index->functionName(m_index->root());
    ir::Module module = m_before.module.with(name, std::make_shared<const ir::PrimFunc>(std::move(function)));
    module = ir::assignIds(module, m_ids);
    State after = stateOf(std::move(module), m_ids, m_before.index.get());
    const Parts parts = partsIn(after.module.find(name)->body);
    const std::unordered_set<StmtId> present(parts.ids.begin(), parts.ids.end());
    NW_ASSERT(present.size() == parts.ids.size(),
              "a loop or block occurs twice after '" + std::string(m_step) + "'");
    for (const StmtId id : m_index->all()) {
        if (present.contains(id) || m_forward.contains(id))
            continue;
        const auto part = parts.firstPartOf.find(id);
        m_forward.set(id, part == parts.firstPartOf.end() ? StmtId{} : part->second);
    }
    return {stateAfter(std::move(after)), std::move(outputs), std::move(m_forward), std::move(m_decision)};
}

} // namespace nestwright::schedule
