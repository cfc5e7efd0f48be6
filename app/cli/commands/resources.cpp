// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/backend/tool_version.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/kernel_figures.h"

#include <CLI/CLI.hpp>
#include <format>
#include <iostream>

namespace nestwright::cli {

using backend::KernelResources;

namespace {

struct ResourcesOptions : CommonOptions {
    bool json = false;
};

void show(const KernelResources &resources)
{
    const auto occupancy = backend::occupancyOf(resources);
    std::cout << std::format("{:<20} {:>7} {:>9} {:>11} {:>11} {:>7} {:>12}\n", resources.kernel,
                             resources.threads > 0 ? std::to_string(resources.threads) : "–",
                             resources.registers, resources.spillStores + resources.spillLoads,
                             resources.sharedBytes, occupancy ? std::to_string(occupancy->blocks) : "–",
                             occupancy ? std::format("{} of {}", occupancy->warps, occupancy->mostWarps)
                                       : "–");
    if (occupancy)
        std::cout << "  " << backend::occupancySentence(resources, *occupancy) << '\n';
}

int printResources(const ResourcesOptions &options)
{
    const auto loaded = load(options);
    if (!loaded)
        return report(loaded.error());
    const auto figures = workbench::kernelFigures(loaded->state, loaded->target);
    if (!figures)
        return report(figures.error());
    const auto &[kernels, buffers, accesses] = *figures;
    if (options.json)
        return writeOutput({}, support::jsonText(workbench::toJson(*figures), 2) + '\n');
    if (!kernels.empty())
        std::cout << kernels.front().architecture << ", by " << backend::toolVersion(loaded->target.kind)
                  << '\n'
                  << std::format("{:<20} {:>7} {:>9} {:>11} {:>11} {:>7} {:>12}\n", "kernel", "threads",
                                 "registers", "spill bytes", "shared mem.", "blocks", "warps");
    for (const KernelResources &each : kernels)
        show(each);
    for (const suggest::BufferMemory &each : buffers)
        std::cout << suggest::memorySentence(each) << '\n';
    for (const auto &[place, sentence] : accesses)
        std::cout << (place.empty() ? "" : place + ": ") << sentence << '\n';
    return Done;
}

} // namespace

std::function<int()> declareResources(CLI::App &app)
{
    auto options = std::make_shared<ResourcesOptions>();
    options->target = "cuda";
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    app.add_flag("--json", options->json, "print it as JSON");
    return [options] { return printResources(*options); };
}

} // namespace nestwright::cli
