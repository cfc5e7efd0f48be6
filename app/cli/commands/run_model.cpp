// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/in_child.h"
#include "app/cli/model.h"
#include "app/cli/symbolic_sizes.h"
#include "core/graph/compile.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <format>

namespace nestwright::cli {

using support::fail;
using support::Result;

namespace {

struct RunModelOptions : ModelOptions {
    std::vector<std::string> outputs;
    std::string target = "llvm";
    int timeout = 300;
};

Result<void> runAndWrite(OpenedModel opened, const lower::Target &target,
                         const std::vector<std::pair<std::string, std::string>> &files)
{
    auto program = graph::makeProgram(std::move(opened.imported.function));
    if (!program)
        return fail(program.error());
    auto executor = graph::makeExecutor(std::move(*program), target);
    if (!executor)
        return fail(executor.error());
    if (auto set = setInputs(*executor, opened.data, OtherInputs::Zeros); !set)
        return set;
    if (auto done = executor->run(); !done)
        return done;
    const graph::Function &function = executor->program().function;
    const std::vector<ir::NdArray> results = executor->outputs();
    for (const auto &[name, file] : files) {
        const auto place = std::ranges::find(function.outputNames, name) - function.outputNames.begin();
        if (auto written = writeArray(file, name, results[static_cast<std::size_t>(place)]); !written)
            return written;
    }
    return {};
}

std::string joined(const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

int run(const RunModelOptions &options)
{
    const auto target = lower::parseTarget(options.target);
    if (!target)
        return report(target.error());
    auto opened = openModel(options);
    if (!opened)
        return report(opened.error());
    std::vector<std::pair<std::string, std::string>> files;
    for (const std::string &option : options.outputs) {
        auto pair = parseAssignment(option, "usage.file");
        if (!pair)
            return report(pair.error());
        const std::vector<std::string> &names = opened->imported.function.outputNames;
        if (std::ranges::find(names, pair->first) == names.end())
            return report(
                support::diagnostic("model.output", std::format("the model has no output \"{}\"; it has {}",
                                                                pair->first, joined(names))));
        files.push_back(std::move(*pair));
    }
    return inChild(options.timeout, [&]() -> int {
        const auto done = runAndWrite(std::move(*opened), *target, files);
        return done ? Done : report(done.error());
    });
}

} // namespace

std::function<int()> declareRunModel(CLI::App &app)
{
    auto options = std::make_shared<RunModelOptions>();
    options->add(app);
    options->addInputs(app);
    app.add_option("--out", options->outputs, "an output to write, as Y=y.npy or Y=y.pb")
        ->allow_extra_args(false);
    app.add_option("--target", options->target, "what code is made for")->capture_default_str();
    app.add_option("--timeout", options->timeout, "seconds after which the model is stopped")
        ->capture_default_str();
    return [options] { return run(*options); };
}

} // namespace nestwright::cli
