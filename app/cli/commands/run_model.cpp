// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/in_child.h"
#include "app/cli/model.h"
#include "app/cli/text/output_labels.h"
#include "app/cli/text/result_statistics.h"
#include "app/cli/text/symbolic_sizes.h"
#include "core/graph/program/compile.h"
#include "core/measure/sandbox/enclosed_loading.h"
#include "core/ops/table/shapes.h"
#include "core/support/errors/system_reason.h"
#include "core/support/files/file_name.h"
#include "core/support/files/temporary_folder.h"
#include "core/support/text/json_output.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <format>
#include <iostream>
#include <span>

namespace nestwright::cli {

using support::fail;
using support::Result;
using workbench::ResultStatistics;

namespace {

struct RunModelOptions : ModelOptions {
    std::vector<std::string> outputs; ///< NAME=FILE, of outputs and of nodes
    std::string nodesFolder;          ///< for the results of all nodes
    std::string target = "llvm";
    int timeout = 300;
    bool random = false;     ///< fill inputs without a file with random numbers instead of zeros
    bool statistics = false; ///< of the results of all nodes
    std::string jsonFile;    ///< for the statistics
};

/// `own`: names of the model's own outputs.
std::vector<ResultStatistics> statisticsOf(const graph::Function &function,
                                           const std::vector<ir::NdArray> &results,
                                           const std::vector<std::string> &own)
{
    std::vector<ResultStatistics> statistics;
    for (std::size_t i = 0; i < results.size(); ++i)
        statistics.push_back({function.outputNames[i],
                              {ops::shapeOf(results[i].shape()), results[i].dtype()},
                              graph::statisticsOf(results[i]),
                              std::ranges::contains(own, function.outputNames[i])});
    return statistics;
}

/// Results of a run of the model in a process apart. `program` is scheduled, `artifacts` its kernels.
Result<std::vector<ir::NdArray>> resultsOf(const graph::Program &program,
                                           const std::vector<backend::Artifact> &artifacts,
                                           const frontend::ModelGraph &opened, const RunModelOptions &options)
{
    const graph::Function &function = program.function;
    std::vector<ir::NdArray> results;
    for (const graph::Value output : function.outputs) {
        const graph::TensorType &type = function.typeOf(output);
        results.emplace_back(type.dtype, *type.constantShape());
    }
    const measure::SharedMemory memory(measure::bytesOf(results));
    const support::TemporaryFolder folder;
    auto done = inChild(options.timeout, [&](const measure::Line &) -> Result<void> {
        const measure::ModelCode code{program, artifacts};
        auto loaded = measure::loadEnclosedModels(std::span(&code, 1), folder.path());
        if (!loaded)
            return fail(loaded.error());
        graph::Executor &executor = loaded->front();
        const OtherInputs others = options.random ? OtherInputs::Random : OtherInputs::Zeros;
        if (auto set = setInputs(executor, opened, others); !set)
            return set;
        measure::enterSandbox({});
        if (auto ran = executor.run(); !ran)
            return ran;
        measure::copyInto(memory, executor.outputs());
        return {};
    });
    if (!done)
        return fail(done.error());
    measure::copyFrom(memory, results);
    graph::cutLateOutputs(function, opened.lateOutputs, results);
    return results;
}

/// Error: "file.write".
Result<void> makeFolder(const std::string &folder)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return fail(support::diagnostic("file.write", "the folder '" + folder + "' cannot be made: "
                                                          + support::reasonOf(error.value()))
                        .withHint("choose another folder"));
    return {};
}

/// Whether the name is that of a tensor of a sequence, "7.npy", from `first` on.
bool isTensorFrom(std::size_t first, const std::filesystem::path &name)
{
    const std::string stem = name.stem().string();
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
    return name.extension() == ".npy" && error == std::errc() && end == stem.data() + stem.size()
           && std::to_string(number) == stem && number >= first;
}

/// Removes tensors that a run before left in the folder, from the one with number `first` on: they are none
/// of the sequence. Error: "file.write".
Result<void> removeTensorsFrom(std::size_t first, const std::filesystem::path &folder)
{
    std::error_code error;
    std::vector<std::filesystem::path> old;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code unknown;
        if (isTensorFrom(first, entry->path().filename()) && entry->is_regular_file(unknown))
            old.push_back(entry->path());
    }
    for (auto file = old.begin(); !error && file != old.end(); ++file)
        std::filesystem::remove(*file, error);
    if (error && error != std::errc::no_such_file_or_directory)
        return fail(support::diagnostic("file.write",
                                        std::format("what an earlier run left in the folder '{}' cannot be "
                                                    "removed: {}",
                                                    folder.string(), support::reasonOf(error.value())))
                        .withHint("choose another folder"));
    return {};
}

/// Each tensor as a file 0.npy, 1.npy, … of the folder, which is made, and no others of such names; `write`
/// writes an output to a file.
template <class Write>
Result<void> writeSequence(const std::string &name, const std::string &folder,
                           const graph::SequenceOutput &sequence, const Write &write)
{
    if (sequence.isMissing) {
        std::cerr << std::format("note: the optional output \"{}\" is missing\n", name);
        return removeTensorsFrom(0, folder);
    }
    if (auto made = makeFolder(folder); !made)
        return made;
    for (std::size_t i = 0; i < sequence.tensors.size(); ++i) {
        const auto file = std::filesystem::path(folder) / std::format("{}.npy", i);
        if (auto written = write(sequence.tensors[i], file.string()); !written)
            return written;
    }
    return removeTensorsFrom(sequence.tensors.size(), folder);
}

/// Every output as a file of the folder, which is made. Error: "file.write".
Result<std::vector<std::pair<std::string, std::string>>> filesIn(const std::string &folder,
                                                                 const std::vector<std::string> &names)
{
    if (auto made = makeFolder(folder); !made)
        return fail(made.error());
    std::vector<std::pair<std::string, std::string>> files;
    for (const std::string &name : names)
        files.emplace_back(name,
                           (std::filesystem::path(folder) / (support::fileNameOf(name) + ".npy")).string());
    return files;
}

Result<void> runAndWrite(OpenedModel opened, const target::Target &target, const RunModelOptions &options,
                         const std::vector<std::pair<std::string, std::string>> &files)
{
    auto program = graph::makeProgram(std::move(opened.function), opened.machine);
    if (!program)
        return fail(program.error());
    const auto schedules = kernelSchedules(*program, {}, opened.work);
    if (!schedules)
        return fail(schedules.error());
    const auto modules = graph::scheduleKernels(*program, *schedules);
    if (!modules)
        return fail(modules.error());
    const auto artifacts = compiledKernels(*program, *modules, target);
    if (!artifacts)
        return fail(artifacts.error());
    const auto run = resultsOf(*program, *artifacts, opened, options);
    if (!run)
        return fail(run.error());
    const graph::Function &function = program->function;
    const std::vector<ir::NdArray> &results = *run;
    const auto write = [&](const std::string &name, const std::string &file) {
        const auto place = std::ranges::find(function.outputNames, name) - function.outputNames.begin();
        const auto narrow = opened.narrowResults.find(name);
        const ir::DataType type = narrow == opened.narrowResults.end() ? ir::DataType() : narrow->second;
        const ir::NdArray &result = results[static_cast<std::size_t>(place)];
        const auto labels = opened.labels.find(name);
        if (labels == opened.labels.end())
            return writeArray(file, name, result, type);
        if (holdsLabels(file))
            return writeLabelled(file, labels->second, result);
        std::cerr << "note: " << labelLine(name, labels->second, result) << "note: \"" << file
                  << (labels->second.texts ? "\" holds places in the table of texts" : "\" holds the numbers")
                  << "; a .json or .txt file holds the names\n";
        return writeArray(file, name, result, type);
    };
    for (const auto &[name, file] : files) {
        const auto sequence = opened.sequences.find(name);
        const auto written = sequence == opened.sequences.end()
                                 ? write(name, file)
                                 : writeSequence(name, file, sequence->second, write);
        if (!written)
            return written;
    }
    if (!options.statistics && !files.empty())
        return {};
    // Without a question of its own the run gives the outputs alone.
    const std::vector<ResultStatistics> statistics = statisticsOf(function, results, opened.outputs);
    if (options.jsonFile != "-") {
        std::cout << table(statistics);
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (const auto labels = opened.labels.find(function.outputNames[i]);
                labels != opened.labels.end())
                std::cout << labelLine(labels->first, labels->second, results[i]);
        }
        std::cout << std::flush;
    }
    if (!options.jsonFile.empty())
        return writeText(options.jsonFile, support::jsonText(workbench::toJson(statistics)) + "\n");
    return {};
}

int runModel(RunModelOptions options)
{
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    std::vector<std::pair<std::string, std::string>> files;
    for (const std::string &option : options.outputs) {
        auto pair = parseAssignment(option, "usage.file");
        if (!pair)
            return report(pair.error());
        options.request.fetched.push_back(pair->first);
        files.push_back(std::move(*pair));
    }
    options.statistics = options.statistics || !options.jsonFile.empty();
    options.request.fetchesAll = !options.nodesFolder.empty() || options.statistics;
    options.scheduledFor = *target;
    auto opened = openModel(options);
    if (!opened)
        return report(opened.error());
    if (!options.nodesFolder.empty()) {
        const auto all = filesIn(options.nodesFolder, opened->function.outputNames);
        if (!all)
            return report(all.error());
        files.insert(files.end(), all->begin(), all->end());
    }
    const auto done = runAndWrite(std::move(*opened), *target, options, files);
    return done ? Done : report(done.error());
}

} // namespace

std::function<int()> declareRunModel(CLI::App &app)
{
    auto options = std::make_shared<RunModelOptions>();
    options->add(app);
    options->addInputs(app);
    app.add_option(
           "--out", options->outputs,
           "an output, or the result of a node, to write, as Y=y.npy or Y=y.pb, a sequence as a "
           "folder; integers of 4 and "
           "floats of 8 "
           "bits keep their type in .pb files, .npy files hold them as int8, uint8 and float16; labels that "
           "are text, and columns with names, as Y=y.json or Y=y.txt")
        ->allow_extra_args(false);
    app.add_option("--nodes", options->nodesFolder, "a folder for the results of all nodes, as NAME.npy");
    app.add_flag("--random", options->random, "inputs without a file hold seeded random numbers, not zeros");
    app.add_flag(
        "--statistics", options->statistics,
        "print statistics of the results of all nodes, in the order of the graph: range, mean, how "
        "many are zero or not finite; outputs of the model are marked. Without this and without files to "
        "write only the outputs are described");
    app.add_option("--json", options->jsonFile, "write these statistics there; -: to standard output");
    app.add_option("--target", options->target, "target of the code")->capture_default_str();
    app.add_option("--timeout", options->timeout, "seconds after which the model is stopped")
        ->capture_default_str();
    return [options] { return runModel(*options); };
}

} // namespace nestwright::cli
