// SPDX-License-Identifier: Apache-2.0
#include "app/cli/codes.h"
#include "app/cli/command.h"
#include "app/cli/edited_code.h"
#include "app/cli/input.h"
#include "app/cli/kernel_inputs.h"
#include "app/cli/number_options.h"
#include "app/cli/path_options.h"
#include "app/cli/seal_check.h"
#include "app/cli/text/symbolic_sizes.h"
#include "core/codegen/loops.h"
#include "core/explore/judge/smaller_program.h"
#include "core/interp/codes.h"
#include "core/measure/measurer.h"
#include "core/measure/verify/interpreted.h"
#include "core/measure/verify/rungs.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <format>
#include <iostream>

namespace nestwright::cli {

using measure::Rung;
using measure::RungResult;

namespace {

constexpr std::string_view everyRung = "all";

struct VerifyOptions : CommonOptions {
    std::uint64_t seed = 1;
    std::optional<double> tolerance;
    std::vector<std::string> sizes, inputs, rungs, edited;
    bool interpreted = false, withoutSandbox = false;
    bool seal = false, asJson = false;
    std::optional<std::int64_t> sealExtent;
};

int verified(const std::optional<double> &tolerance, const std::string &found)
{
    const std::string granted =
        tolerance ? std::format("relative tolerance {:g} beyond rounding", *tolerance) : "";
    const std::string all = granted + (granted.empty() || found.empty() ? "" : "; ") + found;
    std::cout << "verified: the scheduled program gives the results of the unscheduled one"
              << (all.empty() ? "" : " (" + all + ')') << '\n';
    return Done;
}

/// Those that the options name. Error: "usage.rung".
support::Result<std::vector<Rung>> chosenRungs(const VerifyOptions &options, const target::Target &target)
{
    std::vector<Rung> all = measure::rungsOf(target);
    std::vector<Rung> chosen;
    for (const std::string &name : options.rungs) {
        if (name == everyRung)
            return all;
        if (!target.isGpu() && name == measure::factsOf(Rung::Compiled).name) {
            chosen.push_back(Rung::Compiled);
            continue;
        }
        const auto found =
            std::ranges::find(all, name, [](Rung rung) { return std::string(measure::factsOf(rung).name); });
        if (found == all.end()) {
            std::string names;
            for (const Rung rung : all)
                names += std::string(measure::factsOf(rung).name) + ", ";
            return support::fail(
                support::diagnostic("usage.rung",
                                    "the target '" + target.str() + "' is not verified by '" + name + '\'')
                    .withHint("it is by " + names + std::string(everyRung)));
        }
        chosen.push_back(*found);
    }
    if (options.interpreted)
        chosen.insert(chosen.begin(), Rung::Interpreter);
    return chosen;
}

void show(const RungResult &result)
{
    const measure::RungFacts &facts = measure::factsOf(result.rung);
    const char *word = result.outcome == RungResult::Outcome::Holds   ? "holds"
                       : result.outcome == RungResult::Outcome::Fails ? "FAILS"
                                                                      : "not here";
    std::cout << std::format("{:<12} {:<9} {:6.2f} s  ", facts.name, word, result.seconds)
              << (result.reason          ? result.reason->message
                  : result.found.empty() ? std::string(facts.summary)
                                         : result.found)
              << std::endl;
    if (result.reason && !result.reason->hint.empty())
        std::cout << std::string(33, ' ') << result.reason->hint << std::endl;
}

/// Faults that a compiled run does not show, where running it step by step takes no time. Functions
/// that the interpreter does not run are let pass.
support::Result<void> checkQuickly(const measure::MeasureJob &job)
{
    const ir::Module &scheduled = job.variants.front();
    if (job.target.isGpu() || !job.edits.empty() || !measure::isQuicklyInterpreted(job, scheduled))
        return {};
    if (auto fits = codegen::requireNoThreads(scheduled); !fits)
        return fits;
    auto checked = measure::verifyByInterpreter(job, scheduled);
    constexpr auto unseen = std::to_array<std::string_view>(
        {interp::codes::outOfBounds, interp::codes::race, interp::codes::unwritten});
    return checked || std::ranges::contains(unseen, checked.error().code) ? checked : support::Result<void>();
}

/// One rung says what is wrong as an error; several are a table.
int climb(const measure::MeasureJob &job, const std::vector<Rung> &rungs, const VerifyOptions &options)
{
    measure::Measurer measurer;
    const bool isTable = rungs.size() > 1;
    std::optional<measure::SmallerProgram> smaller;
    if (isTable) {
        if (const auto path = opener().loadPath(options.module, options.schedule))
            smaller = explore::smallerProgram(*path, job);
    }
    const auto shown = [&](const RungResult &result) {
        if (isTable)
            show(result);
    };
    const auto results = [&] {
        const ShownPhases phases;
        return measure::climb(measurer, job, rungs, shown, {}, smaller ? &*smaller : nullptr);
    }();
    if (!results)
        return report(results.error());
    if (isTable)
        return std::ranges::contains(*results, RungResult::Outcome::Fails, &RungResult::outcome) ? No : Done;
    const RungResult &only = results->front();
    return only.reason ? report(*only.reason) : verified(job.relativeTolerance, only.found);
}

int verify(const VerifyOptions &options)
{
    if (options.seal) {
        const auto sizes = parseSizes(options.sizes);
        return sizes ? sealCheck({options, *sizes, options.seed, options.sealExtent, options.asJson})
                     : report(sizes.error());
    }
    const auto original = opener().loadUnscheduled(options.module);
    if (!original)
        return report(original.error());
    const auto scheduled = load(options);
    if (!scheduled)
        return report(scheduled.error());
    auto rungs = chosenRungs(options, scheduled->target);
    if (!rungs)
        return report(rungs.error());
    if (rungs->empty())
        rungs->push_back(measure::usualRung(scheduled->target));
    const auto sizes = parseSizes(options.sizes);
    if (!sizes)
        return report(sizes.error());
    auto inputs = readInputs(options.inputs);
    if (!inputs)
        return report(inputs.error());
    measure::MeasureJob job;
    job.reference = original->module;
    job.variants = {scheduled->state.module};
    if (!options.edited.empty()) {
        if (const auto may = checkSandbox(options.withoutSandbox); !may)
            return report(may.error());
        auto code = readEdited(options.edited.front());
        if (!code)
            return report(code.error());
        job.edits.emplace(0, std::move(*code));
    }
    job.target = scheduled->target;
    job.sizes = *sizes;
    job.defaultSize = 128;
    job.seed = options.seed;
    job.relativeTolerance = options.tolerance;
    job.externs = options.externs;
    job.inputs = std::move(*inputs);
    if (options.rungs.empty() && !options.interpreted) {
        if (const auto sound = checkQuickly(job); !sound)
            return report(sound.error());
    }
    return climb(job, *rungs, options);
}

} // namespace

std::function<int()> declareVerify(CLI::App &app)
{
    auto options = std::make_shared<VerifyOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    addEdited(app, options->edited);
    app.get_option("--edited")->expected(1);
    addWithoutSandbox(app, options->withoutSandbox);
    app.add_option("--seed", options->seed, "of the random inputs")->capture_default_str();
    app.add_option(
           "--tolerance", options->tolerance,
           "relative difference of floating-point results that is granted beyond what rounding explains")
        ->check(relativeTolerance());
    app.add_option("--size", options->sizes, "a symbolic size, as n=1000")->allow_extra_args(false);
    addKernelInputs(app, options->inputs);
    options->addExternLibraries(app);
    app.add_option("--how", options->rungs,
                   "the ways to verify, as a table: interpreter, llvm, c, compiled (the target's own of the "
                   "two), opencl, cuda-text, nvrtc, device (GPUs), or all that the target has, the quickest "
                   "first")
        ->delimiter(',');
    app.add_flag("--interpreter", options->interpreted,
                 "run both by the reference interpreter: slow, but for thread loops and any function too");
    auto *seal = app.add_flag(
        "--seal", options->seal,
        "say whether both are equal for every input, rounding apart, in the arithmetic of a prime field");
    app.add_option("--extent", options->sealExtent,
                   "the seal's: larger buffers and loops are cut to so many along each (0: as they are); "
                   "otherwise a kernel of much work is cut to sizes at which the schedule still does all "
                   "that it does")
        ->check(CLI::NonNegativeNumber)
        ->needs(seal);
    app.add_flag("--json", options->asJson, "the seal's answer as JSON")->needs(seal);
    return [options] { return verify(*options); };
}

} // namespace nestwright::cli
