// SPDX-License-Identifier: Apache-2.0
#include "core/measure/kernel_runs.h"

#include "core/backend/loaded_kernel.h"
#include "core/backend/runtime.h"
#include "core/measure/codes.h"
#include "core/measure/enclosed_loading.h"
#include "core/measure/perf_counters.h"
#include "core/measure/repetition.h"
#include "core/support/errors.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <numeric>
#include <sched.h>
#include <sstream>

namespace nestwright::measure {

using backend::LoadedKernel;
using support::fail;
using support::Result;

namespace {

/// Processor time for each thread: far more than any measurement takes, so that nothing runs for ever.
constexpr std::uint64_t cpuSecondsPerThread = 3600;

/// A kernel with its arguments, ready to be called.
struct Loaded {
    std::unique_ptr<LoadedKernel> kernel;
    std::unique_ptr<backend::PackedArguments> arguments;
    std::unique_ptr<backend::BoundCall> call;
};

Result<Loaded> loadFile(const KernelFile &file, const KernelArrays &arrays,
                        const std::vector<std::int64_t> &scalars)
{
    backend::Artifact artifact = file.artifact;
    std::ifstream stream(file.path, std::ios::binary);
    if (!stream)
        return fail(codes::file, "the compiled kernel '" + file.path + "' cannot be read");
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    artifact.bytes = std::move(bytes).str();
    if (artifact.isEdited) { // what it has run as it is loaded runs in the sandbox too
        artifact.file = file.path;
        confineLoading(file.path);
    }
    auto kernel = loadEnclosed(artifact, std::filesystem::path(file.path).parent_path());
    if (!kernel)
        return std::unexpected(kernel.error());
    auto packed = backend::PackedArguments::make(*file.artifact.find(file.entry), arrays.pointers(), scalars);
    if (!packed)
        return std::unexpected(packed.error());
    Loaded loaded{std::move(*kernel), std::make_unique<backend::PackedArguments>(std::move(*packed)),
                  nullptr};
    loaded.call = loaded.kernel->bind(file.entry, *loaded.arguments);
    if (!loaded.call)
        return fail("measure.entry", "the compiled kernel has no function '" + file.entry + '\'');
    return loaded;
}

Message say(Word word, std::int32_t number = 0)
{
    Message message;
    message.kind = static_cast<std::int32_t>(word);
    message.number = number;
    return message;
}

Message notLoaded(const support::Diagnostic &why)
{
    Message message = say(Word::NotLoaded);
    message.setText(why.message);
    return message;
}

SandboxLimits limitsOf(const MeasureRequest &request, std::span<const backend::Format> formats)
{
    // NVIDIA's driver takes addresses for all memory that it may ever share with the GPU.
    const bool isBounded = !std::ranges::contains(formats, backend::Format::CudaDevice);
    return {isBounded ? request.memoryBytes : 0,
            cpuSecondsPerThread * static_cast<std::uint64_t>(std::max(1, request.threads)),
            std::ranges::any_of(formats, backend::hasDriver)};
}

/// Puts this thread on the first core and, by a loop without work, the pool's threads on the next ones: a
/// caller that wanders onto the core of one of its helpers halves the speed of a round. The pool's threads
/// take their cores from the mask they are born with, so they are made before this one is pinned.
void pinThreads(int threads, bool hasDriver)
{
    if (hasDriver) // which has threads of its own
        return;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    nestwright_set_threads(threads);
    nestwright_parallel_for([](void *, std::int64_t, std::int64_t) { return 0; }, nullptr, threads);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (!CPU_ISSET(core, &allowed))
            continue;
        cpu_set_t first;
        CPU_ZERO(&first);
        CPU_SET(core, &first);
        sched_setaffinity(0, sizeof first, &first);
        return;
    }
}

/// OpenMP's threads, which kernels made by a C compiler use, get a core each as well. It looks at these
/// variables when it is loaded.
void placeOpenMpThreads(int threads)
{
    setenv("OMP_PROC_BIND", "true", 0);
    setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 0);
}

/// Places in `candidates` in the order of loading: edited code restricts what can be loaded after it.
std::vector<std::size_t> editedLast(const MeasureRequest &request, const std::vector<std::size_t> &candidates)
{
    std::vector<std::size_t> places(candidates.size());
    std::ranges::iota(places, std::size_t{0});
    std::ranges::stable_partition(
        places, [&](std::size_t place) { return !request.candidates[candidates[place]].artifact.isEdited; });
    return places;
}

/// The error that a body says for `run`, which throws where the arguments cannot be had.
template <class Run> int saying(const Line &line, Run run)
{
    try {
        if (const Result<void> done = run(); !done)
            line.send(notLoaded(done.error()));
    } catch (const std::bad_alloc &) {
        line.send(say(Word::NoMemory));
    } catch (const support::UserError &error) {
        line.send(notLoaded(error.diagnostic()));
    }
    return 0;
}

} // namespace

Enclosure::Body oneCall(const MeasureRequest &request, const KernelFile &kernel, Precision precision,
                        std::span<std::byte> results)
{
    return [&request, &kernel, precision, results](const Line &line) {
        return saying(line, [&]() -> Result<void> {
            placeOpenMpThreads(request.threads);
            const KernelArrays arrays(request, precision);
            const auto loaded = loadFile(kernel, arrays, request.scalars);
            if (!loaded)
                return std::unexpected(loaded.error());
            const backend::Format format = kernel.artifact.format;
            enterSandbox(limitsOf(request, std::span(&format, 1)));
            pinThreads(request.threads, backend::hasDriver(format));
            const std::int32_t code = loaded->call->run();
            loaded->call->fetch();
            Outputs(request, precision).save(arrays, results);
            line.send(say(Word::Returned, code));
            return {};
        });
    };
}

Enclosure::Body counting(const MeasureRequest &request, const KernelFile &kernel, std::int64_t calls,
                         std::span<std::byte> counts)
{
    return [&request, &kernel, calls, counts](const Line &line) {
        return saying(line, [&]() -> Result<void> {
            placeOpenMpThreads(request.threads);
            const KernelArrays arrays(request);
            const std::span<const CounterEvent> events = kernelEvents();
            const PerfCounters counters(
                events); // before the sandbox, and before the kernel's threads are made
            const auto loaded = loadFile(kernel, arrays, request.scalars);
            if (!loaded)
                return std::unexpected(loaded.error());
            const backend::Format format = kernel.artifact.format;
            enterSandbox(limitsOf(request, std::span(&format, 1)));
            pinThreads(request.threads, backend::hasDriver(format));
            loaded->call->run();
            const std::vector<CounterState> before = counters.read();
            for (std::int64_t i = 0; i < calls; ++i)
                loaded->call->run();
            const std::vector<CounterState> after = counters.read();
            CountsInMemory said;
            for (std::size_t i = 0; i < events.size(); ++i) {
                said.events[i] = eventsBetween(before[i], after[i]).value_or(-1);
                said.errors[i] = counters.error(i);
            }
            std::memcpy(counts.data(), &said, sizeof said);
            Message answer = say(Word::Counted);
            answer.count = calls;
            line.send(answer);
            return {};
        });
    };
}

Enclosure::Body timing(const MeasureRequest &request, std::vector<std::size_t> candidates)
{
    return [&request, candidates = std::move(candidates)](const Line &line) {
        return saying(line, [&]() -> Result<void> {
            placeOpenMpThreads(request.threads);
            const KernelArrays arrays(request);
            std::vector<Loaded> loaded(candidates.size());
            std::vector<backend::Format> formats;
            for (const std::size_t place : editedLast(request, candidates)) {
                const KernelFile &file = request.candidates[candidates[place]];
                auto kernel = loadFile(file, arrays, request.scalars);
                if (!kernel)
                    return std::unexpected(kernel.error());
                loaded[place] = std::move(*kernel);
                formats.push_back(file.artifact.format);
            }
            enterSandbox(limitsOf(request, formats));
            pinThreads(request.threads, std::ranges::any_of(formats, backend::hasDriver));
            line.send(say(Word::Ready));
            for (Message order; line.receive(order);) {
                const auto i = static_cast<std::size_t>(order.number);
                const Repetition time =
                    repeated(*loaded.at(i).call, request.flushCache, order.seconds, order.count);
                Message answer = say(Word::Timed, order.number);
                answer.count = time.iterations;
                answer.seconds = time.seconds;
                line.send(answer);
            }
            return {};
        });
    };
}

} // namespace nestwright::measure
