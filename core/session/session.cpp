// SPDX-License-Identifier: Apache-2.0
#include "core/session/session.h"

#include "core/measure/build/given_inputs.h"
#include "core/schedule/apply.h"
#include "core/schedule/primitive.h"
#include "core/schedule/script/writer.h"
#include "core/session/codes.h"
#include "core/session/files/project_file.h"
#include "core/session/history/script_edit.h"
#include "core/session/model/model_project.h"
#include "core/session/reuse/machine_parameters.h"
#include "core/session/reuse/own_schedule.h"
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

void Session::setTarget(target::Target target)
{
    m_target = std::move(target);
    m_tree.setTarget(m_target.str());
}

Result<Session> Session::begin(frontend::OpenedKernel kernel, std::string path)
{
    if (kernel.kind == frontend::KernelSource::ScheduleScript)
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
    if (const auto ofModel = kernelOfModelProject(pathOrPreset))
        return loadKernelSession(ofModel->first, ofModel->second);
    if (pathOrPreset.ends_with(projectExtension))
        return loadProject(pathOrPreset);
    auto kernel = frontend::openKernel(pathOrPreset);
    if (!kernel)
        return std::unexpected(kernel.error());
    const bool isFile = kernel->kind != frontend::KernelSource::Preset;
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
    return adopt(
        schedule::runAsFarAsLegal(*m_tree.root().state, text, fileName, valuesFor(text, fileName, m_target)));
}

Result<VariantId> Session::adopt(schedule::PartialRun partial)
{
    std::erase_if(partial.run.steps,
                  [](const schedule::ScriptStep &each) { return each.step.primitive->isQuery; });
    StepBranch branch = branchOf(m_tree, partial.run.steps);
    const VariantId last = session::adopt(m_tree, branch.edit(), std::move(branch.replayed));
    if (!m_tree.at(last).ok())
        return fail(m_tree.at(last).state.error());
    if (partial.error)
        return std::unexpected(std::move(*partial.error));
    return last;
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
