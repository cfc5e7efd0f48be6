// SPDX-License-Identifier: Apache-2.0
#include "core/graph/run/executor.h"

#include "core/backend/backend.h"
#include "core/backend/codes.h"
#include "core/backend/link/runtime.h"
#include "core/ops/table/shapes.h"
#include "core/support/errors/codes.h"
#include "core/support/parallel.h"
#include "core/support/text/bytes_text.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <mutex>
#include <new>
#include <unistd.h>

namespace nestwright::graph {

using support::fail;
using support::Result;

Result<std::vector<backend::Artifact>>
compileKernels(const Program &program, const std::vector<ir::Module> &modules, const target::Target &target,
               const CompileProgress &progress, std::stop_token stop, const KernelCache &cache)
{
    if (target.isGpu())
        return fail(
            support::diagnostic("graph.target", "models cannot be run by the target '" + target.str() + '\'')
                .withHint("choose the target llvm or c; a kernel of a model alone can be measured on a GPU"));
    std::vector<backend::Artifact> artifacts(modules.size());
    std::mutex mutex;
    std::size_t done = 0;
    const auto compileOne = [&](std::int64_t place) -> Result<void> {
        const auto i = static_cast<std::size_t>(place);
        if (auto known = cache.find(modules[i], target)) {
            artifacts[i] = std::move(*known);
        } else {
            auto artifact = backend::compile(modules[i], target, stop);
            if (!artifact) {
                support::Diagnostic failure = artifact.error();
                if (failure.code != support::codes::cancelled)
                    failure.message =
                        std::format("kernel \"{}\": {}", program.kernels[i].name, failure.message);
                return fail(std::move(failure));
            }
            cache.put(modules[i], target, *artifact);
            artifacts[i] = std::move(*artifact);
        }
        if (progress) {
            const std::scoped_lock lock(mutex);
            progress(++done, modules.size());
        }
        return {};
    };
    if (auto compiled = support::inParallel(std::ssize(modules), compileOne); !compiled)
        return fail(compiled.error());
    cache.trimNowAndThen();
    return artifacts;
}

namespace {

/// Bytes for inputs, outputs and all between.
double bytesToTake(const Program &program)
{
    auto bytes = static_cast<double>(program.memory.bytes);
    for (const int input : program.function.inputs())
        bytes += static_cast<double>(bytesOf(program.function.at(input).types[0]));
    for (const Value output : program.function.outputs)
        bytes += static_cast<double>(bytesOf(program.function.typeOf(output)));
    return bytes;
}

/// Address that kernels get for tensors without elements, which have no memory.
void *noElements()
{
    alignas(64) static std::byte place[64];
    return place;
}

/// Physical memory of the machine. The system grants allocations beyond it, too.
double memoryOfMachine()
{
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

} // namespace

Executor::Executor(Executor &&) noexcept = default;
Executor &Executor::operator=(Executor &&) noexcept = default;
Executor::~Executor() = default;

Result<Executor> Executor::load(Program program, const std::vector<backend::Artifact> &artifacts)
{
    Executor executor(std::move(program));
    executor.m_kernels.resize(artifacts.size());
    const auto loadOne = [&](std::int64_t place) -> Result<void> {
        const auto i = static_cast<std::size_t>(place);
        auto kernel = backend::load(artifacts[i]);
        if (!kernel)
            return fail(kernel.error());
        executor.m_kernels[i] = std::move(*kernel);
        return {};
    };
    if (auto loaded = support::inParallel(std::ssize(artifacts), loadOne); !loaded)
        return fail(loaded.error());
    const Function &function = executor.m_program.function;
    if (const double wanted = bytesToTake(executor.m_program); wanted > memoryOfMachine()) {
        return fail("graph.memory",
                    std::format("the model needs {} for its results; this machine has {}",
                                support::bytesText(wanted), support::bytesText(memoryOfMachine())));
    }
    try {
        executor.m_arena = ir::NdArray(ir::DataType::uint(8), {executor.m_program.memory.bytes});
        executor.m_results.resize(function.nodes.size());
        for (const int input : function.inputs())
            executor.m_inputs.emplace_back(function.at(input).types[0].dtype,
                                           *function.at(input).types[0].constantShape());
        for (const Value output : function.outputs) {
            auto &results = executor.m_results[static_cast<std::size_t>(output.node)];
            if (!results.empty())
                continue;
            for (const TensorType &type : function.at(output).types)
                results.emplace_back(type.dtype, *type.constantShape());
        }
    } catch (const std::bad_alloc &) {
        return fail("graph.memory", std::format("the model needs {} MB for its results, which cannot be had",
                                                executor.m_program.memory.bytes / 1'000'000));
    }
    for (const ProgramStep &step : executor.m_program.steps) {
        Call call;
        const auto &kernel = executor.m_kernels[static_cast<std::size_t>(step.kernel)];
        call.function = kernel->find(kernel->entries().front().name);
        const Node &node = executor.m_program.function.at(step.node);
        for (const Value input : node.inputs)
            call.arguments.push_back(executor.addressOf(input));
        for (std::size_t i = 0; i < node.types.size(); ++i)
            call.arguments.push_back(executor.addressOf({step.node, static_cast<int>(i)}));
        for (const std::int64_t place :
             executor.m_program.kernels[static_cast<std::size_t>(step.kernel)].workspace)
            call.arguments.push_back(executor.m_arena.bytes().data() + place);
        executor.m_calls.push_back(std::move(call));
    }
    return executor;
}

void *Executor::addressOf(Value value)
{
    const Function &function = m_program.function;
    if (bytesOf(function.typeOf(value)) == 0)
        return noElements();
    if (const StorageLocation storage = storageOf(function, value); storage.value != value)
        return static_cast<std::byte *>(addressOf(storage.value)) + storage.bytes;
    const Node &node = function.at(value);
    const auto place = static_cast<std::size_t>(value.node), output = static_cast<std::size_t>(value.output);
    switch (node.kind) {
    case NodeKind::Constant: // kernels do not write to what they only read
        return const_cast<std::byte *>(
            node.data->bytes().data()); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    case NodeKind::Input: {
        const std::vector<int> inputs = function.inputs();
        const auto index = std::ranges::find(inputs, value.node) - inputs.begin();
        return m_inputs[static_cast<std::size_t>(index)].bytes().data();
    }
    case NodeKind::Operator:
    case NodeKind::Group:
    case NodeKind::Call: break;
    }
    if (!m_results[place].empty())
        return m_results[place][output].bytes().data();
    const std::int64_t offset = m_program.memory.offsets[place][output];
    NW_ASSERT(offset != MemoryPlan::none, "a result has no memory");
    return m_arena.bytes().data() + offset;
}

Result<void> Executor::setInput(std::size_t i, const ir::NdArray &array)
{
    const std::vector<int> inputs = m_program.function.inputs();
    if (i >= inputs.size())
        return fail("graph.input",
                    std::format("the model has {} inputs, {} are given", inputs.size(), i + 1));
    const TensorType given{ops::shapeOf(array.shape()), array.dtype()};
    if (const TensorType &wanted = m_program.function.at(inputs[i]).types[0]; !(given == wanted)) {
        return fail("graph.input",
                    std::format("the input \"{}\" is {}, but {} is given",
                                displayName(m_program.function, inputs[i]), wanted.str(), given.str()));
    }
    std::ranges::copy(array.bytes(), m_inputs[i].bytes().begin());
    return {};
}

Result<void> Executor::run(std::vector<double> *seconds)
{
    using Clock = std::chrono::steady_clock;
    if (seconds)
        seconds->assign(m_calls.size(), 0);
    for (std::size_t i = 0; i < m_calls.size(); ++i) {
        const Clock::time_point begin = seconds ? Clock::now() : Clock::time_point();
        if (const std::int32_t code = m_calls[i].function(m_calls[i].arguments.data()); code != 0) {
            return fail(backend::codes::kernelError,
                        std::format("node \"{}\": {}",
                                    displayName(m_program.function, m_program.steps[i].node),
                                    backend::describeKernelCode(code)));
        }
        if (seconds)
            (*seconds)[i] = std::chrono::duration<double>(Clock::now() - begin).count();
    }
    return {};
}

const ir::NdArray &Executor::output(std::size_t i) const
{
    const Function &function = m_program.function;
    const Value output = function.outputs[i];
    const Node &node = function.at(output);
    if (node.isConstant())
        return *node.data;
    if (node.kind != NodeKind::Input)
        return m_results[static_cast<std::size_t>(output.node)][static_cast<std::size_t>(output.output)];
    const std::vector<int> inputs = function.inputs();
    return m_inputs[static_cast<std::size_t>(std::ranges::find(inputs, output.node) - inputs.begin())];
}

std::vector<ir::NdArray> Executor::outputs() const
{
    std::vector<ir::NdArray> results;
    for (std::size_t i = 0; i < m_program.function.outputs.size(); ++i)
        results.push_back(output(i));
    return results;
}

} // namespace nestwright::graph
