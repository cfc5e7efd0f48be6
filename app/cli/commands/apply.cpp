// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/schedule/script/trace_json.h"
#include "core/schedule/script/trace_simplify.h"
#include "core/schedule/script/writer.h"
#include "core/script/print/printer.h"
#include "core/support/files/input_file.h"

#include <CLI/CLI.hpp>

namespace nestwright::cli {

namespace {

std::vector<schedule::Step> stepsOf(const schedule::ScriptRun &run)
{
    std::vector<schedule::Step> steps;
    steps.reserve(run.steps.size());
    for (const schedule::ScriptStep &each : run.steps)
        steps.push_back(each.step);
    return steps;
}

support::Result<schedule::TensorIntrins> readIntrins(const std::vector<std::string> &given)
{
    schedule::TensorIntrins intrins;
    for (const std::string &each : given) {
        const std::size_t equals = each.find('=');
        if (equals == std::string::npos || equals == 0)
            return support::fail("cli.intrin", "--intrin takes NAME=FILE, found '" + each + "'");
        const std::string file = each.substr(equals + 1);
        const auto text = support::readText(file);
        if (!text)
            return support::fail(text.error());
        auto intrin = schedule::readTensorIntrin(*text, file);
        if (!intrin)
            return support::fail(std::move(intrin.error()));
        intrins[each.substr(0, equals)] = std::move(*intrin);
    }
    return intrins;
}

} // namespace

std::function<int()> declareApply(CLI::App &app)
{
    struct Options : CommonOptions {
        std::string output, traceJson, script;
        std::int64_t seed = 1;
        std::vector<std::string> intrins; ///< "NAME=F.py"
        bool simplified = false;
    };
    auto options = std::make_shared<Options>();
    options->addModule(app);
    options->addSchedule(app);
    app.add_option("-o", options->output, "where to write the module (default: standard output)");
    app.add_option("--trace-json", options->traceJson, "write the trace as JSON");
    app.add_option("--script", options->script, "write the trace as a schedule script");
    options->addStyle(app);
    app.add_option("--seed", options->seed, "of the steps that sample")->capture_default_str();
    app.add_option("--intrin", options->intrins,
                   "NAME=F.py: a tensor intrinsic; F holds its description, then its implementation")
        ->allow_extra_args(false);
    app.add_flag("--simplified", options->simplified,
                 "leave steps out of the script and the trace whose results nothing uses");
    return [options] {
        auto state = opener().loadStart(options->module, options->schedule);
        if (!state)
            return report(state.error());
        state->random = schedule::Random(options->seed);
        const auto intrins = readIntrins(options->intrins);
        if (!intrins)
            return report(intrins.error());
        state->intrins = std::make_shared<const schedule::TensorIntrins>(*intrins);
        if (options->schedule.empty())
            return report(support::diagnostic("usage.schedule", "which schedule?")
                              .withHint("give a script with --schedule, or a recipe with --recipe"));
        const auto run = opener().runSchedule(*state, options->schedule);
        if (!run)
            return report(run.error());
        const script::Dialect dialect = options->chosenDialect();
        const std::vector<schedule::Step> steps =
            options->simplified ? schedule::simplifiedTrace(run->steps, false) : stepsOf(*run);
        if (!options->script.empty()) {
            const auto script = schedule::writeScheduleScript(*state, steps, dialect);
            if (!script)
                return report(script.error());
            if (const int status = writeOutput(options->script, *script); status != Done)
                return status;
        }
        if (!options->traceJson.empty()) {
            const auto trace = schedule::writeTraceJson(*state, steps, dialect);
            if (!trace)
                return report(trace.error());
            if (const int status = writeOutput(options->traceJson, *trace); status != Done)
                return status;
        }
        return writeOutput(options->output, script::print(run->state.module, options->chosenStyle()).text);
    };
}

} // namespace nestwright::cli
