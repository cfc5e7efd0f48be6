// SPDX-License-Identifier: Apache-2.0
/// Progress messages between the worker and a kernel's process.
#pragma once

#include "core/measure/sandbox/enclosure.h"
#include "core/measure/worker/worker.h"

#include <chrono>

namespace nestwright::measure {

/// Reports progress, and repeats the last report while a kernel computes.
class Teller {
public:
    explicit Teller(const ProgressSink &sink) : m_sink(sink) {}
    void tell(Progress progress);
    void signOfLife();

private:
    const ProgressSink &m_sink;
    Progress m_last;
    std::chrono::steady_clock::time_point m_time = std::chrono::steady_clock::now();
};

/// The next message of a kernel's process. Errors: those of Enclosure::receive; "measure.load",
/// "measure.memory" where it says that it could not begin.
support::Result<Message> hear(Enclosure &enclosure, const MeasureRequest &request, Teller &teller);

} // namespace nestwright::measure
