// SPDX-License-Identifier: Apache-2.0
/// Times that a machine cannot reach, whatever the program.
#pragma once

#include "core/measure/machine/machine_peak.h"
#include "core/measure/worker/worker_protocol.h"

namespace nestwright::measure {

/// The reason why the time cannot be: faster, by more than its interval, than the machine's units can do the
/// operations, or than its nearest cache takes what each call has to write ("measure.impossible"). Of what is
/// read nothing is said, since a program may read a part of its arguments. Nothing where it can be.
std::optional<support::Diagnostic> impossibility(const Measurement &measurement, const MachinePeak &peak,
                                                 const std::vector<BufferSpec> &buffers);

} // namespace nestwright::measure
