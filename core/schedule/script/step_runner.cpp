// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/step_runner.h"

#include "core/schedule/edit.h"
#include "core/schedule/expansion.h"
#include "core/schedule/fix.h"
#include "core/schedule/state_index.h"
#include "core/schedule/validate.h"

#include <algorithm>

namespace nestwright::schedule {

bool StepRunner::workOn(const std::string &functionName)
{
    if (!m_state.module.find(functionName))
        return false;
    m_function = functionName;
    return true;
}

const ir::For *StepRunner::loop(StmtId id) const
{
    const analysis::FunctionIndex *index = m_state.index->of(id);
    return index ? index->loop(id) : nullptr;
}

const ir::Block *StepRunner::block(StmtId id) const
{
    const analysis::FunctionIndex *index = m_state.index->of(id);
    return index ? index->block(id) : nullptr;
}

ArgValue StepRunner::run(const Primitive &primitive, WrittenArguments written, int line)
{
    if (primitive.name == "get_block" && written.positional.size() < 2) {
        const bool named =
            std::ranges::any_of(written.named, [](const auto &arg) { return arg.first == "func_name"; });
        if (!named)
            written.named.emplace_back("func_name", m_function);
    }
    const Step step = bindArguments(m_state, primitive, std::move(written),
                                    [&](const std::string &name) { return blockByName(name, line); });
    ArgList outputs = apply(step, line);
    switch (primitive.results) {
    case Results::None: return {};
    case Results::Single: return outputs.empty() ? ArgValue() : outputs.front();
    case Results::List: return outputs;
    }
    std::unreachable();
}

ArgList StepRunner::apply(Step step, int line)
{
    if (step.primitive->expand) {
        validateArguments(step);
        Expansion steps(m_state);
        ArgList outputs = step.primitive->expand(steps, step.args);
        for (const Step &part : steps.steps())
            apply(part, line);
        return outputs;
    }
    Result<Applied> applied = schedule::apply(m_state, step);
    if (!applied) {
        Diagnostic why = std::move(applied.error());
        if (const auto fix = fixFor(m_state, step, why))
            why.hint += (why.hint.empty() ? "possible: " : "; possible: ") + fix->title;
        refuse(std::move(why));
    }
    m_state = std::move(applied->state);
    if (const auto decision = step.primitive->decisionIndex())
        step.args[*decision] = std::move(applied->decision);
    for (ArgValue &output : applied->outputs)
        output.result = ++m_results;
    m_steps.push_back({std::move(step), applied->outputs, line});
    return std::move(applied->outputs);
}

ArgValue StepRunner::blockByName(const std::string &name, int line)
{
    Result<Step> step = makeStep("get_block", {{"name", name}, {"func_name", m_function}});
    if (!step)
        refuse(step.error());
    return apply(std::move(*step), line).front();
}

} // namespace nestwright::schedule
