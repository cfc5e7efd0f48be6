// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model.h"

#include "app/cli/input.h"
#include "app/cli/text/symbolic_sizes.h"
#include "core/frontend/model_forms.h"
#include "core/ir/npy.h"
#include "core/ops/quantized/narrow_data.h"
#include "core/session/files/project_file.h"
#include "core/support/errors/system_reason.h"
#include "core/support/files/input_file.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <format>
#include <iostream>
#include <utility>

namespace nestwright::cli {

using support::fail;
using support::Result;

void ModelOptions::add(CLI::App &app)
{
    app.add_option("MODEL", model, "an ONNX model, or a session on one (.nest), whose schedules it has")
        ->required();
    addSettings(app);
}

void ModelOptions::addSettings(CLI::App &app)
{
    app.add_option("-O", settings.level, "level of optimisation: 0 none, 1 fusion, 2 folding too, 3 all")
        ->check(CLI::Range(0, 3))
        ->capture_default_str();
    app.add_option("--require", settings.required, "a pass that runs at any level")
        ->transform(support::passName)
        ->allow_extra_args(false);
    app.add_option("--disable", settings.disabled, "a pass that does not run")
        ->transform(support::passName)
        ->allow_extra_args(false);
    app.add_option("--size", sizes, "a symbolic dimension, as batch=1")->allow_extra_args(false);
}

void ModelOptions::addInputs(CLI::App &app)
{
    app.add_option("--in", inputs,
                   "an input from a file, as X=x.npy or X=x.pb, a sequence from a folder of them, as X=x/ "
                   "(0.npy, 1.npy, …); others are zeros")
        ->allow_extra_args(false);
}

namespace {

/// Number of files in a folder. Error: "open.unreadable".
Result<std::size_t> filesOf(const std::filesystem::path &folder)
{
    std::error_code error;
    std::size_t files = 0;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        ++files;
    if (error)
        return fail(support::diagnostic("open.unreadable",
                                        std::format("the folder \"{}\" cannot be read: {}", folder.string(),
                                                    support::reasonOf(error.value())))
                        .withHint("check the rights of the folder"));
    return files;
}

/// The arrays of a folder: files 0.npy, 1.npy, … or .pb, as far as there are any. Error: those of readArray
/// and filesOf; "usage.file" where another file is there.
Result<std::vector<graph::Data>> readFolder(const std::filesystem::path &folder)
{
    std::vector<graph::Data> arrays;
    const auto files = filesOf(folder);
    if (!files)
        return fail(files.error());
    while (arrays.size() < *files) {
        std::error_code unknown; // reading the file says why
        std::filesystem::path file = folder / std::format("{}.npy", arrays.size());
        if (!std::filesystem::exists(file, unknown) && !unknown)
            file.replace_extension(".pb");
        if (!std::filesystem::exists(file, unknown) && !unknown) {
            return fail(support::diagnostic(
                            "usage.file", std::format("\"{}\" holds {} files, but no {}.npy or {}.pb",
                                                      folder.string(), *files, arrays.size(), arrays.size()))
                            .withHint("a sequence is a folder of its tensors: 0.npy, 1.npy, …"));
        }
        auto array = readArray(file.string());
        if (!array)
            return fail(array.error());
        arrays.push_back(std::make_shared<const ir::NdArray>(std::move(*array)));
    }
    return arrays;
}

/// Puts an input among the data of the request.
Result<void> addInput(frontend::GraphRequest &request, const std::string &name, const std::string &path)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        auto arrays = readFolder(path);
        if (!arrays)
            return fail(arrays.error());
        request.sequences[name] = std::move(*arrays);
    } else if (path.ends_with(".pb")) {
        request.files[name] = path;
    } else {
        auto array = readArray(path);
        if (!array)
            return fail(array.error());
        request.data[name] = std::make_shared<const ir::NdArray>(std::move(*array));
    }
    return {};
}

} // namespace

Result<frontend::ModelSettings> settingsOf(const ModelOptions &options)
{
    frontend::ModelSettings settings = options.settings;
    settings.machine = measure::machineToScheduleFor(options.scheduledFor);
    auto sizes = parseSizes(options.sizes);
    if (!sizes)
        return fail(sizes.error());
    settings.sizes = std::move(*sizes);
    return settings;
}

Result<std::optional<session::ModelWork>> workOf(const ModelOptions &options)
{
    if (!options.model.ends_with(session::projectExtension))
        return std::optional<session::ModelWork>();
    auto settings = settingsOf(options);
    if (!settings)
        return fail(settings.error());
    settings->machine = frontend::ModelSettings().machine;
    if (*settings != frontend::ModelSettings())
        return fail(support::diagnostic("usage.settings", "a session says itself how its model is made")
                        .withHint("leave out -O, --size, --require and --disable"));
    auto work = session::loadModelProject(options.model);
    return work ? Result<std::optional<session::ModelWork>>(std::move(*work)) : fail(work.error());
}

Result<OpenedModel> openModel(const ModelOptions &options)
{
    auto work = workOf(options);
    if (!work)
        return fail(work.error());
    const auto settings = *work ? Result<frontend::ModelSettings>((*work)->settings) : settingsOf(options);
    if (!settings)
        return fail(settings.error());
    if (const auto there = *work ? session::checkModelOf(**work) : Result<void>(); !there)
        return fail(there.error());
    if (const auto note = *work ? session::madeElsewhere((*work)->settings) : std::nullopt)
        std::cerr << std::format("note: {}; {}\n", note->message, note->hint);
    frontend::GraphRequest request = options.request;
    for (const std::string &option : options.inputs) {
        const auto pair = parseAssignment(option, "usage.file");
        if (!pair)
            return fail(pair.error());
        if (auto added = addInput(request, pair->first, pair->second); !added)
            return fail(added.error());
    }
    auto opened = frontend::openGraph(*work ? (*work)->modelPath : options.model, *settings, request);
    if (!opened)
        return fail(opened.error());
    return OpenedModel{std::move(*opened), std::move(*work)};
}

namespace {

/// The schedules of a session. What does not come along is noted.
graph::Schedules schedulesOf(const session::ModelWork &work, const graph::Program &program)
{
    const session::Reapplied again = session::reapply(work.sessions, program);
    for (const auto &[name, session] : again.left)
        std::cerr << std::format("note: the model has no kernel here that computes \"{}\"\n", name);
    for (const auto &[place, session] : again.sessions) {
        if (session.tree().current().edit)
            std::cerr << std::format("note: the edited code of \"{}\" is left out; its schedule is taken\n",
                                     program.kernels[static_cast<std::size_t>(place)].name);
    }
    return session::schedulesOf(again, program);
}

} // namespace

Result<graph::Schedules> kernelSchedules(const graph::Program &program,
                                         const std::vector<std::string> &options,
                                         const std::optional<session::ModelWork> &work)
{
    graph::Schedules schedules = work ? schedulesOf(*work, program) : graph::Schedules();
    for (const std::string &option : options) {
        const auto pair = parseAssignment(option, "usage.schedule");
        if (!pair)
            return fail(pair.error());
        const auto kernel = graph::findKernel(program, pair->first);
        if (!kernel)
            return fail(kernel.error());
        auto state = schedule::makeState((*kernel)->module);
        if (!state)
            return fail(state.error());
        auto run = opener().runSchedule(*state, pair->second);
        if (!run)
            return fail(run.error());
        schedules.insert_or_assign(pair->first, std::move(run->state));
    }
    return schedules;
}

Result<std::vector<backend::Artifact>> compiledKernels(const graph::Program &program,
                                                       const std::vector<ir::Module> &modules,
                                                       const target::Target &target,
                                                       const graph::CompileProgress &progress)
{
    const graph::KernelCache cache;
    if (static bool isTold = false; !cache.refusal().empty() && !std::exchange(isTold, true))
        std::cerr << std::format("note: {}; remove it, or name another folder by XDG_CACHE_HOME\n",
                                 cache.refusal());
    return graph::compileKernels(program, modules, target, progress, {}, cache);
}

Result<CompiledModel> compiledWith(graph::Program program, const graph::Schedules &schedules,
                                   const target::Target &target, const graph::CompileProgress &progress)
{
    const auto modules = graph::scheduleKernels(program, schedules);
    if (!modules)
        return fail(modules.error());
    auto artifacts = compiledKernels(program, *modules, target, progress);
    if (!artifacts)
        return fail(artifacts.error());
    return CompiledModel{std::move(program), std::move(*artifacts)};
}

Result<void> setInputs(graph::Executor &executor, const frontend::ModelGraph &opened, OtherInputs others)
{
    const graph::Function &function = executor.program().function;
    const std::vector<int> inputs = function.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const graph::Node &input = function.at(inputs[i]);
        const auto given = opened.data.find(input.name);
        ir::NdArray array(input.types[0].dtype, *input.types[0].constantShape());
        if (given == opened.data.end() && others == OtherInputs::Random)
            array.fillRandom(i + 1);
        if (const auto narrow = opened.narrowInputs.find(input.name); narrow != opened.narrowInputs.end())
            ops::roundTo(array, narrow->second);
        if (auto set = executor.setInput(i, given == opened.data.end() ? array : *given->second); !set)
            return set;
    }
    return {};
}

Result<ir::NdArray> readArray(const std::string &path)
{
    return path.ends_with(".pb") ? frontend::readTensorFile(path) : ir::readNpy(path);
}

Result<void> writeArray(const std::string &path, const std::string &name, const ir::NdArray &array,
                        ir::DataType narrow)
{
    if (path.ends_with(".pb"))
        return frontend::writeTensorFile(path, array, name, narrow);
    if (narrow.isNarrow())
        std::cerr << std::format(
            "note: \"{}\" is of {}, which .npy files do not know; it is written as {}, which has "
            "all its values (a .pb file keeps the type)\n",
            name, narrow.str(), array.dtype().str());
    return ir::writeNpy(path, array);
}

} // namespace nestwright::cli
