// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/in_child.h"
#include "app/cli/input.h"
#include "app/cli/text/symbolic_sizes.h"
#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"
#include "core/interp/interpreter.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/npy.h"
#include "core/ir/parameter_layout.h"
#include "core/measure/build/given_inputs.h"
#include "core/measure/sandbox/enclosed_loading.h"
#include "core/support/errors/limits.h"
#include "core/support/files/temporary_folder.h"
#include "core/support/text/bytes_text.h"

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
    std::vector<std::string> inputs, outputs, sizes;
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

/// Sizes that the shape of an array gives to symbolic dimensions, by name.
Result<void> bindSizes(const ir::Buffer &buffer, const ir::NdArray &array,
                       std::map<std::string, std::int64_t> &sizes)
{
    if (array.dtype() != buffer.dtype() || array.shape().size() != buffer.shape().size())
        return fail("run.argument", "'" + buffer.name() + "' needs " + std::to_string(buffer.shape().size())
                                        + " dimensions of " + buffer.dtype().str() + ", but the file has "
                                        + std::to_string(array.shape().size()) + " of "
                                        + array.dtype().str());
    measure::tellSizes(buffer, array.shape(), sizes);
    return {};
}

/// Every size of the shape must be given: none may be chosen for the person.
Result<void> checkSizesKnown(const ir::Buffer &buffer, const std::map<std::string, std::int64_t> &sizes)
{
    std::string open;
    for (const ir::Expr &extent : buffer.shape()) {
        ir::forEachExpr(extent, [&](const ir::Expr &e) {
            if (const ir::Var size = ir::Var::from(e); size && !sizes.contains(size.name()))
                open = size.name();
            return true;
        });
    }
    if (open.empty())
        return {};
    return fail(
        diagnostic("run.argument",
                   std::format("the size '{}' of '{}' is not known; no input gives it", open, buffer.name()))
            .withHint(std::format(
                "give it with --size {}=…, or an argument that has it as a dimension with --in", open)));
}

Result<void> checkShape(const ir::Buffer &buffer, const ir::NdArray &array,
                        const std::vector<std::int64_t> &shape)
{
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] != array.shape()[i])
            return fail("run.argument", std::format("dimension {} of '{}' is {}, but the file has {}", i,
                                                    buffer.name(), shape[i], array.shape()[i]));
    }
    return {};
}

/// Whether an array of that shape can be had at all.
Result<void> checkMemory(const ir::Buffer &buffer, const std::vector<std::int64_t> &shape)
{
    double bytes = buffer.dtype().bytes() * buffer.dtype().lanes;
    for (const std::int64_t extent : shape) {
        if (extent < 0)
            return fail("run.argument", std::format("'{}' has a dimension of {}", buffer.name(), extent));
        bytes *= static_cast<double>(extent);
    }
    if (bytes < support::limits::arrayBytes)
        return {};
    return fail(diagnostic("run.memory", std::format("the array for '{}' has {}, which cannot be had",
                                                     buffer.name(), support::bytesText(bytes)))
                    .withHint("run it with smaller sizes"));
}

/// Arrays given for buffers, by name. Error where a file is given for something else.
Result<std::map<std::string, ir::NdArray>> readArrays(const ir::PrimFunc &function, const Files &inputs)
{
    std::map<std::string, ir::NdArray> read;
    std::string names;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        names += (names.empty() ? "" : ", ") + param.buffer.name();
        const auto file = inputs.find(param.buffer.name());
        if (file == inputs.end())
            continue;
        auto array = ir::readNpy(file->second);
        if (!array)
            return std::unexpected(array.error());
        read.emplace(file->first, std::move(*array));
    }
    for (const auto &[name, file] : inputs) {
        if (!read.contains(name))
            return fail("run.argument",
                        std::format("the kernel has no argument '{}'; it has {}", name, names));
    }
    return read;
}

/// One array per buffer parameter: read where a file is given, zeros otherwise. All sizes are found before
/// any memory is taken for the zeros, and all shapes checked, those that are computed from sizes (n * 2) too.
Result<std::vector<ir::NdArray>> arraysFromFiles(const ir::PrimFunc &function, const Files &inputs,
                                                 std::map<std::string, std::int64_t> sizes)
{
    auto read = readArrays(function, inputs);
    if (!read)
        return std::unexpected(read.error());
    for (std::size_t known = 0;
         known == 0 || known < sizes.size();) { // some tell those in dimensions of others
        known = std::max<std::size_t>(sizes.size(), 1);
        for (const ir::Param &param : function.params) {
            const auto found = param.buffer ? read->find(param.buffer.name()) : read->end();
            if (found == read->end())
                continue;
            if (auto bound = bindSizes(param.buffer, found->second, sizes); !bound)
                return std::unexpected(bound.error());
        }
    }
    const auto shapes = interp::argumentShapes(function, sizes);
    if (!shapes)
        return std::unexpected(shapes.error());
    std::vector<ir::NdArray> arrays;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        const std::vector<std::int64_t> &shape = (*shapes)[arrays.size()];
        if (auto known = checkSizesKnown(param.buffer, sizes); !known)
            return std::unexpected(known.error());
        if (auto fits = ir::checkStrides(param.buffer, shape); !fits)
            return std::unexpected(fits.error());
        const auto found = read->find(param.buffer.name());
        if (found == read->end()) {
            if (auto fits = checkMemory(param.buffer, shape); !fits)
                return std::unexpected(fits.error());
            arrays.emplace_back(param.buffer.dtype(), shape);
            continue;
        }
        if (auto fits = checkShape(param.buffer, found->second, shape); !fits)
            return std::unexpected(fits.error());
        arrays.push_back(std::move(found->second));
    }
    return arrays;
}

/// Calls the kernel in a process apart and writes the results to `arrays`.
Result<void> callApart(const backend::Artifact &artifact, const std::string &entry, int timeout,
                       std::vector<ir::NdArray> &arrays)
{
    const measure::SharedMemory results(measure::bytesOf(arrays));
    const support::TemporaryFolder folder;
    const bool hasDriver = backend::hasDriver(artifact.format);
    auto done = inChild(timeout, [&](const measure::Line &) -> Result<void> {
        const auto kernel = measure::loadEnclosed(artifact, folder.path());
        if (!kernel)
            return std::unexpected(kernel.error());
        std::vector<ir::NdArray *> pointers;
        pointers.reserve(arrays.size());
        for (ir::NdArray &array : arrays)
            pointers.push_back(&array);
        measure::enterSandbox({.hasDriver = hasDriver});
        auto called = backend::call(**kernel, entry, pointers);
        measure::copyInto(results, arrays);
        return called;
    });
    if (done)
        measure::copyFrom(results, arrays);
    return done;
}

Result<void> writeOutputs(const ir::PrimFunc &function, const std::vector<ir::NdArray> &arrays,
                          const Files &outputs)
{
    std::size_t index = 0;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        if (const auto file = outputs.find(param.buffer.name()); file != outputs.end()) {
            if (auto written = ir::writeNpy(file->second, arrays[index]); !written)
                return written;
        }
        ++index;
    }
    return {};
}

int runKernel(const RunOptions &options)
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
    const auto sizes = parseSizes(options.sizes);
    if (!sizes)
        return report(sizes.error());
    auto arrays = arraysFromFiles(*entry->function, *inputs, *sizes);
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
    app.add_option("--size", options->sizes, "a symbolic size that no argument gives, as n=1000")
        ->allow_extra_args(false);
    options->addExternLibraries(app);
    app.add_option("--timeout", options->timeout, "seconds after which the kernel is stopped")
        ->capture_default_str();
    return [options] { return runKernel(*options); };
}

} // namespace nestwright::cli
