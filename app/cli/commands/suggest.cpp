// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/explore/findings/finding.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "core/script/print/printer.h"
#include "core/session/files/project_file.h"
#include "core/session/history/experience.h"
#include "core/session/reuse/refit.h"
#include "core/session/session.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/suggestions.h"
#include "core/workbench/opening/module_names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <format>
#include <iostream>

namespace nestwright::cli {

using support::StmtId;
using workbench::JudgedFinding;
using workbench::Suggested;

namespace {

struct SuggestOptions : CommonOptions {
    std::string at;
    bool json = false, refused = false, measures = false, findingsOnly = false;
};

std::string headingOf(const suggest::LoopNest &nest, StmtId id)
{
    if (nest.block(id))
        return nest.name(id) + ", a block";
    const auto iterations = nest.iterations(id);
    return nest.name(id) + ", a loop"
           + (iterations ? std::format(" of {} iteration{}", *iterations, *iterations == 1 ? "" : "s") : "");
}

void print(const explore::StepPath &path, const std::vector<JudgedFinding> &findings)
{
    for (const JudgedFinding &each : findings) {
        const explore::Finding &finding = each.finding;
        std::cout << std::format("{}. [{}]\n  {}: predicted {:.2f} times as fast", finding.title,
                                 explore::nameOf(finding.fault), finding.remedy.title, finding.gain);
        if (each.measured)
            std::cout << std::format(", measured {:.2f} ({:.2f} to {:.2f}){}", each.measured->ratio.median,
                                     each.measured->ratio.low, each.measured->ratio.high,
                                     each.measured->significant ? "" : ", not significant");
        if (each.failure)
            std::cout << ", not measured: " << each.failure->message;
        std::cout << '\n';
        if (finding.branchesAt(path) < path.size())
            std::cout << std::format("    after step {} of {}:\n", finding.branchesAt(path), path.size());
        for (const std::string &step : workbench::stepsOf(path, finding))
            std::cout << "    " << step << '\n';
        std::cout << '\n';
    }
}

void print(const suggest::LoopNest &nest, const std::vector<Suggested> &all, bool refused)
{
    for (const Suggested &each : all) {
        std::cout << headingOf(nest, each.id) << '\n';
        for (const suggest::Action &action : each.actions) {
            if (action.legal() && action.needsTyping)
                std::cout << "  " << action.primitive->name << "(…)\n";
            else if (action.legal())
                std::cout << "  " << schedule::describe(action.step(), nest.state()) << '\n';
            else if (refused) {
                std::cout << std::format("  not {}: {}\n", action.primitive->name, action.refused->message);
                if (const auto fix = suggest::fixFor(nest, action))
                    std::cout << "      but " << fix->title << '\n';
            }
        }
    }
}

/// Times all remedies alternately with the schedule itself.
support::Result<void> measureRemedies(const SuggestOptions &options, const explore::StepPath &path,
                                      const target::Target &target, std::vector<JudgedFinding> &findings)
{
    const auto original = opener().loadUnscheduled(options.module);
    if (!original)
        return std::unexpected(original.error());
    measure::MeasureJob job;
    job.reference = original->module;
    job.variants = {path.end().module};
    for (const JudgedFinding &each : findings)
        job.variants.push_back(each.finding.remedy.path.end().module);
    job.target = target;
    job.externs = options.externs;
    job.wantPeak = false;
    measure::Measurer measurer;
    const auto results = measurer.measure(job, [](const measure::Progress &) {});
    if (!results)
        return std::unexpected(results.error());
    for (std::size_t i = 0; i < findings.size(); ++i) {
        findings[i].measured = results->at(i + 1).speedup;
        findings[i].failure = results->at(i + 1).failure;
    }
    return {};
}

/// A schedule, and what was measured beside it.
struct Asked {
    explore::StepPath path;
    explore::Experience experience{};
};

/// The program asked about; of a session its current variant, with the steps that led there.
support::Result<Asked> askedOf(const SuggestOptions &options, const target::Machine &machine)
{
    if (workbench::isSession(options.module) && options.schedule.empty()) {
        const auto session = opener().openSession(options.module);
        if (!session)
            return support::fail(session.error());
        const session::VariantTree &tree = session->tree();
        return Asked{tree.steps(tree.current().id), session::experienceOf(tree, tree.current().id, machine)};
    }
    const auto root = opener().loadStart(options.module, options.schedule, true);
    auto path = root ? opener().pathOf(*root, options.schedule) : support::fail(root.error());
    return path ? support::Result<Asked>(Asked{*std::move(path)}) : support::fail(path.error());
}

int suggestSteps(const SuggestOptions &options)
{
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    const target::Machine machine = measure::machineOf(*target);
    const auto asked = askedOf(options, machine);
    if (!asked)
        return report(asked.error());
    const explore::StepPath &path = asked->path;
    explore::Experience experience = asked->experience;
    experience.refitted = [&target](const explore::StepPath &made) {
        return session::refitted(made, *target);
    };
    const suggest::LoopNest nest(path.end(), script::print(path.end().module));
    const auto statements = workbench::statementsAt(nest, options.at);
    if (!statements)
        return report(statements.error());
    auto found = explore::findingsOf(path, *target, machine, {}, experience);
    if (!found)
        return report(found.error());
    std::vector<JudgedFinding> findings;
    for (explore::Finding &each : *found)
        findings.push_back({std::move(each)});
    if (options.measures && !findings.empty()) {
        if (const auto done = measureRemedies(options, path, *target, findings); !done)
            return report(done.error());
    }
    const std::vector<Suggested> all =
        options.findingsOnly ? std::vector<Suggested>() : workbench::suggestedAt(nest, *statements);
    if (options.json) {
        std::cout << support::jsonText(workbench::toJson(nest, path, findings, all, options.refused), 2)
                  << std::endl;
        return Done;
    }
    print(path, findings);
    if (const std::string told = explore::describe(experience); !told.empty() && !findings.empty())
        std::cout << "Predictions are corrected by what was measured in this session: " << told << ".\n\n";
    print(nest, all, options.refused);
    if (options.findingsOnly && findings.empty())
        std::cout << "Nothing was found that a change of the schedule is predicted to make faster.\n";
    return Done;
}

} // namespace

std::function<int()> declareSuggest(CLI::App &app)
{
    auto options = std::make_shared<SuggestOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    app.add_option("--at", options->at, "only the steps of this loop or block");
    app.add_flag("--refused", options->refused, "steps that are not legal as well, with the reason");
    app.add_flag("--findings", options->findingsOnly, "only what is wrong, with the remedies");
    app.add_flag("--measure", options->measures, "time the remedies, alternately with the schedule itself");
    options->addExternLibraries(app);
    app.add_flag("--json", options->json, "print JSON");
    return [options] { return suggestSteps(*options); };
}

} // namespace nestwright::cli
