// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/teller.h"

#include "core/measure/codes.h"
#include "core/measure/worker/kernel_runs.h"

namespace nestwright::measure {

using support::fail;
using support::Result;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds betweenSigns(500); ///< of life, while a kernel computes

std::chrono::nanoseconds silenceOf(const MeasureRequest &request)
{
    return std::chrono::nanoseconds(static_cast<std::int64_t>(request.silenceSeconds * 1e9));
}

} // namespace

void Teller::tell(Progress progress)
{
    m_last = std::move(progress);
    m_sink(m_last);
    m_time = Clock::now();
}

void Teller::signOfLife()
{
    if (Clock::now() - m_time < betweenSigns)
        return;
    m_sink(m_last);
    m_time = Clock::now();
}

Result<Message> hear(Enclosure &enclosure, const MeasureRequest &request, Teller &teller)
{
    auto message = enclosure.receive(silenceOf(request), [&] { teller.signOfLife(); });
    if (!message)
        return message;
    switch (static_cast<Word>(message->kind)) {
    case Word::NotLoaded: return fail(codes::load, message->cleanText());
    case Word::NoMemory: return fail(codes::memory, "the kernel's process ran out of memory");
    default: return message;
    }
}

} // namespace nestwright::measure
