// SPDX-License-Identifier: Apache-2.0
/// The processes in which kernels run: one call whose results are passed on, and timing on demand.
#pragma once

#include "core/measure/enclosure.h"
#include "core/measure/kernel_arrays.h"
#include "core/measure/worker_protocol.h"

#include <vector>

namespace nestwright::measure {

/// Kinds of Message between the worker and a process that runs kernels.
enum class Word : std::int32_t {
    NotLoaded, ///< from the process: `text` says why
    Returned,  ///< from it: the kernel returned the code `number`
    NoMemory,  ///< from it: the arguments do not fit
    Ready,     ///< from it: everything is loaded
    Time,      ///< to it: candidate `number`, `count` times, or as often as takes `seconds` where that is 0
    Counted,   ///< from it: events of `count` calls lie in the shared memory
    Timed,     ///< from it: `count` calls of candidate `number` took `seconds` each
};

/// Calls the kernel once and saves its results to `results`; says Returned.
Enclosure::Body oneCall(const MeasureRequest &request, const KernelFile &kernel, Precision precision,
                        std::span<std::byte> results);

/// Loads `candidates` (indices into the request's), says Ready, and times them as it is told.
/// `Message::number` counts within them.
Enclosure::Body timing(const MeasureRequest &request, std::vector<std::size_t> candidates);

/// Calls the kernel once, and then so often with counters of kernelEvents, whose CountsInMemory it leaves in
/// `counts`; says Counted.
Enclosure::Body counting(const MeasureRequest &request, const KernelFile &kernel, std::int64_t calls,
                         std::span<std::byte> counts);

} // namespace nestwright::measure
