// SPDX-License-Identifier: Apache-2.0
#include "core/session/model/model.h"

#include "core/analysis/kernel/counts.h"
#include "core/graph/strategy/strategy.h"
#include "core/measure/machine/this_machine.h"
#include "core/script/print/printer.h"
#include "core/support/phase.h"

#include <filesystem>
#include <format>

namespace nestwright::session {

using support::fail;
using support::Result;

bool isModelFile(const std::string &path) { return path.ends_with(".onnx"); }

Result<Model> openModel(const std::string &path, const frontend::ModelSettings &settings)
{
    auto opened = frontend::openGraph(path, settings);
    if (!opened)
        return fail(opened.error());
    auto program = graph::makeProgram(std::move(opened->function), opened->machine);
    if (!program)
        return fail(program.error());
    Model model{path,
                std::filesystem::path(path).filename().string(),
                std::move(*program),
                {},
                settings,
                std::move(opened->lateOutputs),
                std::move(opened->labels)};
    support::tellPhase("counting operations");
    for (const graph::Kernel &kernel : model.program.kernels)
        model.flops.push_back(analysis::countsOf(*kernel.module.mainEntry()->function).flops);
    return model;
}

frontend::ModelSettings settingsFor(const target::Target &target)
{
    frontend::ModelSettings settings;
    settings.machine = measure::machineToScheduleFor(target);
    return settings;
}

Result<std::vector<graph::GraphPassRecord>>
passRecords(const std::string &path, const frontend::ModelSettings &settings, std::stop_token stop)
{
    auto opened = frontend::openGraph(path, settings, {.keepRecords = true, .stop = std::move(stop)});
    if (!opened)
        return fail(opened.error());
    return std::move(opened->records);
}

std::optional<std::pair<std::string, std::string>> kernelOfModel(const std::string &text)
{
    const std::size_t hash = text.rfind(".onnx#");
    if (hash == std::string::npos)
        return std::nullopt;
    return std::pair(text.substr(0, hash + 5), text.substr(hash + 6));
}

Result<ir::Module> openKernelOfModel(const std::string &path, const std::string &kernel,
                                     const target::Target &target)
{
    const auto model = openModel(path, settingsFor(target));
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
    frontend::OpenedKernel loaded;
    loaded.name = std::format("{} · {}", model.name, chosen.name);
    loaded.module = chosen.module;
    loaded.graph = analysis::stageGraph(chosen.module);
    loaded.text = script::print(chosen.module).text;
    auto session = Session::begin(std::move(loaded), {});
    if (!session)
        return session;
    support::tellPhase("scheduling");
    const auto schedule = graph::defaultSchedule(session->tree().root().state->module, model.program.machine);
    if (!schedule)
        return fail(schedule.error());
    VariantId at = session->tree().root().id;
    for (const schedule::Step &step : schedule->steps)
        at = session->apply(at, step);
    return session;
}

} // namespace nestwright::session
