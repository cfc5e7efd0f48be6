// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/effort_options.h"
#include "app/cli/input.h"
#include "app/cli/model.h"
#include "app/cli/model_contest.h"
#include "app/cli/shown_percent.h"
#include "core/backend/link/runtime.h"
#include "core/measure/machine/other_load.h"
#include "core/session/files/project_file.h"
#include "core/session/model/like_kernels_text.h"
#include "core/session/model/model_project.h"
#include "core/support/text/json_output.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>

namespace nestwright::cli {

using session::Keep;
using session::LikeKernel;
using session::LikeKernels;
using session::ModelWork;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

struct ScheduleModelOptions : ModelOptions {
    std::vector<std::string> schedules;
    std::string target = "llvm", keep = "faster", written;
    int threads = 0;
    EffortOptions effort;
    bool json = false;

    Keep rule() const { return keep == "all" ? Keep::All : Keep::Faster; }
};

/// A model and the work on its kernels.
struct WorkedModel {
    std::shared_ptr<const session::Model> model;
    session::Reapplied work;
    std::string kernel; ///< that was worked on last
    std::string hash;   ///< of the model's file, as its session tells
    std::vector<session::ModelTimes> times;
};

/// The work that the options name, or none on the model that they name.
Result<ModelWork> workOrModel(const ScheduleModelOptions &options)
{
    auto work = workOf(options);
    if (!work)
        return fail(work.error());
    if (*work)
        return std::move(**work);
    auto settings = settingsOf(options);
    if (!settings)
        return fail(settings.error());
    std::error_code ignored;
    const auto path = std::filesystem::absolute(options.model, ignored);
    return ModelWork{path.string(), {}, std::move(*settings), {}, {}};
}

Result<WorkedModel> openWork(const ScheduleModelOptions &options)
{
    const auto work = workOrModel(options);
    if (!work)
        return fail(work.error());
    auto model = options.model.ends_with(session::projectExtension)
                     ? session::openModelOf(*work)
                     : session::openModel(work->modelPath, work->settings);
    if (!model)
        return fail(model.error());
    WorkedModel opened{std::make_shared<const session::Model>(std::move(*model)),
                       {},
                       work->kernel,
                       work->modelHash,
                       work->times};
    opened.work = session::reapply(work->sessions, opened.model->program);
    return opened;
}

Result<session::LikeKernelsRequest> likeKernelsRequest(const ScheduleModelOptions &options,
                                                       const WorkedModel &opened)
{
    if (options.schedules.size() != 1)
        return fail(
            diagnostic("usage.schedule", options.schedules.empty()
                                             ? "there is no schedule to try"
                                             : "several schedules are given, but one is tried at a time")
                .withHint("give one with --recipe NAME or --schedule S.py"));
    auto schedule = opener().loadSteps(options.schedules.front());
    if (!schedule)
        return fail(schedule.error());
    auto target = target::parseTarget(options.target);
    if (!target)
        return fail(target.error());
    if (options.threads > 0)
        target->threads = options.threads;
    session::LikeKernelsRequest request{
        .model = opened.model, .schedule = std::move(*schedule), .now = {}, .target = std::move(*target)};
    for (const auto &[place, session] : opened.work.sessions)
        request.now.insert_or_assign(opened.model->program.kernels[static_cast<std::size_t>(place)].name,
                                     *session.tree().current().state);
    options.effort.applyTo(request);
    return request;
}

/// Times of the model with the schedules of the work, behind those that the work has. Errors: those of
/// frontend::openGraph, compiledWith and takeTimes.
Result<void> timeModel(ModelWork &work, const session::Model &model, const target::Target &target,
                       int repetitions)
{
    const auto opened = frontend::openGraph(work.modelPath, work.settings);
    if (!opened)
        return fail(opened.error());
    const graph::Schedules schedules =
        session::schedulesOf(session::reapply(work.sessions, model.program), model.program);
    nestwright_set_threads(target.threads);
    auto compiled = compiledWith(model.program, schedules, target);
    if (!compiled)
        return fail(compiled.error());
    const Contest contest{std::move(*compiled), {}};
    ContestTimes times;
    if (auto done = takeTimes(contest, *opened, {.repetitions = repetitions}, times); !done)
        return done;
    if (times.now.runs.empty())
        return fail("kernel.crash", "the process that ran the model told no times");
    session::keep(work.times, keptTimes(contest, times, target, schedules,
                                        measure::loadCachedPeak(nestwright_threads())));
    return {};
}

/// Error: "file.write", those of session::keepIn.
Result<void> writeKept(const ScheduleModelOptions &options, const WorkedModel &opened,
                       const LikeKernels &found)
{
    std::vector<int> places;
    for (std::size_t i = 0; i < found.kernels.size(); ++i) {
        if (session::isKept(found.kernels[i], options.rule()))
            places.push_back(static_cast<int>(i));
    }
    auto kept = session::keepIn(opened.work.sessions, *opened.model, found, places);
    if (!kept)
        return fail(kept.error());
    const session::Model &model = *opened.model;
    ModelWork work{model.path, opened.hash, model.settings, opened.work.left, opened.kernel, opened.times};
    kept->insert(opened.work.sessions.begin(), opened.work.sessions.end());
    for (const auto &[place, session] : *kept)
        work.sessions.insert_or_assign(model.program.kernels[static_cast<std::size_t>(place)].name, session);
    if (work.kernel.empty() && !work.sessions.empty())
        work.kernel = model.program.kernels[static_cast<std::size_t>(kept->begin()->first)].name;
    if (const auto timed = timeModel(work, model, found.target, options.effort.repetitions);
        !timed && !found.target.isGpu())
        std::cerr << "note: the model was not timed: " << timed.error().message << '\n';
    return writeText(options.written, session::writeModelProject(work));
}

void noteDisturbance(const LikeKernels &found)
{
    for (const LikeKernel &kernel : found.kernels) {
        if (!kernel.cell.scheduled || !kernel.cell.scheduled->disturbed)
            continue;
        std::cerr << "note: " << measure::disturbance(kernel.cell.scheduled->otherLoad) << '\n';
        return;
    }
}

int scheduleModel(ScheduleModelOptions options)
{
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    options.scheduledFor = *target;
    const auto opened = openWork(options);
    if (!opened)
        return report(opened.error());
    const auto request = likeKernelsRequest(options, *opened);
    if (!request)
        return report(request.error());
    measure::Measurer measurer;
    const auto found = [&] {
        const ShownPercent shown;
        return session::measureLikeKernels(
            *request, measurer, [&](const LikeKernels &, double fraction) { shown.tell(fraction); });
    }();
    if (!found)
        return report(found.error());
    noteDisturbance(*found);
    if (!options.written.empty()) {
        if (const auto written = writeKept(options, *opened, *found); !written)
            return report(written.error());
    }
    if (const int status = writeOutput(
            {}, options.json ? support::jsonText(session::toJson(*found, options.rule()), 2) + '\n'
                             : session::printedTable(*found, options.rule())))
        return status;
    return found->fitting() > 0 ? Done : No;
}

} // namespace

std::function<int()> declareScheduleModel(CLI::App &app)
{
    auto options = std::make_shared<ScheduleModelOptions>();
    app.add_option("MODEL", options->model,
                   "an ONNX model, or a session on one (.nest), whose schedules it has")
        ->required();
    options->addSettings(app);
    addSchedules(app, options->schedules, "a schedule script, tried on every kernel", false);
    app.add_option("--keep", options->keep,
                   "where the schedule is kept: where it is measured to be faster, or wherever it fits")
        ->check(CLI::IsMember({"faster", "all"}))
        ->capture_default_str();
    app.add_option("--write", options->written,
                   "write a session on the model (.nest) there, with the schedules that are kept");
    app.add_option("--target", options->target, "llvm, c, opencl or cuda")->capture_default_str();
    app.add_option("--threads", options->threads, "of parallel loops; 0: all cores")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    options->effort.addTo(app);
    app.add_flag("--json", options->json, "print it as JSON, with every sample");
    return [options] { return scheduleModel(*options); };
}

} // namespace nestwright::cli
