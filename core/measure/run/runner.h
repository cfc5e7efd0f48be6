// SPDX-License-Identifier: Apache-2.0
/// Running of compiled kernels: one request at a time, so that none disturbs another's times.
#pragma once

#include "core/measure/machine/machine_peak.h"
#include "core/measure/run/worker_client.h"
#include "core/measure/worker/worker.h"

#include <stop_token>
#include <vector>

namespace nestwright::measure {

/// Lets a worker process run kernels. Not for several threads at once.
class Runner {
public:
    explicit Runner(WorkerOptions options) : m_worker(std::move(options)) {}

    /// Starts the worker so that the first request does not wait for it.
    void warmUp();

    /// One measurement per candidate, in order. Errors: those of WorkerClient::ask.
    support::Result<std::vector<Measurement>>
    measure(const MeasureRequest &request, const ProgressSink &progress, const std::stop_token &stop);

    /// The peak of this processor, measured now. Errors: those of WorkerClient::ask, "measure.bad-peak".
    support::Result<MachinePeak> measurePeak(int threads, const std::stop_token &stop);

private:
    WorkerClient m_worker;
};

} // namespace nestwright::measure
