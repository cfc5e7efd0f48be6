// SPDX-License-Identifier: Apache-2.0
#include "core/graph/compile.h"

#include "core/graph/strategy/strategy.h"

namespace nestwright::graph {

using support::fail;
using support::Result;

Result<std::vector<ir::Module>> scheduleKernels(const Program &program, const Schedules &schedules)
{
    std::vector<ir::Module> modules;
    for (const Kernel &kernel : program.kernels) {
        if (const auto own = schedules.find(kernel.name); own != schedules.end()) {
            modules.push_back(own->second.module);
            continue;
        }
        auto scheduled = defaultSchedule(kernel.module);
        if (!scheduled)
            return fail(scheduled.error());
        modules.push_back(std::move(scheduled->state.module));
    }
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
