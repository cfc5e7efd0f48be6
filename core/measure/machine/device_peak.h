// SPDX-License-Identifier: Apache-2.0
/// The peaks of the machine that runs a target's code: this processor, or a GPU.
#pragma once

#include "core/backend/backend.h"
#include "core/measure/machine/machine_peak.h"

#include <optional>
#include <stop_token>

namespace nestwright::measure {

class Measurer;

/// The GPU that runs code of `target` here; nothing where none does, or where it runs on this processor. Asks
/// the drivers in a process of its own, once.
std::optional<backend::DeviceFacts> gpuOf(const target::Target &target);

/// The peak that is known without measuring: measured earlier, or, of an NVIDIA GPU that is not here, the one
/// of its data sheet. Error: "measure.bad-peak".
support::Result<MachinePeak> knownPeak(const target::Target &target);

/// Measures a GPU for some seconds with kernels of our own, which are compiled, checked and timed as any
/// other: chains of multiply-adds, sums of shared memory, of a part of the last cache, and of memory. The
/// peak of tensor cores is that of the data sheet. Errors: those of Measurer::measure.
support::Result<MachinePeak> measureDevicePeak(Measurer &measurer, const target::Target &target,
                                               const backend::DeviceFacts &gpu, std::stop_token stop = {});

} // namespace nestwright::measure
