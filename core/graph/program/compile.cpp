// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/compile.h"

#include "core/graph/program/workspace.h"
#include "core/graph/strategy/strategy.h"
#include "core/ir/shared_memory.h"
#include "core/support/parallel.h"

#include <algorithm>
#include <set>

namespace nestwright::graph {

using support::fail;
using support::Result;

namespace {

/// One piece of memory behind the results of nodes serves all kernels, which run one after the other.
void placeWorkspaces(Program &program, const std::vector<KernelWithWorkspace> &kernels)
{
    const std::int64_t begin = wholeLines(program.memory.resultBytes);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        std::int64_t place = begin;
        program.kernels[i].workspace.clear();
        for (const std::int64_t bytes : kernels[i].bytes) {
            program.kernels[i].workspace.push_back(place);
            place += wholeLines(bytes);
        }
        program.memory.bytes = std::max(program.memory.bytes, place);
    }
}

/// Lets results take the place of operands of their kernels, unless the model then needs more memory: a
/// result in place may stand in the way of a larger one.
void planInPlace(Program &program, const std::vector<KernelWithWorkspace> &kernels)
{
    std::vector<std::vector<analysis::InPlace>> pairs;
    for (const KernelWithWorkspace &kernel : kernels)
        pairs.push_back(analysis::inPlacePairs(kernel.module.mainEntry()->function));
    InPlacePairs ofNodes(program.function.nodes.size());
    for (const ProgramStep &step : program.steps)
        ofNodes[static_cast<std::size_t>(step.node)] = pairs[static_cast<std::size_t>(step.kernel)];
    MemoryPlan apart = planMemory(program.function), together = planMemory(program.function, ofNodes);
    program.memory = together.resultBytes <= apart.resultBytes ? std::move(together) : std::move(apart);
}

/// Tells each kernel which of its parameters are one piece of memory, in any of the nodes that it computes.
void markShared(const Program &program, std::vector<KernelWithWorkspace> &kernels)
{
    std::vector<std::set<int>> shared(kernels.size());
    for (const ProgramStep &step : program.steps) {
        const std::vector<Value> &inputs = program.function.at(step.node).inputs;
        const auto count = static_cast<int>(inputs.size());
        std::set<int> &places = shared[static_cast<std::size_t>(step.kernel)];
        for (int k = 0; k < static_cast<int>(program.function.at(step.node).types.size()); ++k) {
            const auto storage = program.memory.inPlaceOf.find({step.node, k});
            if (storage == program.memory.inPlaceOf.end())
                continue;
            places.insert(count + k);
            for (int i = 0; i < count; ++i) {
                if (storageOf(program.function, inputs[static_cast<std::size_t>(i)]).value == storage->second)
                    places.insert(i);
            }
        }
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (shared[i].empty())
            continue;
        const ir::Module::Entry &entry = *kernels[i].module.mainEntry();
        ir::PrimFunc function = *entry.function;
        function.attrs.insert_or_assign(std::string(ir::sharedMemoryKey),
                                        std::vector<ir::AttrValue>(shared[i].begin(), shared[i].end()));
        kernels[i].module =
            kernels[i].module.with(entry.name, std::make_shared<const ir::PrimFunc>(std::move(function)));
    }
}

} // namespace

Result<std::vector<ir::Module>> scheduleKernels(Program &program, const Schedules &schedules)
{
    std::vector<KernelWithWorkspace> kernels(program.kernels.size());
    const auto scheduleOne = [&](std::int64_t place) -> Result<void> {
        const auto i = static_cast<std::size_t>(place);
        const Kernel &kernel = program.kernels[i];
        if (const auto own = schedules.find(kernel.name); own != schedules.end()) {
            kernels[i] = withWorkspace(own->second.module);
            return {};
        }
        const auto scheduled = defaultSchedule(kernel.module, program.machine);
        if (!scheduled)
            return fail(scheduled.error());
        kernels[i] = withWorkspace(scheduled->state.module);
        return {};
    };
    if (auto done = support::inParallel(std::ssize(kernels), scheduleOne); !done)
        return fail(done.error());
    planInPlace(program, kernels);
    markShared(program, kernels);
    placeWorkspaces(program, kernels);
    std::vector<ir::Module> modules;
    for (KernelWithWorkspace &kernel : kernels)
        modules.push_back(std::move(kernel.module));
    return modules;
}

Result<Executor> makeExecutor(Program program, const target::Target &target, const Schedules &schedules,
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
