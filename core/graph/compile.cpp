// SPDX-License-Identifier: Apache-2.0
#include "core/graph/compile.h"

#include "core/graph/strategy/strategy.h"
#include "core/graph/workspace.h"

#include <algorithm>

namespace nestwright::graph {

using support::fail;
using support::Result;

namespace {

/// One piece of memory behind the results of nodes serves all kernels, which run one after the other.
void placeWorkspaces(Program &program, const std::vector<KernelWithWorkspace> &kernels)
{
    const auto rounded = [](std::int64_t bytes) { return (bytes + 63) / 64 * 64; };
    const std::int64_t begin = rounded(program.memory.bytes);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        std::int64_t place = begin;
        program.kernels[i].workspace.clear();
        for (const std::int64_t bytes : kernels[i].bytes) {
            program.kernels[i].workspace.push_back(place);
            place += rounded(bytes);
        }
        program.memory.bytes = std::max(program.memory.bytes, place);
    }
}

} // namespace

Result<std::vector<ir::Module>> scheduleKernels(Program &program, const Schedules &schedules)
{
    std::vector<KernelWithWorkspace> kernels;
    for (const Kernel &kernel : program.kernels) {
        if (const auto own = schedules.find(kernel.name); own != schedules.end()) {
            kernels.push_back(withWorkspace(own->second.module));
            continue;
        }
        const auto scheduled = defaultSchedule(kernel.module);
        if (!scheduled)
            return fail(scheduled.error());
        kernels.push_back(withWorkspace(scheduled->state.module));
    }
    placeWorkspaces(program, kernels);
    std::vector<ir::Module> modules;
    for (KernelWithWorkspace &kernel : kernels)
        modules.push_back(std::move(kernel.module));
    return modules;
}

Result<Executor> makeExecutor(Program program, const lower::Target &target, const Schedules &schedules,
                              const CompileProgress &progress, std::stop_token stop)
{
    const auto modules = scheduleKernels(program, schedules);
    if (!modules)
        return fail(modules.error());
    const auto artifacts = compileKernels(program, *modules, target, progress, stop);
    if (!artifacts)
        return fail(artifacts.error());
    return Executor::load(std::move(program), *artifacts);
}

} // namespace nestwright::graph
