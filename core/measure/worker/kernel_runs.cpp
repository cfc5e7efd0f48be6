// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/kernel_runs.h"

#include "core/backend/link/loaded_kernel.h"
#include "core/backend/link/runtime.h"
#include "core/measure/codes.h"
#include "core/measure/machine/perf_counters.h"
#include "core/measure/sandbox/enclosed_loading.h"
#include "core/measure/sandbox/guarded_array.h"
#include "core/measure/worker/repetition.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <new>
#include <random>
#include <sched.h>
#include <sstream>

namespace nestwright::measure {

using backend::LoadedKernel;
using support::fail;
using support::Result;

namespace {

/// Processor time for each thread: far more than any measurement takes, so that nothing runs for ever.
constexpr std::uint64_t cpuSecondsPerThread = 3600;

SandboxLimits limitsOf(const MeasureRequest &request, backend::Format format)
{
    // NVIDIA's driver takes addresses for all memory that it may ever share with the GPU.
    const bool isBounded = format != backend::Format::CudaDevice;
    return {isBounded ? request.memoryBytes : 0,
            cpuSecondsPerThread * static_cast<std::uint64_t>(std::max(1, request.threads)),
            backend::hasDriver(format)};
}

/// A kernel with the arguments of one set, ready to be called.
class Loaded {
public:
    static Result<Loaded> load(const KernelRun &run, const SandboxLimits &limits);

    /// Makes arrays of the types and shapes of the set, with guards (guarded_array.h) or where arrays lie
    /// else.
    Result<void> bind(const ArgumentSet &set, bool hasGuards = false)
    {
        m_call.reset();
        m_packed.reset();
        m_margins.clear();
        m_arrays.clear(); // there may be no room for both
        m_arrays = emptyArrays(set, m_run->precision, m_run->bounded);
        m_hasGuards = hasGuards;
        for (ir::NdArray &array : m_arrays) {
            if (!hasGuards)
                continue;
            GuardedArray guarded = guardedArray(array);
            array = std::move(guarded.array);
            m_margins.push_back(guarded.margins);
        }
        std::vector<ir::NdArray *> pointers;
        for (ir::NdArray &array : m_arrays)
            pointers.push_back(&array);
        const KernelFile &file = m_run->kernel;
        auto packed = backend::PackedArguments::make(*file.artifact.find(file.entry), pointers, set.scalars);
        if (!packed)
            return std::unexpected(packed.error());
        m_packed = std::make_unique<backend::PackedArguments>(std::move(*packed));
        m_call = m_kernel->bind(file.entry, *m_packed);
        if (!m_call)
            return fail("measure.entry", "the compiled kernel has no function '" + file.entry + '\'');
        return {};
    }

    /// Takes the arguments of a set from memory.
    Result<void> take(const ArgumentSet &set, const SharedMemory &memory, bool hasGuards)
    {
        if (!hasShapesOf(set) || hasGuards != m_hasGuards) {
            if (auto bound = bind(set, hasGuards); !bound)
                return bound;
        }
        copyFrom(memory, m_arrays);
        m_call->update();
        return {};
    }

    void fill(const std::vector<ir::NdArray> &values)
    {
        for (std::size_t i = 0; i < m_arrays.size(); ++i)
            std::ranges::copy(values[i].bytes(), m_arrays[i].bytes().begin());
        m_call->update();
    }

    void show(const SharedMemory &memory)
    {
        m_call->fetch();
        copyInto(memory, m_arrays);
    }

    /// Fills what lies beside guarded arguments, so that a result shows where a kernel reads it.
    void fillMargins(std::byte filling) const
    {
        for (std::size_t i = 0; i < m_margins.size(); ++i)
            m_margins[i].fill(patternBeside(i, filling));
    }

    /// The argument beside which something else was written, from 1 on; negative: before it; 0: none.
    std::int64_t writtenBeside(std::byte filling) const
    {
        for (std::size_t i = 0; i < m_margins.size(); ++i) {
            const auto number = static_cast<std::int64_t>(i) + 1;
            if (const Side side = m_margins[i].written(patternBeside(i, filling)); side != Side::None)
                return side == Side::Behind ? number : -number;
        }
        return 0;
    }

    backend::BoundCall &call() { return *m_call; }
    backend::Format format() const { return m_run->kernel.artifact.format; }

    /// Calls it for so long, twice at least, each time with one element of the buffer spoiled before. The
    /// element that a call left so; -1: none was.
    std::int64_t audit(std::size_t buffer, std::uint64_t seed, double seconds);

private:
    /// Not that of another argument, from which it might be copied.
    static std::byte patternBeside(std::size_t argument, std::byte filling)
    {
        return static_cast<std::byte>(std::to_integer<std::size_t>(filling) - argument % 8);
    }

    bool hasShapesOf(const ArgumentSet &set) const
    {
        return m_arrays.size() >= set.buffers.size()
               && std::ranges::equal(set.buffers, std::span(m_arrays).first(set.buffers.size()), {},
                                     &BufferSpec::shape, &ir::NdArray::shape);
    }

    const KernelRun *m_run = nullptr;
    std::unique_ptr<LoadedKernel> m_kernel;
    std::vector<ir::NdArray> m_arrays;
    std::vector<Margins> m_margins; ///< of guarded arrays
    bool m_hasGuards = false;
    std::unique_ptr<backend::PackedArguments> m_packed;
    std::unique_ptr<backend::BoundCall> m_call;
};

Result<Loaded> Loaded::load(const KernelRun &run, const SandboxLimits &limits)
{
    const KernelFile &file = run.kernel;
    backend::Artifact artifact = file.artifact;
    std::ifstream stream(file.path, std::ios::binary);
    if (!stream)
        return fail(codes::file, "the compiled kernel '" + file.path + "' cannot be read");
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    artifact.bytes = std::move(bytes).str();
    if (artifact.isEdited) { // what it has run as it is loaded runs in the sandbox too
        artifact.file = file.path;
        confineLoading(file.path, limits);
    }
    auto kernel = loadEnclosed(artifact, std::filesystem::path(file.path).parent_path());
    if (!kernel)
        return std::unexpected(kernel.error());
    Loaded loaded;
    loaded.m_run = &run;
    loaded.m_kernel = std::move(*kernel);
    return loaded;
}

std::int64_t Loaded::audit(std::size_t buffer, std::uint64_t seed, double seconds)
{
    using Clock = std::chrono::steady_clock;
    ir::NdArray &array = m_arrays.at(buffer);
    std::mt19937_64 generator(seed);
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    for (int calls = 0; calls < 2 || Clock::now() < end; ++calls) {
        const std::size_t element = generator() % static_cast<std::size_t>(array.size());
        const auto bytes = invertElement(array, element); // no other call gives that
        const std::vector<std::byte> spoiled(bytes.begin(), bytes.end());
        m_call->update();
        m_call->run();
        m_call->fetch();
        if (std::ranges::equal(bytes, spoiled))
            return static_cast<std::int64_t>(element);
    }
    return -1;
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

/// Fills the part of this thread's stack that a kernel's arrays take.
[[gnu::noinline]] int fillStack(int byte)
{
    std::array<char, std::size_t{512} << 10> bytes; // NOLINT(cppcoreguidelines-pro-type-member-init): below
    std::memset(bytes.data(), byte, bytes.size());
    asm volatile("" : : "r"(bytes.data()) : "memory"); // as somebody may read it
    return 0;
}

/// Fills memory that kernels take for themselves with `byte` from now on, so that a result shows where they
/// read what they have not written: that of this program's runtime, of the C library, and stacks.
void fillOwnMemory(int threads, int byte)
{
    nestwright_set_filling(byte);
    mallopt(M_PERTURB, ~byte & 0xff); // malloc writes the complement; 0: nothing
    nestwright_parallel_for(
        [](void *value, std::int64_t, std::int64_t) { return fillStack(*static_cast<int *>(value)); }, &byte,
        threads);
}

void leaveOwnMemory()
{
    nestwright_set_filling(-1);
    mallopt(M_PERTURB, 0);
}

/// Does what `order` says. Errors are those of arguments that cannot be had.
Result<void> obey(const MeasureRequest &request, const Message &order, Loaded &loaded,
                  const SharedMemory &exchange, Message &answer)
{
    const auto set = [&]() -> const ArgumentSet & {
        return request.sets.at(static_cast<std::size_t>(order.number));
    };
    switch (static_cast<Word>(order.kind)) {
    case Word::Take: answer = say(Word::Taken); return loaded.take(set(), exchange, false);
    case Word::Call: {
        const bool hasDriver = backend::hasDriver(loaded.format());
        if (auto taken = loaded.take(set(), exchange, !hasDriver); !taken)
            return taken;
        const auto filling = static_cast<std::byte>(order.count);
        loaded.fillMargins(filling);
        if (!hasDriver)
            fillOwnMemory(request.threads, std::to_integer<int>(filling));
        answer = say(Word::Returned, loaded.call().run());
        if (!hasDriver)
            leaveOwnMemory();
        loaded.show(exchange);
        answer.count = loaded.writtenBeside(filling);
        return {};
    }
    case Word::Show:
        loaded.show(exchange);
        answer = say(Word::Shown);
        return {};
    case Word::Time: {
        const Repetition time = repeated(loaded.call(), request.flushCache, order.seconds, order.count);
        answer = say(Word::Timed);
        answer.count = time.iterations;
        answer.seconds = time.seconds;
        return {};
    }
    case Word::Audit:
        answer = say(Word::Audited);
        answer.count = loaded.audit(static_cast<std::size_t>(order.number), order.order, order.seconds);
        return {};
    default: return fail("measure.order", "the kernel's process was told what it does not know");
    }
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

std::size_t exchangeBytes(const MeasureRequest &request, const KernelRun &run)
{
    std::size_t bytes = 0;
    for (const ArgumentSet &set : request.sets)
        bytes = std::max(bytes, bytesOf(emptyArrays(set, run.precision, run.bounded)));
    return bytes;
}

Enclosure::Body running(const MeasureRequest &request, const KernelRun &run, const SharedMemory &exchange)
{
    return [&request, run, &exchange](const Line &line) {
        return saying(line, [&]() -> Result<void> {
            placeOpenMpThreads(request.threads);
            const backend::Format format = run.kernel.artifact.format;
            const SandboxLimits limits = limitsOf(request, format);
            auto loaded = Loaded::load(run, limits);
            if (!loaded)
                return std::unexpected(loaded.error());
            if (auto bound = loaded->bind(request.sets.front()); !bound)
                return bound;
            enterSandbox(limits);
            pinThreads(request.threads, backend::hasDriver(format));
            line.send(say(Word::Ready));
            for (Message order; line.receive(order);) {
                Message answer;
                if (auto done = obey(request, order, *loaded, exchange, answer); !done)
                    answer = notLoaded(done.error());
                answer.order = order.order;
                line.send(answer);
            }
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
            const KernelRun run{kernel};
            const std::span<const CounterEvent> events = kernelEvents();
            const PerfCounters counters(
                events); // before the sandbox, and before the kernel's threads are made
            const backend::Format format = run.kernel.artifact.format;
            const SandboxLimits limits = limitsOf(request, format);
            auto loaded = Loaded::load(run, limits);
            if (!loaded)
                return std::unexpected(loaded.error());
            if (auto bound = loaded->bind(request.sets.front()); !bound)
                return bound;
            loaded->fill(filledArrays(request.sets.front()));
            enterSandbox(limits);
            pinThreads(request.threads, backend::hasDriver(format));
            loaded->call().run();
            const std::vector<CounterState> before = counters.read();
            for (std::int64_t i = 0; i < calls; ++i)
                loaded->call().run();
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

} // namespace nestwright::measure
