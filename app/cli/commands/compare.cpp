// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/compared_sessions.h"
#include "app/cli/edited_code.h"
#include "app/cli/input.h"
#include "app/cli/model_comparison.h"
#include "app/cli/text/comparison_text.h"
#include "core/backend/backend.h"
#include "core/explore/compare/peer_comparison.h"
#include "core/ir/node/equality.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "core/session/files/project_file.h"
#include "core/session/model/model_project.h"
#include "core/support/text/json_output.h"
#include "core/support/text/line_difference.h"
#include "core/workbench/answers/comparisons.h"
#include "core/workbench/opening/module_names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <format>
#include <iostream>

namespace nestwright::cli {

using explore::Comparison;
using support::diagnostic;

namespace {

struct CompareOptions : CommonOptions {
    std::string newer; ///< a second session
    std::vector<std::string> schedules, names, variants;
    std::string show, withCode, withLibrary;
    bool json = false, measures = false, hasTarget = false, runsEdited = false, withoutSandbox = false;
    std::optional<double> failBelow;
    int repetitions = 10;

    bool hasPeer() const { return !withCode.empty() || !withLibrary.empty(); }
    bool wantsTimes() const { return measures || failBelow; }
    ComparedFiles files() const
    {
        return {module, newer, variants, hasTarget ? target : "", runsEdited, withoutSandbox};
    }
};

/// The module as it is where there is no script.
support::Result<explore::Side> sideOf(const schedule::State &root, const std::string &file)
{
    auto path = opener().pathOf(root, file);
    if (!path)
        return std::unexpected(path.error());
    return explore::Side{file.empty() ? "as it is" : workbench::nameOfSchedule(file), *std::move(path)};
}

/// The module with each of the schedules.
support::Result<ComparedSides> sidesOfSchedules(const CompareOptions &options)
{
    if (options.schedules.empty() || options.schedules.size() > 2)
        return std::unexpected(
            diagnostic("usage.schedule", std::format("two variants are compared, but {} schedules are given",
                                                     options.schedules.size()))
                .withHint("give two with --schedule, or one to compare it with the module as it is; two "
                          "sessions (.nest) need none"));
    auto target = target::parseTarget(options.target);
    if (!target)
        return std::unexpected(target.error());
    const auto root = opener().loadStart(options.module, options.schedules.front());
    if (!root)
        return std::unexpected(root.error());
    const bool hasPlain = options.schedules.size() == 1;
    auto first = sideOf(*root, hasPlain ? std::string() : options.schedules.front());
    if (!first)
        return std::unexpected(first.error());
    auto second = sideOf(*root, options.schedules.back());
    if (!second)
        return std::unexpected(second.error());
    if (first->name == second->name) {
        first->name += " 1";
        second->name += " 2";
    }
    ComparedSides sides{*std::move(first), *std::move(second), *std::move(target)};
    if (!options.wantsTimes())
        return sides;
    const auto original = opener().loadUnscheduled(options.module);
    if (!original)
        return std::unexpected(original.error());
    sides.job.reference = original->module;
    sides.job.variants = {sides.first.path.end().module, sides.second.path.end().module};
    return sides;
}

support::Result<void> checkNames(const CompareOptions &options)
{
    if (!options.names.empty() && options.names.size() != 2)
        return std::unexpected(diagnostic("usage.names", std::format("{} names are given for two variants",
                                                                     options.names.size()))
                                   .withHint("write them as --names old,new"));
    if (options.variants.size() > 2)
        return std::unexpected(diagnostic("usage.variant", "more than two variants are named")
                                   .withHint("write one for both sessions, or --variant old,new"));
    return {};
}

support::Result<ComparedSides> loadSides(const CompareOptions &options)
{
    auto sides = options.newer.empty() ? sidesOfSchedules(options) : sidesOfSessions(options.files());
    if (sides && !options.names.empty()) {
        sides->first.name = options.names.front();
        sides->second.name = options.names.back();
    }
    return sides;
}

/// The source that --show names.
support::Result<std::string> textOf(const CompareOptions &options, const schedule::State &state,
                                    const target::Target &target)
{
    if (options.show == "script")
        return script::print(state.module).text;
    const backend::SourceFormat &format = *backend::findSourceFormat(options.show);
    auto source = backend::source(state.module, backend::targetOf(format, target), format.kind);
    if (!source)
        return std::unexpected(source.error());
    return std::move(source->text);
}

/// Timed alternately in one run.
support::Result<std::vector<measure::Measurement>>
measured(const CompareOptions &options, const target::Target &target, measure::MeasureJob job)
{
    job.target = target;
    job.externs = options.externs;
    job.repetitions = options.repetitions;
    job.wantPeak = false;
    measure::Measurer measurer;
    auto results = measurer.measure(job, [](const measure::Progress &) {});
    if (!results)
        return std::unexpected(results.error());
    for (const measure::Measurement &each : *results) {
        if (each.failure)
            return std::unexpected(*each.failure);
    }
    const auto disturbed = std::ranges::find(*results, true, &measure::Measurement::disturbed);
    if (disturbed != results->end())
        std::cerr << "note: " << measure::disturbance(disturbed->otherLoad) << '\n';
    return results;
}

/// The second's speed over the first's; not significant where both are the same program. Fills in the times.
support::Result<measure::Speedup> speedupOf(const CompareOptions &options, const ComparedSides &sides,
                                            Comparison &comparison)
{
    const auto results = measured(options, sides.target, sides.job);
    if (!results)
        return std::unexpected(results.error());
    const auto &speedup = results->back().speedup;
    if (!speedup)
        return std::unexpected(diagnostic("measure.no-speedup", "the two variants were not timed together"));
    comparison.seconds = {results->front().time.median, results->back().time.median};
    const measure::MeasureJob &job = sides.job;
    const bool isSame = job.edits.empty() && ir::structurallyEqual(job.variants.front(), job.variants.back());
    return measure::Speedup{speedup->ratio, speedup->significant && !isSame};
}

/// Prints the difference of two texts, where one is asked for.
void showDifference(const Comparison &comparison, const std::string &first, const std::string &second)
{
    std::cout << std::format("\n--- {}\n+++ {}\n", comparison.first.name, comparison.second.name)
              << support::lineDifference(first, second);
}

void print(const CompareOptions &options, const Comparison &comparison,
           const std::optional<measure::Speedup> &speedup)
{
    if (options.json) {
        std::cout << support::jsonText(workbench::toJson(comparison, speedup), 2) << '\n';
        return;
    }
    std::cout << sentence(comparison.sentence) << '\n';
    if (!comparison.reason.empty())
        std::cout << sentence(comparison.reason) << '\n';
    if (speedup)
        std::cout << sentence(speedupText(*speedup, comparison.first.name, comparison.second.name)) << '\n';
    std::cout << '\n';
    showTable(comparison);
}

/// The exit status: whether the second is too slow.
int statusOf(const CompareOptions &options, const std::optional<measure::Speedup> &speedup)
{
    const bool isSlower =
        options.failBelow && speedup && speedup->significant && speedup->ratio.high < *options.failBelow;
    return isSlower ? No : Done;
}

int showSources(const CompareOptions &options, const Comparison &comparison, const ComparedSides &sides)
{
    const auto first = textOf(options, sides.first.path.end(), sides.target);
    if (!first)
        return report(first.error());
    const auto second = textOf(options, sides.second.path.end(), sides.target);
    if (!second)
        return report(second.error());
    showDifference(comparison, *first, *second);
    return Done;
}

int compareVariants(const CompareOptions &options)
{
    const auto sides = loadSides(options);
    if (!sides)
        return report(sides.error());
    auto comparison =
        explore::compare(sides->first, sides->second, sides->target, measure::threadsOf(sides->target));
    if (!comparison)
        return report(comparison.error());
    std::optional<measure::Speedup> speedup;
    if (options.wantsTimes()) {
        const auto result = speedupOf(options, *sides, *comparison);
        if (!result)
            return report(result.error());
        speedup = *result;
    }
    print(options, *comparison, speedup);
    if (!options.show.empty()) {
        if (const int status = showSources(options, *comparison, *sides); status != Done)
            return status;
    }
    return statusOf(options, speedup);
}

int compareSessionsOnModels(const CompareOptions &options)
{
    auto comparison = compareModels(options.files(),
                                    {.measures = options.wantsTimes(), .repetitions = options.repetitions});
    if (!comparison)
        return report(comparison.error());
    if (!options.names.empty())
        comparison->names = {options.names.front(), options.names.back()};
    for (const std::string &kernel : comparison->left)
        std::cerr << "note: the model has no kernel any more that computes \"" << kernel << "\"\n";
    std::cout << (options.json ? support::jsonText(workbench::toJson(*comparison), 2) + '\n'
                               : printedTable(*comparison));
    return statusOf(options, comparison->whole.speedup);
}

support::Result<measure::PeerCode> peerOf(const CompareOptions &options, const target::Target &target,
                                          const schedule::State &root)
{
    if (!options.withCode.empty())
        return measure::codeOfFile(measure::parsePeerFile(options.withCode), target);
    const auto kernel = analysis::libraryKernelOf(*root.module.mainEntry()->function);
    if (!kernel)
        return std::unexpected(measure::noLibraryFor(options.module));
    const auto library =
        options.withLibrary == "openblas" ? measure::PeerLibrary::OpenBlas : measure::PeerLibrary::OneDnn;
    return measure::codeOfLibrary(library, *kernel, target, options.measures);
}

/// Options that only go with two variants.
support::Result<void> checkPeerOptions(const CompareOptions &options)
{
    if (!options.newer.empty() || !options.variants.empty())
        return support::fail(diagnostic("usage.sessions", "the code of others is compared with one module")
                                 .withHint("leave the second session out, and --variant"));
    if (options.schedules.size() > 1)
        return support::fail(diagnostic("usage.schedule", std::format("one variant is compared with the code "
                                                                      "of others, but {} schedules are given",
                                                                      options.schedules.size()))
                                 .withHint("give one with --schedule"));
    if (options.measures && !options.withCode.empty())
        return support::fail(diagnostic("usage.measure", "the code of a file is read, not run")
                                 .withHint("leave --measure out"));
    if (!options.show.empty() && options.show != "asm")
        return support::fail(
            diagnostic("usage.show", "others' code is known as assembly alone").withHint("write --show asm"));
    return {};
}

int compareWithPeer(const CompareOptions &options)
{
    if (const auto checked = checkPeerOptions(options); !checked)
        return report(checked.error());
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    const std::string schedule = options.schedules.empty() ? std::string() : options.schedules.front();
    const auto root = opener().loadStart(options.module, schedule);
    if (!root)
        return report(root.error());
    auto side = sideOf(*root, schedule);
    if (!side)
        return report(side.error());
    const schedule::State original = opener().loadUnscheduled(options.module).value_or(*root);
    auto peer = peerOf(options, *target, original);
    if (!peer)
        return report(peer.error());
    if (peer->time && peer->time->disturbed)
        std::cerr << "note: " << measure::disturbance(peer->time->otherLoad) << '\n';
    if (options.names.size() == 2) {
        side->name = options.names.front();
        peer->name = options.names.back();
    }
    auto comparison = explore::compareWithPeer(*side, *peer, *target);
    if (!comparison)
        return report(comparison.error());
    if (options.measures) {
        measure::MeasureJob job;
        job.reference = original.module;
        job.variants = {side->path.end().module};
        const auto results = measured(options, *target, std::move(job));
        if (!results)
            return report(results.error());
        comparison->seconds.first = results->front().time.median;
    }
    print(options, *comparison, {});
    if (!options.show.empty()) {
        const auto own = textOf(options, side->path.end(), *target);
        if (!own)
            return report(own.error());
        showDifference(*comparison, *own, peer->code.text);
    }
    return Done;
}

int compareAny(const CompareOptions &options)
{
    if (const auto checked = checkNames(options); !checked)
        return report(checked.error());
    if (options.hasPeer())
        return compareWithPeer(options);
    if (options.newer.empty())
        return compareVariants(options);
    const bool ofModels = session::isModelProject(options.module);
    for (const std::string &file : {options.module, options.newer}) {
        if (!file.ends_with(session::projectExtension))
            return report(
                diagnostic("compare.not-a-session", '"' + file + "\" is no session")
                    .withHint("two files that are compared are sessions (.nest); a module is compared "
                              "under two schedules"));
        if (session::isModelProject(file) != ofModels)
            return report(
                diagnostic("compare.other-kernel",
                           std::format("of \"{}\" and \"{}\" one is a session on a model, the other "
                                       "on a kernel",
                                       options.module, options.newer))
                    .withHint("compare two sessions on the same kernel, or on the same model"));
    }
    if (!options.schedules.empty())
        return report(diagnostic("usage.schedule", "two sessions are compared by their own schedules")
                          .withHint("leave out --schedule; --variant names others than the current ones"));
    return ofModels ? compareSessionsOnModels(options) : compareVariants(options);
}

} // namespace

std::function<int()> declareCompare(CLI::App &app)
{
    auto options = std::make_shared<CompareOptions>();
    app.add_option("MODULE", options->module,
                   "TVMScript or TE script, op:NAME(…), or the older of two sessions (.nest)")
        ->required();
    app.add_option("NEWER", options->newer,
                   "the newer session (.nest), on the same kernel or the same model as the older");
    options->addTarget(app);
    app.add_option("--variant", options->variants,
                   "variant of both sessions, or of each as old,new: a name, or #N; else the current ones")
        ->delimiter(',');
    addRunEdited(app, options->runsEdited);
    addWithoutSandbox(app, options->withoutSandbox);
    addSchedules(app, options->schedules,
                 "two schedule scripts, the older first; one: compared with the module as it is", true);
    app.add_option("--names", options->names, "what to call them, as old,new")->delimiter(',');
    options->addExternLibraries(app);
    auto *json = app.add_flag("--json", options->json, "print it as JSON");
    app.add_option("--show", options->show, "print the difference of their source, too")
        ->check(CLI::IsMember({"asm", "llvm", "c", "script"}))
        ->excludes(json);
    auto *code =
        app.add_option("--with-code", options->withCode,
                       "compare one variant with the code in a file of others: FILE or FILE:FUNCTION, "
                       "C, LLVM IR, assembly, an object file or a shared library")
            ->type_name("FILE");
    app.add_option(
           "--with-library", options->withLibrary,
           "compare one variant with what a library runs for it: a matrix product, convolution, softmax")
        ->check(CLI::IsMember({"openblas", "onednn"}))
        ->excludes(code);
    app.add_flag("--measure", options->measures, "time both, variants alternately in one run");
    app.add_option("--repetitions", options->repetitions, "timed rounds of each")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--fail-below", options->failBelow,
                   "time them, and exit with status 1 where the second is significantly slower: where all of "
                   "the interval of its speed, over that of the first, is below this number")
        ->check(CLI::PositiveNumber)
        ->excludes("--with-code")
        ->excludes("--with-library");
    return [options, target = app.get_option("--target")] {
        options->hasTarget = target->count() > 0;
        return compareAny(*options);
    };
}

} // namespace nestwright::cli
