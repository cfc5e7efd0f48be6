// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/trace_plan.h"

#include "core/schedule/edit.h"
#include "core/schedule/layout/layout_map.h"
#include "core/schedule/state_index.h"

#include <algorithm>

namespace nestwright::schedule {

const std::string *Names::find(const ArgValue &value) const
{
    const StmtId *id = value.as<StmtId>();
    if (!id) {
        const auto number =
            value.as<std::int64_t>() && value.result ? m_names.find({StmtId{}, value.result}) : m_names.end();
        return number == m_names.end() ? nullptr : &number->second;
    }
    auto found = m_names.find({*id, value.result});
    if (found == m_names.end())
        found = m_names.find({*id, 0});
    return found == m_names.end() ? nullptr : &found->second;
}

IndexMap Names::withNames(const IndexMap &map) const
{
    ir::VarMap<ir::Expr> named;
    IndexMap result = map;
    result.sampled.clear();
    for (const SampledIndex &sampled : map.sampled) {
        ArgValue number(sampled.value);
        number.result = sampled.result;
        if (const std::string *name = find(number))
            named[sampled.var] = ir::Var(*name, sampled.var->dtype);
        else
            result.sampled.push_back(sampled);
    }
    for (ir::Expr &output : result.outputs)
        output = applied(output, named);
    return result.withValues();
}

namespace {

/// All loops, blocks and sampled integers that a value speaks of.
void collectIds(const ArgValue &value, std::vector<ArgValue> &ids)
{
    if (value.as<StmtId>() || (value.as<std::int64_t>() && value.result > 0))
        ids.push_back(value);
    if (const ArgList *list = value.as<ArgList>()) {
        for (const ArgValue &item : *list)
            collectIds(item, ids);
    }
    if (const ArgMap *map = value.as<ArgMap>()) {
        for (const ArgValue &item : map->values)
            collectIds(item, ids);
    }
    if (const IndexMap *map = value.as<IndexMap>()) {
        for (const SampledIndex &sampled : map->sampled) {
            ArgValue number(sampled.value);
            number.result = sampled.result;
            collectIds(number, ids);
        }
    }
}

class Planner {
public:
    Planner(State initial, const ScriptNames &known)
        : m_state(std::move(initial))
        , m_names(known.of)
        , m_taken(known.taken)
    {
    }

    void add(const Step &step)
    {
        Result<std::vector<Step>> parts = expand(m_state, step);
        if (!parts)
            refuse(std::move(parts.error()));
        for (const Step &part : *parts) {
            std::vector<ArgValue> ids;
            for (const ArgValue &arg : part.args)
                collectIds(arg, ids);
            for (const ArgValue &value : ids) {
                if (const StmtId *id = value.as<StmtId>())
                    name(*id);
            }
            const ArgList outputs = line(part);
            for (std::size_t i = 0; i < outputs.size(); ++i)
                m_results.emplace_back(outputs[i], m_lines.back().outputNames[i]);
        }
    }

    std::vector<TraceLine> lines() && { return std::move(m_lines); }

private:
    /// Applies the step and names its results.
    ArgList line(const Step &step)
    {
        TraceLine line{.step = step, .names = {}, .outputNames = {}};
        std::vector<ArgValue> ids;
        for (const ArgValue &arg : step.args)
            collectIds(arg, ids);
        for (const ArgValue &arg : ids) {
            const StmtId *id = arg.as<StmtId>();
            if (const auto found = m_names.find(id ? *id : StmtId()); id && found != m_names.end())
                line.names.set(*id, 0, found->second);
            // The result it was read from counts only if that is still the same in the steps written now.
            if (arg.result == 0 || arg.result > m_results.size() || m_results[arg.result - 1].first != arg)
                continue;
            if (id)
                line.names.set(*id, arg.result, m_results[arg.result - 1].second);
            else
                line.names.setValue(arg.result, m_results[arg.result - 1].second);
        }
        Result<Applied> applied = apply(m_state, step);
        if (!applied)
            refuse(std::move(applied.error()));
        m_state = std::move(applied->state);
        if (const auto decision = step.primitive->decisionIndex())
            line.step.args[*decision] = std::move(applied->decision);
        for (const ArgValue &output : applied->outputs) {
            const StmtId *id = output.as<StmtId>();
            const analysis::FunctionIndex *index = id ? m_state.index->of(*id) : nullptr;
            const char kind = !id ? 'v' : index && index->block(*id) ? 'b' : 'l';
            line.outputNames.push_back(nextName(output.isNone() ? '_' : kind));
            if (id)
                m_names[*id] = line.outputNames.back();
        }
        m_lines.push_back(std::move(line));
        return std::move(applied->outputs);
    }

    std::string nextName(char kind)
    {
        while (m_taken.contains(kind + std::to_string(m_count)))
            ++m_count;
        const std::string number = std::to_string(m_count++);
        return kind == '_' ? "_" : kind + number;
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
            refuse(
                support::diagnostic("schedule.no-name", "loop '" + index->loop(id)->var.name()
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
    std::map<StmtId, std::string> m_names;                   ///< the newest of each
    std::set<std::string> m_taken;                           ///< names that are others'
    std::vector<std::pair<ArgValue, std::string>> m_results; ///< of the steps given, with their names
    int m_count = 0;
    std::vector<TraceLine> m_lines;
};

} // namespace

Result<std::vector<TraceLine>> planTrace(const State &initial, std::span<const Step> steps,
                                         const ScriptNames &known)
{
    try {
        Planner planner(initial, known);
        for (const Step &step : steps)
            planner.add(step);
        return std::move(planner).lines();
    } catch (const support::UserError &error) {
        return support::fail(error.diagnostic());
    }
}

} // namespace nestwright::schedule
