// SPDX-License-Identifier: Apache-2.0
#include "core/session/model.h"

#include "core/analysis/counts.h"
#include "core/graph/strategy/strategy.h"
#include "core/script/printer.h"
#if NESTWRIGHT_HAS_ONNX
#include "core/graph/onnx/importer.h"
#endif

#include <algorithm>
#include <filesystem>
#include <format>

namespace nestwright::session {

using support::fail;
using support::Result;

bool isModelFile(const std::string &path) { return path.ends_with(".onnx"); }

#if NESTWRIGHT_HAS_ONNX
namespace {

/// Symbolic sizes of the model's inputs that `sizes` does not name, each once.
std::vector<std::string> openSizes(const graph::onnx::OnnxModel &model, const Sizes &sizes)
{
    std::vector<std::string> names;
    for (const graph::onnx::OnnxValue &input : model.inputs) {
        for (const auto &dim : input.shape) {
            const auto *name = std::get_if<std::string>(&dim);
            if (name && !sizes.contains(*name) && std::ranges::find(names, *name) == names.end())
                names.push_back(*name);
        }
    }
    return names;
}

support::Diagnostic openSizesError(const std::vector<std::string> &names)
{
    std::string list;
    support::Diagnostic told = support::diagnostic("model.open-sizes", {});
    for (const std::string &name : names) {
        list += (list.empty() ? "\"" : ", \"") + name + "\"";
        told.locations.push_back({});
        told.locations.back().label = name;
    }
    told.message = std::format("the model leaves sizes open: {}", list);
    told.hint = "give them, as in --size batch=1";
    return told;
}

Result<graph::Optimized> readAndOptimize(const std::string &path, const ModelSettings &settings,
                                         bool keepRecords, std::stop_token stop)
{
    auto read = graph::onnx::readModel(path);
    if (!read)
        return fail(read.error());
    if (const std::vector<std::string> open = openSizes(*read, settings.sizes); !open.empty())
        return fail(openSizesError(open));
    auto imported = graph::onnx::importModel(*read, {settings.sizes, {}});
    *read = {}; // weights that passes replace are not held twice
    if (!imported)
        return fail(imported.error());
    const graph::PassContext context{settings.level, settings.required, settings.disabled, keepRecords,
                                     std::move(stop)};
    return graph::optimize(std::move(imported->function), context);
}

} // namespace
#else
namespace {

Result<graph::Optimized> readAndOptimize(const std::string &path, const ModelSettings &, bool,
                                         std::stop_token)
{
    return fail(
        "model.not-built",
        std::format("\"{}\" cannot be opened: this program was built without the reader for ONNX", path));
}

} // namespace
#endif

Result<Model> openModel(const std::string &path, const ModelSettings &settings)
{
    auto optimized = readAndOptimize(path, settings, false, {});
    if (!optimized)
        return fail(optimized.error());
    auto program = graph::makeProgram(std::move(optimized->function));
    if (!program)
        return fail(program.error());
    Model model{path, std::filesystem::path(path).filename().string(), std::move(*program), {}, settings};
    for (const graph::Kernel &kernel : model.program.kernels)
        model.flops.push_back(analysis::countsOf(*kernel.module.mainEntry()->function).flops);
    return model;
}

Result<std::vector<graph::GraphPassRecord>> passRecords(const std::string &path,
                                                        const ModelSettings &settings, std::stop_token stop)
{
    auto optimized = readAndOptimize(path, settings, true, std::move(stop));
    if (!optimized)
        return fail(optimized.error());
    return std::move(optimized->records);
}

std::optional<std::pair<std::string, std::string>> kernelOfModel(const std::string &text)
{
    const std::size_t hash = text.rfind(".onnx#");
    if (hash == std::string::npos)
        return std::nullopt;
    return std::pair(text.substr(0, hash + 5), text.substr(hash + 6));
}

Result<ir::Module> openKernelOfModel(const std::string &path, const std::string &kernel)
{
    const auto model = openModel(path);
    if (!model)
        return fail(model.error());
    const auto found = graph::findKernel(model->program, kernel);
    if (!found)
        return fail(found.error());
    return (*found)->module;
}

Result<Session> beginKernel(const Model &model, int kernel)
{
    const graph::Kernel &chosen = model.program.kernels[static_cast<std::size_t>(kernel)];
    ops::LoadedKernel loaded;
    loaded.name = std::format("{} · {}", model.name, chosen.name);
    loaded.module = chosen.module;
    loaded.graph = te::stageGraph(chosen.module);
    loaded.text = script::print(chosen.module).text;
    auto session = Session::begin(std::move(loaded), {});
    if (!session)
        return session;
    const auto schedule = graph::defaultSchedule(session->tree().root().state->module);
    if (!schedule)
        return fail(schedule.error());
    VariantId at = session->tree().root().id;
    for (const schedule::Step &step : schedule->steps)
        at = session->apply(at, step);
    return session;
}

} // namespace nestwright::session
