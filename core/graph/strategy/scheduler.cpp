// SPDX-License-Identifier: Apache-2.0
#include "core/graph/strategy/scheduler.h"

#include "core/analysis/kernel/block_kind.h"
#include "core/ir/build/builder.h"
#include "core/schedule/state_index.h"
#include "core/support/errors/errors.h"

namespace nestwright::graph {

const analysis::FunctionIndex &Scheduler::index() const
{
    return *m_state.index->function(m_state.module.mainEntry()->name);
}

std::vector<StmtId> Scheduler::blocks() const { return index().scope(index().root()).blocks; }

std::vector<LoopOf> Scheduler::loops(StmtId block) const
{
    std::vector<LoopOf> result;
    for (const StmtId id : index().loopsOf(block)) {
        const ir::For &loop = *index().loop(id);
        const std::int64_t *extent = ir::asInt(loop.extent);
        result.push_back(
            {id, extent ? *extent : 0, analysis::loopUse(*index().block(block), loop.var).reduce});
    }
    return result;
}

std::optional<schedule::ArgList> Scheduler::attempt(std::string_view primitive, const Arguments &arguments)
{
    const auto step = schedule::makeStep(primitive, arguments);
    NW_ASSERT(step.has_value(), step ? "" : step.error().message);
    auto applied = schedule::apply(m_state, *step);
    if (!applied)
        return std::nullopt;
    m_state = std::move(applied->state);
    m_steps.push_back(*step);
    return std::move(applied->outputs);
}

std::vector<StmtId> Scheduler::split(StmtId loop, const std::vector<std::int64_t> &inner)
{
    schedule::ArgValue::List factors{schedule::ArgValue()};
    factors.insert(factors.end(), inner.begin(), inner.end());
    const auto parts = attempt("split", {{"loop", loop}, {"factors", std::move(factors)}});
    std::vector<StmtId> ids;
    for (const schedule::ArgValue &part : parts.value_or(schedule::ArgList()))
        ids.push_back(*part.as<StmtId>());
    return ids;
}

std::optional<StmtId> Scheduler::fuse(const std::vector<StmtId> &loops)
{
    if (loops.size() == 1)
        return loops[0];
    const auto fused = attempt("fuse", {{"loops", schedule::ArgValue::List(loops.begin(), loops.end())}});
    return fused ? std::optional(*fused->at(0).as<StmtId>()) : std::nullopt;
}

bool Scheduler::reorder(const std::vector<StmtId> &loops)
{
    return attempt("reorder", {{"loops", schedule::ArgValue::List(loops.begin(), loops.end())}}).has_value();
}

void Scheduler::restore(Checkpoint at)
{
    m_state = std::move(at.state);
    m_steps.resize(at.steps);
}

} // namespace nestwright::graph
