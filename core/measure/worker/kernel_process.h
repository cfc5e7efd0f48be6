// SPDX-License-Identifier: Apache-2.0
/// The worker's handle on a process that runs one kernel: arguments there and back, calls, times.
#pragma once

#include "core/measure/worker/kernel_runs.h"
#include "core/measure/worker/teller.h"

#include <memory>

namespace nestwright::measure {

/// Paused but while it is asked for something, so that none takes time from another.
class KernelProcess {
public:
    /// Errors: "worker.start", "measure.load", "measure.memory", "worker.crash", "worker.time-out".
    static support::Result<KernelProcess> start(const MeasureRequest &request, const KernelRun &run,
                                                Teller &teller);

    /// Calls the kernel once with these arguments of set `set`, and with `filling` in all memory of its own.
    /// Errors: as above, "kernel.error"; "measure.wrong-result" where it has written beside an argument.
    support::Result<void> call(std::size_t set, std::span<const ir::NdArray> arguments, std::byte filling);
    /// Lays the arguments ready for calls that are timed.
    support::Result<void> take(std::size_t set, std::span<const ir::NdArray> arguments);
    /// Seconds of one call: of `iterations` calls, or of as many as take `seconds` where that is 0. The time
    /// is the clock's here where the process tells much less. Error "worker.crash": no time at all.
    support::Result<double> time(double seconds, std::int64_t iterations);
    /// Calls it again and again for so long, one element of the buffer spoiled before each call, as a kernel
    /// cannot tell from calls that are timed. The element that a call left so, -1 if none was.
    support::Result<std::int64_t> audit(std::size_t buffer, double seconds);
    /// Lays out the arguments for `shown`.
    support::Result<void> show();
    /// The arguments after a call, or after `show`, in arrays of the set's types and shapes.
    void shown(std::span<ir::NdArray> arrays) const { copyFrom(*m_exchange, arrays); }

    pid_t process() const { return m_enclosure.process(); }

private:
    support::Result<Message> ask(Word word, std::size_t set = 0, double seconds = 0, std::int64_t count = 0);
    support::Result<Message> askFor(Word word, Word answer, std::size_t set = 0, std::int64_t count = 0);

    const MeasureRequest *m_request = nullptr;
    const KernelFile *m_kernel = nullptr;
    Teller *m_teller = nullptr;
    std::unique_ptr<SharedMemory> m_exchange;
    Enclosure m_enclosure;
};

} // namespace nestwright::measure
