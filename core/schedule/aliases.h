// SPDX-License-Identifier: Apache-2.0
/// Steps on functions in which several buffers view the same memory.
#pragma once

#include "core/schedule/apply.h"

namespace nestwright::schedule {

/// Refuses steps that give a buffer other memory, or compute its elements at another place, where another
/// buffer views the same memory: they would change one of the two only. Loops may be changed; dependences
/// know of both.
void requireOneBufferPerMemory(const State &state, const Step &step);

} // namespace nestwright::schedule
