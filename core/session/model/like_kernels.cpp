// SPDX-License-Identifier: Apache-2.0
#include "core/session/model/like_kernels.h"

#include "core/graph/strategy/strategy.h"
#include "core/ir/node/equality.h"
#include "core/measure/statistics.h"
#include "core/session/history/script_branch.h"
#include "core/support/errors/codes.h"

#include <algorithm>
#include <utility>

namespace nestwright::session {

using support::fail;
using support::Result;

namespace {

constexpr double triesShare = 0.1; ///< of the whole, as it is told

/// The kernel as the model runs it now.
Result<ir::Module> programNow(const LikeKernelsRequest &request, const graph::Kernel &kernel)
{
    if (const auto own = request.now.find(kernel.name); own != request.now.end())
        return own->second.module;
    auto usual = graph::defaultSchedule(kernel.module, request.model->program.machine);
    if (!usual)
        return fail(std::move(usual.error()));
    return std::move(usual->state.module);
}

LikeKernel tried(const LikeKernelsRequest &request, const graph::Kernel &kernel)
{
    LikeKernel result{.name = kernel.name, .nodes = static_cast<int>(kernel.nodes.size())};
    const auto state = schedule::makeState(kernel.module);
    auto run = state ? runSteps(request.schedule, *state, result.cell.step)
                     : Result<schedule::ScriptRun>(fail(state.error()));
    if (run) {
        result.run = std::move(*run);
    } else {
        result.cell.why = std::move(run.error());
        result.cell.isDone = true;
    }
    return result;
}

measure::MeasureJob likeKernelJob(const LikeKernelsRequest &request, const graph::Kernel &kernel,
                                  ir::Module now, ir::Module scheduled)
{
    measure::MeasureJob job;
    job.reference = kernel.module;
    job.variants = {std::move(now), std::move(scheduled)};
    job.target = request.target;
    job.repetitions = request.repetitions;
    job.secondsPerRepetition = request.secondsPerRepetition;
    job.secondsPerVariant = request.secondsPerVariant;
    job.wantPeak = false;
    return job;
}

/// Keeps a measurement outside of the run that its ratio is of.
void setAlone(Session &session, VariantId variant, measure::Measurement measurement,
              const target::Target &target)
{
    measurement.speedup.reset();
    if (session.target() == target)
        session.setMeasurement(variant, std::move(measurement));
    else
        session.tree().setMeasurementElsewhere(variant, target.str(), std::move(measurement));
}

support::Diagnostic cancelled() { return support::diagnostic(support::codes::cancelled, "cancelled"); }

} // namespace

bool LikeKernel::fits() const { return run.has_value() && !isAsItIs && !cell.why; }

bool LikeKernel::isFaster() const
{
    const measure::Speedup *speedup = cell.ratio();
    return fits() && speedup && measure::changeOf(*speedup) == measure::Change::Faster;
}

int LikeKernels::fitting() const
{
    return static_cast<int>(
        std::ranges::count_if(kernels, [](const LikeKernel &each) { return each.run.has_value(); }));
}

bool isKept(const LikeKernel &kernel, Keep keep)
{
    return keep == Keep::Faster ? kernel.isFaster() : kernel.fits() && kernel.cell.ratio();
}

Result<LikeKernels> measureLikeKernels(const LikeKernelsRequest &request, measure::Measurer &measurer,
                                       const LikeKernelsSink &told, std::stop_token stop)
{
    const std::vector<graph::Kernel> &kernels = request.model->program.kernels;
    LikeKernels found{.schedule = request.schedule.name, .target = request.target, .kernels = {}};
    for (const graph::Kernel &kernel : kernels) {
        if (stop.stop_requested())
            return fail(cancelled());
        found.kernels.push_back(tried(request, kernel));
        told(found,
             triesShare * static_cast<double>(found.kernels.size()) / static_cast<double>(kernels.size()));
    }
    const auto all = static_cast<double>(std::max(1, found.fitting()));
    double done = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        LikeKernel &kernel = found.kernels[i];
        if (!kernel.run)
            continue;
        if (stop.stop_requested())
            return fail(cancelled());
        const auto tell = [&](double more) {
            told(found, triesShare + (1 - triesShare) * (done + more) / all);
        };
        auto now = programNow(request, kernels[i]);
        if (now)
            kernel.now = *now;
        if (!now) {
            kernel.cell.why = std::move(now.error());
        } else if (ir::structurallyEqual(*now, kernel.run->state.module)) {
            kernel.isAsItIs = true;
        } else {
            auto measured = measureCell(
                kernel.cell, likeKernelJob(request, kernels[i], std::move(*now), kernel.run->state.module),
                measurer, [&](const measure::Progress &progress) { tell(progress.fraction); }, stop);
            if (!measured)
                return fail(std::move(measured.error()));
        }
        kernel.cell.isDone = true;
        tell(1);
        ++done;
    }
    return found;
}

void keepIn(Session &session, const LikeKernels &found, int place)
{
    const LikeKernel &kernel = found.kernels[static_cast<std::size_t>(place)];
    const VariantId before = session.tree().current().id;
    const bool isOfNow =
        kernel.now && ir::structurallyEqual(session.tree().current().state->module, *kernel.now);
    const VariantId end = addBranch(session, *kernel.run);
    if (session.tree().at(end).name.empty() && end != session.tree().root().id)
        session.tree().setName(end, found.schedule);
    if (kernel.cell.base && isOfNow)
        setAlone(session, before, *kernel.cell.base, found.target);
    if (kernel.cell.scheduled)
        setAlone(session, end, *kernel.cell.scheduled, found.target);
}

Result<std::map<int, Session>> keepIn(const std::map<int, Session> &sessions, const Model &model,
                                      const LikeKernels &found, const std::vector<int> &places)
{
    std::map<int, Session> kept;
    for (const int place : places) {
        const auto known = sessions.find(place);
        auto session = known != sessions.end() ? Result<Session>(known->second) : beginKernel(model, place);
        if (!session)
            return fail(std::move(session.error()));
        keepIn(*session, found, place);
        kept.emplace(place, std::move(*session));
    }
    return kept;
}

} // namespace nestwright::session
