// SPDX-License-Identifier: Apache-2.0
/// The measuring worker: the only process in which generated code runs.
#pragma once

#include "core/measure/worker_protocol.h"

#include <functional>

namespace nestwright::measure {

/// What a worker tells while it works: a fraction from 0 to 1, what it does, and measurements so far (perhaps none).
struct Progress {
    double fraction = 0;
    std::string phase;
    std::vector<Measurement> partial;
};
using ProgressSink = std::function<void(const Progress &)>;

/// Loads, checks and times the candidates in this process. Each candidate that fails carries its own reason; a failure
/// of the request as a whole (reference does not load, no memory for the arguments) is the error.
support::Result<std::vector<Measurement>> measureHere(const MeasureRequest &request,
                                                      const ProgressSink &progress);

/// Answers requests on standard input until it ends; returns the exit status. `memoryBytes` limits the address space.
int runWorker(std::uint64_t memoryBytes);

} // namespace nestwright::measure
