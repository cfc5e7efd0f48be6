// SPDX-License-Identifier: Apache-2.0
#include "core/session/session.h"

#include "core/analysis/index.h"
#include "core/ir/equality.h"
#include "core/measure/given_inputs.h"
#include "core/schedule/apply.h"
#include "core/schedule/script/writer.h"
#include "core/schedule/state_index.h"
#include "core/session/codes.h"
#include "core/session/own_schedule.h"
#include "core/session/project_file.h"
#include "core/support/phase.h"

#include <map>

namespace nestwright::session {

using support::diagnostic;
using support::fail;
using support::Result;

Session::Session(Source source, VariantTree tree) : m_source(std::move(source)), m_tree(std::move(tree))
{
    m_tree.setTarget(m_target.str());
}

void Session::setTarget(lower::Target target)
{
    m_target = std::move(target);
    m_tree.setTarget(m_target.str());
}

Result<Session> Session::begin(OpenedKernel kernel, std::string path)
{
    if (kernel.kind == KernelSource::ScheduleScript)
        return fail(diagnostic(codes::notAKernel, "'" + kernel.name + "' is a schedule script, not a kernel")
                        .withHint("open the kernel first, then open the script to apply it"));
    auto initial = schedule::makeState(kernel.module);
    if (!initial)
        return std::unexpected(initial.error());
    Source source{std::move(path), kernel.name, std::move(kernel.text), kernel.kind};
    Session session(std::move(source), VariantTree(std::move(*initial), "unscheduled"));
    session.m_graph = std::move(kernel.graph);
    session.m_notes = std::move(kernel.notes);
    std::map<std::string, std::optional<VariantId>> made; // by each of the schedules; nothing where it fails
    for (const te::ScheduleSteps &own : kernel.schedules) {
        support::tellPhase("running its schedule");
        const schedule::State &root = *session.m_tree.root().state;
        const auto imported = session.adopt(runOwnSchedule(root, own, kernel.name));
        made[own.name] = imported ? std::optional(*imported) : std::nullopt;
        if (!imported)
            session.m_notes.push_back(imported.error());
        else if (kernel.schedules.size() > 1)
            session.m_tree.addName(*imported, own.name);
    }
    for (te::ProgramComparison &each : kernel.comparisons) {
        const VariantId root = session.m_tree.root().id; // of schedules that do nothing
        const auto before = made.try_emplace(each.before, root).first->second;
        const auto after = made.try_emplace(each.after, root).first->second;
        if (before && after)
            session.m_comparisons.push_back({*before, *after, std::move(each.note)});
    }
    return session;
}

Result<Session> Session::open(const std::string &pathOrPreset)
{
    if (pathOrPreset.ends_with(projectExtension))
        return loadProject(pathOrPreset);
    auto kernel = openKernel(pathOrPreset);
    if (!kernel)
        return std::unexpected(kernel.error());
    const bool isFile = kernel->kind != KernelSource::Preset;
    return begin(std::move(*kernel), isFile ? pathOrPreset : std::string());
}

VariantId Session::apply(VariantId parent, const schedule::Step &step)
{
    const VariantId id = m_tree.add(parent, step, schedule::apply(*m_tree.at(parent).state, step));
    m_tree.setCurrent(id);
    return id;
}

Result<VariantId> Session::importSchedule(std::string_view text, const std::string &fileName)
{
    return adopt(schedule::runAsFarAsLegal(*m_tree.root().state, text, fileName));
}

namespace {

/// Whether both are one program, its loops and blocks called alike.
bool isSame(const schedule::State &a, const schedule::State &b)
{
    const auto idsOf = [](const schedule::State &state) {
        std::vector<support::StmtId> ids;
        for (const ir::Module::Entry &entry : state.module.functions()) {
            if (const auto *index = state.index->function(entry.name))
                ids.insert(ids.end(), index->all().begin(), index->all().end());
        }
        return ids;
    };
    return ir::structurallyEqual(a.module, b.module) && idsOf(a) == idsOf(b);
}

/// The variant that is the program furthest along a script, and how many of its steps led there: a step such
/// as tile is written as those it stands for, which end in the same program.
std::pair<VariantId, std::size_t> startOf(const std::vector<schedule::Step> &steps, const VariantTree &tree)
{
    std::map<std::size_t, std::vector<VariantId>> known; // by hash
    for (const Variant &variant : tree.all()) {
        if (variant.ok())
            known[ir::structuralHash(variant.state->module)].push_back(variant.id);
    }
    std::pair<VariantId, std::size_t> start{tree.root().id, 0};
    schedule::State state = *tree.root().state;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        auto applied = schedule::apply(state, steps[i]);
        if (!applied)
            break;
        state = std::move(applied->state);
        const auto alike = known.find(ir::structuralHash(state.module));
        if (alike == known.end())
            continue;
        const auto same = std::ranges::find_if(
            alike->second, [&](VariantId id) { return isSame(*tree.at(id).state, state); });
        if (same != alike->second.end() && *same != tree.root().id)
            start = {*same, i + 1};
    }
    return start;
}

} // namespace

Result<VariantId> Session::adopt(schedule::PartialRun partial)
{
    std::vector<schedule::Step> steps;
    for (schedule::ScriptStep &each : partial.run.steps) {
        if (!each.step.primitive->isQuery)
            steps.push_back(std::move(each.step));
    }
    auto [at, begin] = startOf(steps, m_tree);
    for (std::size_t i = begin; i < steps.size(); ++i) {
        const VariantId next = m_tree.add(at, steps[i], schedule::apply(*m_tree.at(at).state, steps[i]));
        if (!m_tree.at(next).ok())
            return fail(m_tree.at(next).state.error());
        at = next;
    }
    m_tree.setCurrent(at);
    if (partial.error)
        return std::unexpected(std::move(*partial.error));
    return at;
}

Result<std::string> Session::exportSchedule(VariantId id) const
{
    const std::vector<schedule::Step> steps = m_tree.trace(id);
    return schedule::writeScheduleScript(*m_tree.root().state, steps);
}

void Session::setMeasurement(VariantId id, measure::Measurement measurement)
{
    for (auto &[name, input] : m_inputs) {
        const auto read = measurement.inputs.find(name);
        if (read != measurement.inputs.end() && read->second.path == input.path)
            input.content = read->second.content;
    }
    m_tree.setMeasurement(id, std::move(measurement));
}

bool Session::isMeasured(VariantId id) const
{
    const auto &measurement = m_tree.at(id).measurement;
    return measurement && !measurement->stored && !hasOtherInputs(*measurement);
}

bool Session::hasOtherInputs(const measure::Measurement &measurement) const
{
    return !measure::haveSameContent(measurement.inputs, m_inputs);
}

} // namespace nestwright::session
