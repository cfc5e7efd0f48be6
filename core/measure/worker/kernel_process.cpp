// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/kernel_process.h"

#include "core/backend/codes.h"
#include "core/backend/link/runtime.h"
#include "core/measure/codes.h"

#include <chrono>
#include <cmath>
#include <format>
#include <random>

namespace nestwright::measure {

using support::fail;
using support::Result;
using Clock = std::chrono::steady_clock;

namespace {

/// Seconds between the clocks of the two processes, as the system wakes them.
constexpr double clockSlack = 0.005;
/// The least share of the time here that is believed of calls that fill it.
constexpr double leastShare = 0.8;
/// Tries on a machine that may have taken the processor away between the two clocks.
constexpr int tries = 3;

std::uint64_t drawn()
{
    static std::random_device device;
    return static_cast<std::uint64_t>(device()) << 32 | device() | 1;
}

} // namespace

Result<KernelProcess> KernelProcess::start(const MeasureRequest &request, const KernelRun &run,
                                           Teller &teller)
{
    KernelProcess process;
    process.m_request = &request;
    process.m_kernel = &run.kernel;
    process.m_teller = &teller;
    process.m_exchange = std::make_unique<SharedMemory>(exchangeBytes(request, run));
    auto started = Enclosure::start(running(request, run, *process.m_exchange));
    if (!started)
        return std::unexpected(started.error());
    process.m_enclosure = std::move(*started);
    const auto ready = hear(process.m_enclosure, request, teller);
    if (!ready)
        return std::unexpected(ready.error());
    if (static_cast<Word>(ready->kind) != Word::Ready)
        return fail(codes::crash, "the kernel's process said something else than was asked");
    if (auto paused = process.m_enclosure.pause(); !paused)
        return std::unexpected(paused.error());
    return process;
}

Result<Message> KernelProcess::ask(Word word, std::size_t set, double seconds, std::int64_t count)
{
    Message order;
    order.kind = static_cast<std::int32_t>(word);
    order.number = static_cast<std::int32_t>(set);
    order.seconds = seconds;
    order.count = count;
    order.order = drawn();
    m_enclosure.resume();
    m_enclosure.send(order);
    auto answer = hear(m_enclosure, *m_request, *m_teller);
    if (!answer)
        return answer;
    if (answer->order != order.order) // given before it was asked for
        return fail(codes::crash, "the kernel's process said something else than was asked");
    if (auto paused = m_enclosure.pause(); !paused)
        return std::unexpected(paused.error());
    return answer;
}

Result<Message> KernelProcess::askFor(Word word, Word answer, std::size_t set, std::int64_t count)
{
    auto said = ask(word, set, 0, count);
    if (said && static_cast<Word>(said->kind) != answer)
        return fail(codes::crash, "the kernel's process said something else than was asked");
    return said;
}

Result<void> KernelProcess::call(std::size_t set, std::span<const ir::NdArray> arguments, std::byte filling)
{
    copyInto(*m_exchange, arguments);
    const auto said = askFor(Word::Call, Word::Returned, set, std::to_integer<std::int64_t>(filling));
    if (!said)
        return std::unexpected(said.error());
    if (said->number != 0)
        return fail(backend::codes::kernelError, backend::describeKernelCode(said->number));
    const std::int64_t beside = said->count;
    if (beside == 0)
        return {};
    const std::string name =
        bufferName(*m_kernel, static_cast<std::size_t>(beside > 0 ? beside - 1 : -(beside + 1)));
    return fail(
        support::diagnostic(codes::wrongResult,
                            std::format("the kernel writes {} '{}', into memory that is not its own",
                                        beside > 0 ? "behind the end of" : "before the beginning of", name))
            .withHint("look at the indices that it stores to, and at guards that a step left out"));
}

Result<void> KernelProcess::take(std::size_t set, std::span<const ir::NdArray> arguments)
{
    copyInto(*m_exchange, arguments);
    return askFor(Word::Take, Word::Taken, set).transform([](const Message &) {});
}

Result<void> KernelProcess::show()
{
    return askFor(Word::Show, Word::Shown).transform([](const Message &) {});
}

Result<std::int64_t> KernelProcess::audit(std::size_t buffer, double seconds)
{
    const auto said = ask(Word::Audit, buffer, seconds);
    if (!said)
        return std::unexpected(said.error());
    if (static_cast<Word>(said->kind) != Word::Audited)
        return fail(codes::crash, "the kernel's process said something else than was asked");
    return said->count;
}

Result<double> KernelProcess::time(double seconds, std::int64_t iterations)
{
    for (int i = 0; i < tries; ++i) {
        const auto begin = Clock::now();
        const auto answer = ask(Word::Time, 0, seconds, iterations);
        if (!answer)
            return std::unexpected(answer.error());
        const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
        const double claimed = answer->seconds * static_cast<double>(answer->count);
        const bool isTime = static_cast<Word>(answer->kind) == Word::Timed && answer->count > 0
                            && (iterations == 0 || answer->count == iterations)
                            && std::isfinite(answer->seconds) && answer->seconds > 0 && claimed <= passed;
        if (!isTime)
            break;
        // Finding the number of calls, and emptying caches, takes time that does not count.
        if (iterations == 0 || m_request->flushCache || claimed >= leastShare * passed - clockSlack)
            return answer->seconds;
        if (i + 1 == tries) // the clock here counts what the system took away, and nothing can shorten it
            return passed / static_cast<double>(answer->count);
    }
    return fail(codes::crash, "the times that the kernel's process tells are not those of the clock");
}

} // namespace nestwright::measure
