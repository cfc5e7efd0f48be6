// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/transfer.h"

#include "core/schedule/state.h"
#include "core/session/history/script_branch.h"
#include "core/support/errors/codes.h"

#include <algorithm>

namespace nestwright::session {

using measure::Measurement;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// A line of a script without its indentation, from 1.
std::string lineOf(std::string_view text, int number)
{
    for (int line = 1; line < number && !text.empty(); ++line)
        text.remove_prefix(std::min(text.size(), text.find('\n')) + (text.contains('\n') ? 1 : 0));
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t begin = line.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string() : std::string(line.substr(begin));
}

/// The programs of one shape, or why there are none.
struct ShapePrograms {
    SizedKernel kernel;
    ir::Module base, scheduled;
    std::optional<support::Diagnostic> why{};
    std::string step{};
};

ShapePrograms programsOf(const TransferRequest &request, const KernelSizes &shape)
{
    ShapePrograms programs;
    auto kernel = openWithSizes(request.kernelText, request.kernelName, shape);
    if (!kernel) {
        programs.why = std::move(kernel.error());
        return programs;
    }
    programs.kernel = std::move(*kernel);
    const auto state = schedule::makeState(programs.kernel.module);
    if (!state) {
        programs.why = state.error();
        return programs;
    }
    programs.base = state->module;
    for (const TransferSchedule *each : {request.base ? &*request.base : nullptr, &request.schedule}) {
        if (!each)
            continue;
        auto run = runSteps(*each, *state, programs.step);
        if (!run) {
            programs.why = std::move(run.error());
            return programs;
        }
        (each == &request.schedule ? programs.scheduled : programs.base) = std::move(run->state.module);
    }
    return programs;
}

measure::MeasureJob jobOf(const TransferRequest &request, const ShapePrograms &programs,
                          const target::Target &target)
{
    measure::MeasureJob job;
    job.reference = programs.kernel.module;
    job.variants = {programs.base, programs.scheduled};
    job.target = target;
    job.sizes = programs.kernel.sizes;
    job.repetitions = request.repetitions;
    job.secondsPerRepetition = request.secondsPerRepetition;
    job.secondsPerVariant = request.secondsPerVariant;
    job.wantPeak = false;
    return job;
}

void take(TransferCell &cell, std::vector<Measurement> measured)
{
    cell.base = std::move(measured[0]);
    cell.scheduled = std::move(measured[1]);
    for (const Measurement *each : {&*cell.base, &*cell.scheduled}) {
        if (!each->ok() && !cell.why)
            cell.why = each->failure ? *each->failure
                                     : diagnostic("transfer.not-measured", "the program was not measured");
    }
}

} // namespace

Result<schedule::ScriptRun> runSteps(const TransferSchedule &schedule, const schedule::State &state,
                                     std::string &refused)
{
    auto run = schedule.run(state);
    if (run)
        return run;
    const auto &locations = run.error().locations;
    if (!locations.empty() && locations.front().line > 0)
        refused = lineOf(schedule.text, locations.front().line);
    return run;
}

Result<void> measureCell(TransferCell &cell, const measure::MeasureJob &job, measure::Measurer &measurer,
                         const measure::ProgressSink &progress, std::stop_token stop)
{
    auto measured = measurer.measure(job, progress, std::move(stop));
    if (measured)
        take(cell, std::move(*measured));
    else if (measured.error().code == support::codes::cancelled)
        return fail(std::move(measured.error()));
    else
        cell.why = std::move(measured.error());
    return {};
}

const measure::Speedup *TransferCell::ratio() const
{
    return !why && scheduled && scheduled->ok() && scheduled->speedup ? &*scheduled->speedup : nullptr;
}

bool TransferTable::isWhole() const
{
    return std::ranges::all_of(cells, [](const TransferCell &cell) { return cell.ratio() != nullptr; });
}

std::vector<target::Target> withThreads(const std::vector<target::Target> &targets,
                                        const std::vector<int> &threads)
{
    if (threads.empty())
        return targets;
    std::vector<target::Target> all;
    for (const target::Target &target : targets) {
        for (const int count : threads) {
            all.push_back(target);
            all.back().threads = count;
        }
    }
    return all;
}

Result<TransferTable> measureTransfer(const TransferRequest &request, measure::Measurer &measurer,
                                      const TransferSink &told, std::stop_token stop)
{
    if (request.shapes.empty() || request.targets.empty())
        return fail(diagnostic("transfer.nothing", "there is no shape or target to measure on")
                        .withHint("give a shape, as M=256,N=256, and a target"));
    TransferTable table{.schedule = request.schedule.name,
                        .base = request.base ? request.base->name : "unscheduled",
                        .shapes = request.shapes,
                        .targets = request.targets,
                        .cells = {}};
    table.cells.resize(table.shapes.size() * table.targets.size());
    const auto all = static_cast<double>(table.cells.size());
    double done = 0;
    told(table, 0);
    for (std::size_t row = 0; row < table.shapes.size(); ++row) {
        const ShapePrograms programs = programsOf(request, table.shapes[row]);
        if (!programs.why && table.shapes[row].empty())
            table.shapes[row] = programs.kernel.sizes;
        for (std::size_t column = 0; column < table.targets.size(); ++column, ++done) {
            if (stop.stop_requested())
                return fail(diagnostic(support::codes::cancelled, "cancelled"));
            TransferCell &cell = table.at(row, column);
            cell.isDone = true;
            cell.why = programs.why;
            cell.step = programs.step;
            if (cell.why) {
                told(table, (done + 1) / all);
                continue;
            }
            auto measured = measureCell(
                cell, jobOf(request, programs, table.targets[column]), measurer,
                [&](const measure::Progress &progress) { told(table, (done + progress.fraction) / all); },
                stop);
            if (!measured)
                return fail(std::move(measured.error()));
            told(table, (done + 1) / all);
        }
    }
    return table;
}

Result<Session> sessionAt(const TransferRequest &request, const KernelSizes &shape)
{
    auto sized = openWithSizes(request.kernelText, request.kernelName, shape);
    if (!sized)
        return fail(sized.error());
    auto opened = frontend::openKernelText(sized->text, sized->text);
    if (!opened)
        return fail(opened.error());
    opened->name = request.kernelName + (shape.empty() ? std::string() : " " + textOf(shape));
    auto session = Session::begin(std::move(*opened), {});
    if (!session)
        return fail(session.error());
    auto run = request.schedule.run(*session->tree().root().state);
    if (!run)
        return fail(std::move(run.error()));
    session->tree().setName(addBranch(*session, *run), request.schedule.name);
    return session;
}

} // namespace nestwright::session
