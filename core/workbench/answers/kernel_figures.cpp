// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/kernel_figures.h"

#include "core/script/print/printer.h"
#include "core/suggest/device_advice.h"
#include "core/support/text/json.h"

#include <utility>

namespace nestwright::workbench {

using backend::KernelResources;
using support::fail;
using support::Json;
using support::Result;

namespace {

Json kernelJson(const KernelResources &resources)
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

std::vector<CostlyAccess> costlyAccesses(const schedule::State &state, const target::Target &target)
{
    std::vector<CostlyAccess> found;
    const auto accesses = suggest::deviceAccesses(state.module, target);
    if (!accesses)
        return found;
    const suggest::LoopNest nest(state, script::print(state.module));
    for (const analysis::WarpAccess &access : *accesses) {
        if (std::string sentence = suggest::accessSentence(access); !sentence.empty())
            found.push_back({nest.name(access.place), std::move(sentence)});
    }
    return found;
}

} // namespace

Result<KernelFigures> kernelFigures(const schedule::State &state, const target::Target &target)
{
    auto kernels = backend::kernelResources(state.module, target);
    if (!kernels)
        return fail(kernels.error());
    auto buffers = suggest::kernelMemory(state.module, target);
    if (!buffers)
        return fail(buffers.error());
    return KernelFigures{std::move(*kernels), std::move(*buffers), costlyAccesses(state, target)};
}

Json toJson(const KernelFigures &figures)
{
    Json json{{"kernels", Json::array()}, {"buffers", Json::array()}, {"accesses", Json::array()}};
    for (const suggest::BufferMemory &each : figures.buffers)
        json["buffers"].push_back({{"buffer", each.buffer},
                                   {"scope", each.scope},
                                   {"bytes", each.bytes},
                                   {"registers", each.registers()}});
    for (const KernelResources &each : figures.kernels)
        json["kernels"].push_back(kernelJson(each));
    for (const auto &[place, sentence] : figures.accesses)
        json["accesses"].push_back({{"place", place}, {"message", sentence}});
    return json;
}

} // namespace nestwright::workbench
