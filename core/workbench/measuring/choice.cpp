// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/measuring/choice.h"

#include "core/session/measure_job.h"
#include "core/workbench/opening/module_names.h"

#include <algorithm>
#include <format>

namespace nestwright::workbench {

using measure::MeasureJob;
using session::Session;
using session::Variant;
using support::fail;
using support::Result;

namespace {

constexpr double quickSeconds = 0.05;   ///< of a call: measuring it once more is not noticed
constexpr std::size_t mostCounted = 16; ///< variants of a ranking whose events are counted
constexpr int mostReferenceRounds = 3;  ///< of the unscheduled program

} // namespace

std::vector<VariantId> unmeasured(const Session &session)
{
    std::vector<VariantId> ids;
    for (const Variant &variant : session.tree().all()) {
        if (variant.ok() && !session.isMeasured(variant.id))
            ids.push_back(variant.id);
    }
    return ids;
}

std::optional<VariantId> missingReference(const Session &session)
{
    const Variant &root = session.tree().root();
    const bool isCompared = root.measurement && !session.hasOtherInputs(*root.measurement);
    return isCompared ? std::nullopt : std::optional(root.id);
}

std::optional<VariantId> rivalOf(const session::VariantTree &tree, VariantId id)
{
    const std::optional<VariantId> parent = tree.at(id).parent;
    if (!parent)
        return {};
    const auto &measured = tree.at(*parent).measurement;
    return measured && measured->ok() && measured->time.median < quickSeconds ? parent : std::nullopt;
}

std::string nameOf(const Variant &variant)
{
    if (!variant.name.empty() && !variant.edit)
        return variant.name;
    if (variant.isRoot())
        return std::string(unscheduledName);
    return std::format("{} {}", variant.name.empty() ? std::format("#{}", variant.id.value) : variant.name,
                       variant.label);
}

Result<MeasureJob> jobOf(const Session &session, std::span<const VariantId> ids)
{
    MeasureJob job;
    job.reference = session.tree().root().state->module;
    job.target = session.target();
    for (const VariantId id : ids) {
        if (const auto added = session::addTo(job, session.tree().at(id)); !added)
            return fail(added.error());
    }
    return job;
}

Result<MeasureJob> jobBesideRival(const Session &session, VariantId id, const ir::Module *base,
                                  const MeasureEffort &effort)
{
    auto job = jobOf(session, {});
    if (base)
        job->variants.push_back(*base);
    else if (const auto rival = rivalOf(session.tree(), id))
        job->variants.push_back(session.tree().at(*rival).state->module);
    if (const auto added = session::addTo(*job, session.tree().at(id)); !added)
        return fail(added.error());
    job->counters = true;
    job->repetitions = session.tree().at(id).isRoot() ? std::min(mostReferenceRounds, effort.repetitions)
                                                      : effort.repetitions;
    job->secondsPerRepetition = effort.secondsPerRepetition;
    return job;
}

Result<MeasureJob> rankingJob(const Session &session, std::span<const VariantId> ids,
                              const MeasureEffort &effort)
{
    auto job = jobOf(session, ids);
    if (!job)
        return job;
    job->counters = ids.size() <= mostCounted;
    job->repetitions = effort.repetitions;
    job->secondsPerRepetition = effort.secondsPerRepetition;
    return job;
}

} // namespace nestwright::workbench
