// SPDX-License-Identifier: Apache-2.0
/// Random schedules for GPUs, for fuzzing.
#pragma once

#include "core/schedule/apply.h"
#include "tests/support/random.h"

#include <vector>

namespace nestwright::tests {

struct GpuSchedule {
    schedule::State state;
    std::vector<schedule::Step> steps;
};

/// A few steps of any kind, copies in shared and local memory, and the loops of most blocks bound to blocks,
/// threads and virtual threads; what is not legal is left out.
GpuSchedule randomGpuSchedule(const schedule::State &initial, Random &random);

} // namespace nestwright::tests
