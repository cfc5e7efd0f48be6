// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/scaling.h"

#include "core/analysis/kernel/thread_work.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/machine/topology.h"
#include "core/schedule/state.h"
#include "core/support/errors/codes.h"
#include "core/target/kinds.h"

#include <algorithm>
#include <format>

namespace nestwright::session {

using measure::MachinePeak;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// The machine's best for a kernel of these operations and bytes: in operations per second, or in bytes where
/// there are none.
double roofOf(const measure::Measurement &measured, const MachinePeak &peak)
{
    const auto holds = [&](const target::MemoryLevel &level) {
        return level.bytes == 0 || static_cast<double>(level.bytes) >= measured.bytes;
    };
    const auto level = std::ranges::find_if(peak.levels, holds);
    if (level == peak.levels.end())
        return measured.flops > 0 ? peak.float32Flops : 0;
    return measured.flops > 0 && measured.bytes > 0
               ? measure::attainable(peak, *level, measured.flops / measured.bytes)
               : level->bytesPerSecond;
}

measure::MeasureJob jobOf(const ScalingRequest &request, ir::Module program, const target::Target &target)
{
    measure::MeasureJob job;
    job.reference = request.reference;
    job.variants = {std::move(program)};
    job.target = target;
    job.repetitions = request.repetitions;
    job.secondsPerRepetition = request.secondsPerRepetition;
    job.secondsPerVariant = request.secondsPerVariant;
    job.wantPeak = false;
    return job;
}

void takeWork(ScalingRow &row, const ir::Module &program)
{
    const auto state = schedule::makeState(program);
    const ir::Module::Entry *main = state ? state->module.mainEntry() : nullptr;
    const auto work = main ? analysis::threadWorkOf(analysis::FunctionIndex(main->function)) : std::nullopt;
    if (!work)
        return;
    row.imbalance = analysis::imbalanceOf(*work, row.threads);
    const double all = work->serial + work->parallel();
    row.serial = all > 0 ? work->serial / all : 0;
}

/// Measures one row. Error: "cancelled".
Result<void> measureRow(ScalingRow &row, const ScalingRequest &request, measure::Measurer &measurer,
                        const measure::ProgressSink &progress, const std::stop_token &stop)
{
    target::Target target = request.target;
    target.threads = row.threads;
    auto program = request.program(target);
    if (!program) {
        row.why = std::move(program.error());
        return {};
    }
    takeWork(row, *program);
    auto measured = measurer.measure(jobOf(request, *program, target), progress, stop);
    if (!measured) {
        if (measured.error().code == support::codes::cancelled)
            return fail(std::move(measured.error()));
        row.why = std::move(measured.error());
        return {};
    }
    row.measured = std::move(measured->front());
    if (row.measured->failure)
        row.why = row.measured->failure;
    // Threads that take turns reach no more than those that run at the same time.
    if (const auto peak = measurer.machinePeak(std::min(row.threads, measure::usableThreads()), stop))
        row.roof = roofOf(*row.measured, *peak);
    return {};
}

/// Reason that keeps the row from being so many times as fast as it has threads.
std::string limitOf(const ScalingTable &table, const ScalingRow &row)
{
    constexpr double nearRoof = 0.85, nearIdeal = 0.9, shortCall = 5e-5;
    const auto speedup = table.speedup(row);
    const double share = static_cast<double>(row.threads) / table.rows.front().threads;
    if (!speedup || *speedup >= nearIdeal * share)
        return {};
    const int cores = measure::topology().cores(), usable = measure::usableThreads();
    if (row.threads > usable)
        return std::format("{} threads take turns on {} processors", row.threads, usable);
    if (row.measured->disturbed)
        return "other programs kept the machine busy";
    if (row.serial > (1 - nearIdeal) / share)
        return std::format("{:.0f} % of the work runs on one thread", 100 * row.serial);
    if (row.imbalance > 1 / nearIdeal)
        return std::format("the busiest thread has {:.2f} times the mean's work", row.imbalance);
    if (row.roof > 0 && table.rate(row) >= nearRoof * row.roof)
        return "it is near the machine's roof";
    if (row.measured->time.median < shortCall)
        return std::format("a call takes {:.0f} µs, and waking the threads some of them",
                           row.measured->time.median * 1e6);
    if (row.threads > cores)
        return std::format("{} threads share the units of {} cores", row.threads, cores);
    if (row.roof > 0 && table.ideal(row) > row.roof)
        return "the machine's roof does not rise as fast";
    return "caches, memory or the clock: its parts are even, and the roof is higher";
}

} // namespace

double ScalingTable::rate(const ScalingRow &row) const
{
    if (!row.measured || !row.measured->ok())
        return 0;
    return (isOfBytes ? row.measured->bytes : row.measured->flops) / row.measured->time.median;
}

std::optional<double> ScalingTable::speedup(const ScalingRow &row) const
{
    const double first = rows.empty() ? 0 : rate(rows.front()), own = rate(row);
    return first > 0 && own > 0 ? std::optional(own / first) : std::nullopt;
}

double ScalingTable::ideal(const ScalingRow &row) const
{
    return rows.empty() ? 0 : rate(rows.front()) * row.threads / rows.front().threads;
}

std::vector<int> scalingThreads(int all)
{
    std::vector<int> counts;
    for (int count = 1; count < all; count *= 2)
        counts.push_back(count);
    counts.push_back(std::max(1, all));
    return counts;
}

Result<ScalingTable> measureScaling(const ScalingRequest &request, measure::Measurer &measurer,
                                    const ScalingSink &told, std::stop_token stop)
{
    if (target::kindOf(request.target.kind).isOfDevices)
        return fail(diagnostic("scaling.target",
                               std::format("'{}' has no number of threads to choose", request.target.str()))
                        .withHint("take llvm or c: a device uses all of its processors"));
    ScalingTable table{
        .kernel = request.kernel, .schedule = request.schedule, .target = request.target, .rows = {}};
    std::vector<int> counts =
        request.threads.empty() ? scalingThreads(measure::usableThreads()) : request.threads;
    std::ranges::sort(counts);
    counts.erase(std::ranges::unique(counts).begin(), counts.end());
    for (const int count : counts)
        table.rows.push_back({.threads = count});
    const auto all = static_cast<double>(table.rows.size());
    told(table, 0);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        ScalingRow &row = table.rows[i];
        const auto done = static_cast<double>(i);
        const auto measured = measureRow(
            row, request, measurer,
            [&](const measure::Progress &progress) { told(table, (done + progress.fraction) / all); }, stop);
        if (!measured)
            return fail(measured.error());
        if (row.measured && row.measured->flops <= 0)
            table.isOfBytes = true;
        if (i > 0)
            row.limit = limitOf(table, row);
        told(table, (done + 1) / all);
    }
    return table;
}

} // namespace nestwright::session
