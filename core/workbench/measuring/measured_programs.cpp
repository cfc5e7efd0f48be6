// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/measuring/measured_programs.h"

#include "core/workbench/opening/module_names.h"

namespace nestwright::workbench {

using session::Session;
using session::Variant;
using support::fail;
using support::Result;

namespace {

/// The variant as a program; nothing, and a note, where its edited code cannot be run.
std::optional<NamedProgram> programOf(Opener &opener, const Variant &variant)
{
    NamedProgram program{.name = nameOf(variant), .module = variant.state->module};
    if (!variant.edit)
        return program;
    auto code = session::runnable(*variant.edit);
    if (!code) {
        support::Diagnostic why = code.error();
        why.message = variant.label + ": " + why.message;
        why.locations.clear();
        opener.tell(std::move(why));
        return {};
    }
    program.edited = std::move(*code);
    return program;
}

/// The variants of a session that are asked for; of one with schedules only its edited code.
std::vector<VariantId> chosenOf(const Session &session, const MeasureQuestion &question)
{
    const session::VariantTree &tree = session.tree();
    if (!question.schedules.empty() || sessionAndVariant(question.module).second.empty())
        return unmeasured(session);
    std::vector<VariantId> ids{tree.root().id};
    if (!tree.current().isRoot())
        ids.push_back(tree.current().id);
    return ids;
}

Result<void> addOfSession(MeasuredPrograms &chosen, Opener &opener, const MeasureQuestion &question)
{
    auto session = opener.openSession(question.module);
    if (!session)
        return fail(session.error());
    chosen.reference = session->tree().root().state->module;
    chosen.inputs = session->inputs();
    if (!question.target)
        chosen.target = session->target();
    chosen.foreignEdits = session->tree().foreignEdits();
    if (question.runsForeignEdits)
        session->tree().allowEdits();
    const VariantId current = session->tree().current().id;
    for (const VariantId id : chosenOf(*session, question)) {
        const Variant &variant = session->tree().at(id);
        const bool isLeftOut = variant.edit ? variant.edit->isForeign : !question.schedules.empty();
        if (isLeftOut)
            continue;
        auto program = programOf(opener, variant);
        if (!program)
            continue;
        if (id == current || id == session->tree().programOf(current))
            chosen.last = chosen.programs.size();
        chosen.programs.push_back(std::move(*program));
    }
    return {};
}

Result<void> addOfModule(MeasuredPrograms &chosen, Opener &opener, const std::string &module)
{
    const auto original = opener.loadUnscheduled(module);
    if (!original)
        return fail(original.error());
    chosen.reference = original->module;
    return {};
}

Result<void> addOwnVariants(MeasuredPrograms &chosen, Opener &opener, const std::string &module)
{
    auto own = opener.loadVariants(module);
    if (!own)
        return fail(own.error());
    for (NamedState &each : *own)
        chosen.programs.push_back({own->size() == 1 ? "as it is" : each.name, std::move(each.state.module)});
    return {};
}

} // namespace

std::vector<std::string> MeasuredPrograms::names() const
{
    std::vector<std::string> all;
    for (const NamedProgram &each : programs)
        all.push_back(each.name);
    return all;
}

measure::MeasureJob MeasuredPrograms::job() const
{
    measure::MeasureJob job;
    job.reference = reference;
    job.target = target;
    for (const NamedProgram &each : programs) {
        if (each.edited)
            job.edits.emplace(job.variants.size(), *each.edited);
        job.variants.push_back(each.module);
    }
    return job;
}

Result<MeasuredPrograms> measuredPrograms(Opener &opener, const MeasureQuestion &question)
{
    MeasuredPrograms chosen;
    if (question.target)
        chosen.target = *question.target;
    const bool ofSession = isSession(question.module);
    if (!ofSession) {
        if (const auto added = addOfModule(chosen, opener, question.module); !added)
            return fail(added.error());
    }
    for (const std::string &schedule : question.schedules) {
        auto state = opener.loadScheduled(question.module, schedule);
        if (!state)
            return fail(state.error());
        chosen.last = chosen.programs.size();
        chosen.programs.push_back({nameOfSchedule(schedule), std::move(state->module)});
    }
    const auto added = ofSession                    ? addOfSession(chosen, opener, question)
                       : question.schedules.empty() ? addOwnVariants(chosen, opener, question.module)
                                                    : Result<void>();
    if (!added)
        return fail(added.error());
    if (!ofSession && question.schedules.empty())
        chosen.last = chosen.programs.size() - 1;
    return chosen;
}

} // namespace nestwright::workbench
