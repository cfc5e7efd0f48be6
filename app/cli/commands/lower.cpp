// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>

namespace nestwright::cli {

using support::diagnostic;

namespace {

struct LowerOptions : CommonOptions {
    std::string printAfter;
    bool times = false;
};

int lowerAndPrint(const LowerOptions &options)
{
    const auto loaded = load(options);
    if (!loaded)
        return report(loaded.error());
    const bool all = options.printAfter == "all";
    if (!options.printAfter.empty() && !all && !lower::findPass(options.printAfter))
        return report(diagnostic("lower.unknown-pass", "there is no pass '" + options.printAfter + "'")
                          .withHint("'nestc list passes' shows them"));
    const auto lowered = lower::lower(loaded->state.module, loaded->target, {.keepRecords = true});
    if (!lowered)
        return report(lowered.error());
    std::string text;
    for (const lower::PassRecord &record : lowered->records) {
        if (options.times) {
            char line[128];
            std::snprintf(line, sizeof line, "# %-24s %8.0f us%s\n", record.name.c_str(), record.micros,
                          record.unchanged ? "  (unchanged)" : "");
            text += line;
        }
        if (all || record.name == options.printAfter)
            text += "# after " + record.name + '\n' + script::print(record.after, options.chosenStyle()).text;
    }
    if (options.printAfter.empty())
        text += script::print(lowered->module, options.chosenStyle()).text;
    return writeOutput({}, text);
}

struct PassOptions {
    std::string names, module, target = "llvm";
};

int runPasses(const PassOptions &options)
{
    const auto state = opener().loadState(options.module);
    if (!state)
        return report(state.error());
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    ir::Module module = state->module;
    std::istringstream names(options.names);
    for (std::string name; std::getline(names, name, ',');) {
        const lower::Pass *pass = lower::findPass(name);
        if (!pass)
            return report(diagnostic("lower.unknown-pass", "there is no pass '" + name + "'")
                              .withHint("'nestc list passes' shows them"));
        auto record = lower::runPass(*pass, module, *target);
        if (!record)
            return report(record.error());
        module = std::move(record->after);
    }
    return writeOutput({}, script::print(module, {.columns = script::readableColumns}).text);
}

} // namespace

std::function<int()> declareLower(CLI::App &app)
{
    auto options = std::make_shared<LowerOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    options->addStyle(app);
    app.add_option("--print-after", options->printAfter, "print the program after this pass, or after all")
        ->transform(support::passName);
    app.add_flag("--times", options->times, "say how long each pass took");
    return [options] { return lowerAndPrint(*options); };
}

std::function<int()> declarePass(CLI::App &app)
{
    auto options = std::make_shared<PassOptions>();
    app.add_option("NAMES", options->names, "passes, separated by commas")
        ->transform(support::passName)
        ->required();
    app.add_option("MODULE", options->module, "TVMScript or TE script, or op:NAME(…)")->required();
    app.add_option("--target", options->target, "target of the passes")->capture_default_str();
    return [options] { return runPasses(*options); };
}

} // namespace nestwright::cli
