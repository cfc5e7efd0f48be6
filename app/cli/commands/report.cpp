// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"

#include "app/cli/command.h"
#include "app/cli/edited_code.h"
#include "app/cli/input.h"
#include "core/measure/measurer.h"
#include "core/report/model_report.h"
#include "core/session/measure_job.h"
#include "core/session/session.h"
#include "core/workbench/opening/module_names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

namespace nestwright::cli {

using session::Session;
using session::VariantId;
using support::fail;
using support::Result;

namespace {

struct ReportOptions {
    std::string module, target, output;
    std::vector<std::string> schedules;
    bool measures = false, runsEdited = false, withoutSandbox = false;
};

/// The unscheduled program and the ends of all branches, in one run.
Result<void> measureEnds(Session &session)
{
    std::vector<VariantId> ids;
    measure::MeasureJob job;
    const session::VariantTree &tree = session.tree();
    job.reference = tree.root().state->module;
    job.target = session.target();
    for (const session::Variant &variant : tree.all()) {
        const bool isEnd = variant.ok() && std::ranges::all_of(variant.children, [&](VariantId child) {
                               return tree.at(child).edit.has_value();
                           });
        if (!variant.isRoot() && !isEnd && variant.name.empty())
            continue;
        if (const auto added = session::addTo(job, variant); !added) {
            std::cerr << "note: " << variant.label << ": " << added.error().message << '\n';
            continue;
        }
        ids.push_back(variant.id);
    }
    measure::Measurer measurer;
    auto results = measurer.measure(job, [](const measure::Progress &) {});
    if (!results)
        return fail(results.error());
    for (std::size_t i = 0; i < ids.size(); ++i)
        session.setMeasurement(ids[i], std::move((*results)[i]));
    return {};
}

/// The whole of a session on a model; of `P.nest#KERNEL` that kernel as any other.
int writeModelReport(const ReportOptions &options)
{
    if (!options.schedules.empty() || options.measures || !options.target.empty())
        return report(
            support::diagnostic("usage.report", "a report on a session of a model shows what it keeps")
                .withHint("time it with `nestc bench-model " + options.module
                          + "`, or name one of its kernels: " + options.module + "#KERNEL"));
    const auto work = session::loadModelProject(options.module);
    if (!work)
        return report(work.error());
    return writeOutput(options.output, report::modelReport(*work, report::modelFormOf(options.output)));
}

int writeReport(const ReportOptions &options)
{
    if (session::isModelProject(options.module))
        return writeModelReport(options);
    auto session = opener().openProgram(options.module);
    if (!session)
        return report(session.error());
    if (!options.target.empty()) {
        const auto target = target::parseTarget(options.target);
        if (!target)
            return report(target.error());
        session->setTarget(*target);
    }
    for (const std::string &schedule : options.schedules) {
        const auto end = opener().addBranch(*session, schedule);
        if (!end)
            return report(end.error());
        session->tree().addName(*end, workbench::nameOfSchedule(schedule));
    }
    if (options.runsEdited) {
        if (options.measures && session->tree().foreignEdits() > 0) {
            if (const auto may = checkSandbox(options.withoutSandbox); !may)
                return report(may.error());
        }
        session->tree().allowEdits();
    }
    if (options.measures) {
        if (const auto measured = measureEnds(*session); !measured)
            return report(measured.error());
    }
    const bool isTable = options.output.ends_with(".md");
    return writeOutput(options.output,
                       isTable ? report::markdownTable(*session) : report::htmlReport(*session));
}

} // namespace

std::function<int()> declareReport(CLI::App &app)
{
    auto options = std::make_shared<ReportOptions>();
    app.add_option("module", options->module,
                   "a session (.nest) on a kernel or a model, a kernel or an operator")
        ->required();
    app.add_option("--target", options->target, "whose code is shown and measured; else the session's");
    addSchedules(app, options->schedules, "schedule scripts, a branch each", true);
    app.add_flag("--measure", options->measures, "measure the ends of the branches");
    addRunEdited(app, options->runsEdited);
    addWithoutSandbox(app, options->withoutSandbox);
    app.add_option("-o,--output", options->output,
                   "the page, as report.html; or report.md: a table of the figures; of a model report.csv "
                   "and report.json, "
                   "too")
        ->required();
    return [options] { return writeReport(*options); };
}

} // namespace nestwright::cli
