// SPDX-License-Identifier: Apache-2.0
/// Progress messages between the worker and a kernel's process.
#pragma once

#include "core/measure/sandbox/enclosure.h"
#include "core/measure/worker/worker.h"

#include <chrono>

namespace nestwright::measure {

/// Tells how far things are, and says the same again while a kernel computes.
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
