// SPDX-License-Identifier: Apache-2.0
/// Work side by side, on as many threads as there are processors; the caller's is one of them, and the only
/// one where the system gives no others.
#pragma once

#include "core/support/errors/errors.h"
#include "core/support/errors/result.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace nestwright::support {

/// Calls `work(i)`, which returns a Result<void>, for 0 … count, each thread the next as soon as it is free,
/// and waits for them. Error: that of a call that failed; throws what one threw. What was not begun by then
/// is left.
template <class Work> Result<void> inParallel(std::int64_t count, const Work &work)
{
    std::atomic<std::int64_t> next = 0;
    std::mutex mutex;
    Result<void> done;
    std::exception_ptr thrown;
    const auto run = [&] {
        for (std::int64_t i = next++; i < count; i = next++) {
            try {
                if (Result<void> one = work(i); !one) {
                    next = count;
                    const std::scoped_lock lock(mutex);
                    done = std::move(one);
                }
            } catch (...) {
                next = count;
                const std::scoped_lock lock(mutex);
                thrown = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        const std::int64_t wanted = std::min<std::int64_t>(count, std::thread::hardware_concurrency());
        try {
            while (std::ssize(others) + 1 < wanted)
                others.emplace_back(run);
        } catch (const std::system_error &) { // NOLINT(bugprone-empty-catch): those that there are do it all
        }
        run();
    }
    if (thrown)
        std::rethrow_exception(thrown);
    return done;
}

/// Array elements that are worth a thread.
inline constexpr std::int64_t elementsPerThread = 1 << 15;

/// Calls `work(begin, end)` for parts of 0 … count: as many as there are processors, but at most `most`, and
/// one at least.
template <class Work> void inParts(std::int64_t count, std::int64_t most, const Work &work)
{
    const std::int64_t parts = std::clamp<std::int64_t>(
        std::min(most, count), 1, std::max<std::int64_t>(1, std::thread::hardware_concurrency()));
    const auto done = inParallel(parts, [&](std::int64_t part) {
        work(count * part / parts, count * (part + 1) / parts);
        return Result<void>();
    });
    NW_ASSERT(done, "no part fails");
}

} // namespace nestwright::support
