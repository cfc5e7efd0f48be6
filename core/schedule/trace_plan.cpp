// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/trace_plan.h"

#include "core/schedule/edit.h"
#include "core/schedule/state_index.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

/// All loops and blocks that a value speaks of.
void collectIds(const ArgValue &value, std::vector<StmtId> &ids)
{
    if (const StmtId *id = value.as<StmtId>())
        ids.push_back(*id);
    if (const ArgList *list = value.as<ArgList>()) {
        for (const ArgValue &item : *list)
            collectIds(item, ids);
    }
}

class Planner {
public:
    explicit Planner(State initial) : m_state(std::move(initial)) {}

    void add(const Step &step)
    {
        Result<std::vector<Step>> parts = expand(m_state, step);
        if (!parts)
            refuse(std::move(parts.error()));
        for (const Step &part : *parts) {
            std::vector<StmtId> ids;
            for (const ArgValue &arg : part.args)
                collectIds(arg, ids);
            for (const StmtId id : ids)
                name(id);
            line(part);
        }
    }

    std::vector<TraceLine> lines() && { return std::move(m_lines); }

private:
    /// Applies the step and names its results.
    ArgList line(const Step &step)
    {
        TraceLine line{.step = step, .names = {}, .outputNames = {}};
        std::vector<StmtId> ids;
        for (const ArgValue &arg : step.args)
            collectIds(arg, ids);
        for (const StmtId id : ids) {
            if (const auto found = m_names.find(id); found != m_names.end())
                line.names.insert(*found);
        }
        Result<Applied> applied = apply(m_state, step);
        if (!applied)
            refuse(std::move(applied.error()));
        m_state = std::move(applied->state);
        for (const ArgValue &output : applied->outputs) {
            const StmtId *id = output.as<StmtId>();
            const analysis::FunctionIndex *index = id ? m_state.index->of(*id) : nullptr;
            const char kind = !index ? 'v' : index->block(*id) ? 'b' : 'l';
            line.outputNames.push_back(kind + std::to_string(m_count++));
            if (id)
                m_names[*id] = line.outputNames.back();
        }
        m_lines.push_back(std::move(line));
        return std::move(applied->outputs);
    }

    ArgList query(std::string_view primitive, const std::vector<std::pair<std::string_view, ArgValue>> &args)
    {
        Result<Step> step = makeStep(primitive, args);
        NW_ASSERT(step.has_value(), "a query of ours is not well-formed");
        return line(*step);
    }

    /// Makes sure that `id` has a name. One that no function has is left to the step, which refuses it.
    void name(StmtId id)
    {
        const analysis::FunctionIndex *index = m_state.index->of(id);
        if (m_names.contains(id) || !index)
            return;
        if (index->block(id)) {
            nameBlock(*index, id);
            return;
        }
        const std::vector<StmtId> below = index->childBlocks(id);
        if (below.empty())
            refuse(support::diagnostic("schedule.no-name", "loop '" + index->loop(id)->var.name()
                                                               + "' holds no block, so a script cannot name it")
                       .at(id));
        if (!m_names.contains(below.front()))
            nameBlock(*index, below.front());
        query("get_loops", {{"block", below.front()}});
    }

    void nameBlock(const analysis::FunctionIndex &index, StmtId id)
    {
        const std::string &name = index.block(id)->name;
        const Result<StmtId> found = index.blockByName(name);
        if (found && *found == id) {
            query("get_block", {{"name", name}, {"func_name", m_state.index->functionName(id)}});
            return;
        }
        // Several blocks have this name: reach it from the block around it.
        const StmtId scope = index.scopeRoot(id);
        if (!scope)
            refuse(support::diagnostic("schedule.no-name", "several blocks are named '" + name + "'").at(id));
        if (!m_names.contains(scope))
            nameBlock(index, scope);
        query("get_child_blocks", {{"block_or_loop", scope}});
    }

    State m_state;
    Names m_names;
    int m_count = 0;
    std::vector<TraceLine> m_lines;
};

} // namespace

Result<std::vector<TraceLine>> planTrace(const State &initial, std::span<const Step> steps)
{
    try {
        Planner planner(initial);
        for (const Step &step : steps)
            planner.add(step);
        return std::move(planner).lines();
    } catch (const support::ScheduleError &error) {
        return support::fail(error.diagnostic());
    }
}

} // namespace nestwright::schedule
