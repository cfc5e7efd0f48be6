// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/scaling.h"
#include "app/cli/command.h"
#include "app/cli/effort_options.h"
#include "app/cli/input.h"
#include "app/cli/shown_percent.h"
#include "core/support/text/json_output.h"
#include "core/target/most_threads.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace nestwright::cli {

using session::ScalingTable;
using support::Result;

namespace {

struct ScalingOptions : CommonOptions {
    std::vector<int> threads;
    EffortOptions effort;
    bool json = false, csv = false;
};

int scaling(const ScalingOptions &options)
{
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    auto reference = opener().loadUnscheduled(options.module);
    if (!reference)
        return report(reference.error());
    session::ScalingRequest request{.kernel = options.module,
                                    .schedule = options.schedule.empty() ? "as it stands" : options.schedule,
                                    .reference = reference->module,
                                    .program = [&](const target::Target &of) -> Result<ir::Module> {
                                        opener().setTarget(of);
                                        auto state = opener().loadScheduled(options.module, options.schedule);
                                        return state ? Result<ir::Module>(state->module)
                                                     : support::fail(std::move(state.error()));
                                    },
                                    .target = *target,
                                    .threads = options.threads};
    options.effort.applyTo(request);
    measure::Measurer measurer;
    const auto table = [&] {
        const ShownPercent shown;
        return session::measureScaling(request, measurer,
                                       [&](const ScalingTable &, double fraction) { shown.tell(fraction); });
    }();
    if (!table)
        return report(table.error());
    const std::string text = options.json  ? support::jsonText(session::toJson(*table), 2) + '\n'
                             : options.csv ? session::csvOf(*table)
                                           : session::printedTable(*table);
    if (const int status = writeOutput({}, text))
        return status;
    return std::ranges::any_of(table->rows,
                               [](const session::ScalingRow &row) { return row.why.has_value(); })
               ? No
               : Done;
}

} // namespace

std::function<int()> declareScaling(CLI::App &app)
{
    auto options = std::make_shared<ScalingOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    app.add_option("--threads", options->threads,
                   "numbers of threads, as 1,2; else 1, 2, 4 … and all that can run at the same time")
        ->delimiter(',')
        ->check(CLI::Range(1, target::mostPoolThreads));
    options->effort.addTo(app);
    auto *json = app.add_flag("--json", options->json, "print it as JSON, with every sample");
    app.add_flag("--csv", options->csv, "print a line per number of threads")->excludes(json);
    return [options] { return scaling(*options); };
}

} // namespace nestwright::cli
