// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/backend/backend.h"
#include "core/backend/tool_version.h"
#include "core/script/print/printer.h"
#include "core/suggest/device_advice.h"
#include "core/suggest/kernel_memory.h"
#include "core/support/text/json_output.h"

#include <CLI/CLI.hpp>
#include <format>
#include <iostream>

namespace nestwright::cli {

using backend::KernelResources;
using support::Json;

namespace {

struct ResourcesOptions : CommonOptions {
    bool json = false;
};

Json toJson(const KernelResources &resources)
{
    Json json{{"kernel", resources.kernel},
              {"architecture", resources.architecture},
              {"threads", resources.threads},
              {"registers", resources.registers},
              {"spill-store-bytes", resources.spillStores},
              {"spill-load-bytes", resources.spillLoads},
              {"stack-bytes", resources.stackBytes},
              {"shared-bytes", resources.sharedBytes},
              {"barriers", resources.barriers}};
    if (const auto occupancy = backend::occupancyOf(resources)) {
        json["blocks-per-multiprocessor"] = occupancy->blocks;
        json["warps"] = occupancy->warps;
        json["most-warps"] = occupancy->mostWarps;
        json["limit"] = backend::limitName(occupancy->limit);
        if (occupancy->forOneMore)
            json["for-one-more"] = *occupancy->forOneMore;
    }
    return json;
}

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

/// Accesses of a warp that cost more than they need to, with the loop or block that they are in.
std::vector<std::pair<std::string, std::string>> costlyAccesses(const ScheduledFor &loaded)
{
    std::vector<std::pair<std::string, std::string>> found;
    const auto accesses = suggest::deviceAccesses(loaded.state.module, loaded.target);
    if (!accesses)
        return found;
    const suggest::LoopNest nest(loaded.state, script::print(loaded.state.module));
    for (const analysis::WarpAccess &access : *accesses) {
        if (std::string sentence = suggest::accessSentence(access); !sentence.empty())
            found.emplace_back(nest.name(access.place), std::move(sentence));
    }
    return found;
}

int printResources(const ResourcesOptions &options)
{
    const auto loaded = load(options);
    if (!loaded)
        return report(loaded.error());
    const auto kernels = backend::kernelResources(loaded->state.module, loaded->target);
    if (!kernels)
        return report(kernels.error());
    const auto buffers = suggest::kernelMemory(loaded->state.module, loaded->target);
    if (!buffers)
        return report(buffers.error());
    const auto accesses = costlyAccesses(*loaded);
    if (options.json) {
        Json json{{"kernels", Json::array()}, {"buffers", Json::array()}, {"accesses", Json::array()}};
        for (const suggest::BufferMemory &each : *buffers)
            json["buffers"].push_back({{"buffer", each.buffer},
                                       {"scope", each.scope},
                                       {"bytes", each.bytes},
                                       {"registers", each.registers()}});
        for (const KernelResources &each : *kernels)
            json["kernels"].push_back(toJson(each));
        for (const auto &[place, sentence] : accesses)
            json["accesses"].push_back({{"place", place}, {"message", sentence}});
        return writeOutput({}, support::jsonText(json, 2) + '\n');
    }
    if (!kernels->empty())
        std::cout << kernels->front().architecture << ", by " << backend::toolVersion(loaded->target.kind)
                  << '\n'
                  << std::format("{:<20} {:>7} {:>9} {:>11} {:>11} {:>7} {:>12}\n", "kernel", "threads",
                                 "registers", "spill bytes", "shared mem.", "blocks", "warps");
    for (const KernelResources &each : *kernels)
        show(each);
    for (const suggest::BufferMemory &each : *buffers)
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
