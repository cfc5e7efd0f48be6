// SPDX-License-Identifier: Apache-2.0
/// The measuring worker: has kernels run in sandboxed processes of their own (enclosure.h), and judges their
/// results.
#pragma once

#include "core/measure/worker/worker_protocol.h"

#include <functional>

namespace nestwright::measure {

using ProgressSink = std::function<void(const Progress &)>;

/// Checks and times the candidates. Each candidate that fails carries its own reason; a failure of the
/// request as a whole (reference does not load, no memory for the arguments) is the error.
support::Result<std::vector<Measurement>> measureHere(const MeasureRequest &request,
                                                      const ProgressSink &progress);

/// Stage at which a variant that failed for `reason` stopped.
Failure failureOf(const support::Diagnostic &reason);

/// Answers requests on standard input until it ends; returns the exit status.
int runWorker();

} // namespace nestwright::measure
