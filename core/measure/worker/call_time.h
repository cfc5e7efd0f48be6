// SPDX-License-Identifier: Apache-2.0
/// The time of one call, for what is compared with kernels.
#pragma once

#include "core/measure/measurement.h"

#include <functional>

namespace nestwright::measure {

/// Calls it until it is warm, then in samples that are long enough for the clock. Gives seconds.
Interval timeOf(const std::function<void()> &call);

} // namespace nestwright::measure
