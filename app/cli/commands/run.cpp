// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/in_child.h"
#include "app/cli/input.h"
#include "app/cli/npy.h"
#include "app/cli/symbolic_sizes.h"
#include "core/backend/backend.h"
#include "core/backend/loaded_kernel.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <format>
#include <map>

namespace nestwright::cli {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

struct RunOptions : CommonOptions {
    std::vector<std::string> inputs, outputs;
    int timeout = 60;
};

using Files = std::map<std::string, std::string>;

Result<Files> parseFiles(const std::vector<std::string> &options)
{
    Files files;
    for (const std::string &option : options) {
        auto pair = parseAssignment(option, "usage.file");
        if (!pair)
            return std::unexpected(pair.error());
        files.insert(std::move(*pair));
    }
    return files;
}

/// Sizes that the shapes of inputs give to symbolic dimensions, by name.
Result<void> bindSizes(const ir::Buffer &buffer, const ir::NdArray &array,
                       std::map<std::string, std::int64_t> &sizes)
{
    if (array.dtype() != buffer.dtype() || array.shape().size() != buffer.shape().size())
        return fail("run.argument", "'" + buffer.name() + "' needs " + std::to_string(buffer.shape().size())
                                        + " dimensions of " + buffer.dtype().str() + ", but the file has "
                                        + std::to_string(array.shape().size()) + " of "
                                        + array.dtype().str());
    for (std::size_t i = 0; i < array.shape().size(); ++i) {
        const ir::Expr &extent = buffer.shape()[i];
        std::int64_t wanted = array.shape()[i];
        if (const auto *imm = extent.as<ir::IntImm>())
            wanted = imm->value;
        else if (const ir::Var size = ir::Var::from(extent))
            wanted = sizes.try_emplace(size.name(), array.shape()[i]).first->second;
        if (wanted != array.shape()[i])
            return fail("run.argument", "dimension " + std::to_string(i) + " of '" + buffer.name() + "' is "
                                            + std::to_string(wanted) + ", but the file has "
                                            + std::to_string(array.shape()[i]));
    }
    return {};
}

/// One array per buffer parameter: read where a file is given, zeros otherwise.
Result<std::vector<ir::NdArray>> makeArrays(const ir::PrimFunc &function, const Files &inputs)
{
    std::map<std::string, std::int64_t> sizes;
    std::map<std::string, ir::NdArray> read;
    std::string names;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        names += (names.empty() ? "" : ", ") + param.buffer.name();
        const auto file = inputs.find(param.buffer.name());
        if (file == inputs.end())
            continue;
        auto array = readNpy(file->second);
        if (!array)
            return std::unexpected(array.error());
        if (auto bound = bindSizes(param.buffer, *array, sizes); !bound)
            return std::unexpected(bound.error());
        read.emplace(file->first, std::move(*array));
    }
    for (const auto &[name, file] : inputs) {
        if (!read.contains(name))
            return fail("run.argument",
                        std::format("the kernel has no argument '{}'; it has {}", name, names));
    }
    std::vector<ir::NdArray> arrays;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        if (const auto found = read.find(param.buffer.name()); found != read.end()) {
            arrays.push_back(std::move(found->second));
            continue;
        }
        std::vector<std::int64_t> shape;
        for (const ir::Expr &extent : param.buffer.shape()) {
            const auto *imm = extent.as<ir::IntImm>();
            const ir::Var size = ir::Var::from(extent);
            if (!imm && (!size || !sizes.contains(size.name())))
                return fail("run.argument", std::format("the size of '{}' is not known; no input gives it",
                                                        param.buffer.name()));
            shape.push_back(imm ? imm->value : sizes.at(size.name()));
        }
        arrays.emplace_back(param.buffer.dtype(), std::move(shape));
    }
    return arrays;
}

/// Calls the kernel in a process apart; `arrays` then hold what it wrote.
Result<void> callApart(const backend::Artifact &artifact, const std::string &entry, int timeout,
                       std::vector<ir::NdArray> &arrays)
{
    std::size_t bytes = 0;
    for (const ir::NdArray &array : arrays)
        bytes += array.bytes().size();
    const measure::SharedMemory results(bytes);
    auto done = inChild(timeout, [&](const measure::Line &) -> Result<void> {
        const auto kernel = backend::load(artifact);
        if (!kernel)
            return std::unexpected(kernel.error());
        std::vector<ir::NdArray *> pointers;
        pointers.reserve(arrays.size());
        for (ir::NdArray &array : arrays)
            pointers.push_back(&array);
        measure::enterSandbox({});
        auto called = backend::call(**kernel, entry, pointers);
        auto place = results.bytes().begin();
        for (const ir::NdArray &array : arrays)
            place = std::ranges::copy(array.bytes(), place).out;
        return called;
    });
    if (!done)
        return done;
    auto place = results.bytes().begin();
    for (ir::NdArray &array : arrays) {
        const auto end = place + static_cast<std::ptrdiff_t>(array.bytes().size());
        std::copy(place, end, array.bytes().begin());
        array.normalizeBools();
        place = end;
    }
    return {};
}

Result<void> writeOutputs(const ir::PrimFunc &function, const std::vector<ir::NdArray> &arrays,
                          const Files &outputs)
{
    std::size_t index = 0;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        if (const auto file = outputs.find(param.buffer.name()); file != outputs.end()) {
            if (auto written = writeNpy(file->second, arrays[index]); !written)
                return written;
        }
        ++index;
    }
    return {};
}

int run(const RunOptions &options)
{
    const auto loaded = load(options);
    if (!loaded)
        return report(loaded.error());
    const ir::Module::Entry *entry = loaded->state.module.mainEntry();
    if (!entry)
        return report(diagnostic("run.no-function", "the module has no function 'main'"));
    const auto inputs = parseFiles(options.inputs);
    if (!inputs)
        return report(inputs.error());
    const auto outputs = parseFiles(options.outputs);
    if (!outputs)
        return report(outputs.error());
    auto arrays = makeArrays(*entry->function, *inputs);
    if (!arrays)
        return report(arrays.error());
    const auto artifact = backend::compile(loaded->state.module, loaded->target, {}, options.externs);
    if (!artifact)
        return report(artifact.error());
    if (const auto called = callApart(*artifact, entry->name, options.timeout, *arrays); !called)
        return report(called.error());
    const auto written = writeOutputs(*entry->function, *arrays, *outputs);
    return written ? Done : report(written.error());
}

} // namespace

std::function<int()> declareRun(CLI::App &app)
{
    auto options = std::make_shared<RunOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    app.add_option("--in", options->inputs, "an argument from a file, as A=a.npy; others are zeros")
        ->allow_extra_args(false);
    app.add_option("--out", options->outputs, "an argument to write afterwards, as C=c.npy")
        ->allow_extra_args(false);
    options->addExternLibraries(app);
    app.add_option("--timeout", options->timeout, "seconds after which the kernel is stopped")
        ->capture_default_str();
    return [options] { return run(*options); };
}

} // namespace nestwright::cli
