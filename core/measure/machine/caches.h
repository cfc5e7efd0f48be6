// SPDX-License-Identifier: Apache-2.0
/// The caches of this processor, as the system tells them.
#pragma once

#include "core/support/errors/result.h"
#include "core/target/machine.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::measure {

struct Caches {
    std::vector<target::MemoryLevel> levels; ///< of data, nearest first; without rates
    bool isAssumed = false;                  ///< the system tells nothing: levels as they are usual
};

/// The caches of data of one core.
Caches caches();

/// The caches of this machine and the memory behind them, without rates.
std::vector<target::MemoryLevel> memoryLevels();
/// The smallest cache of this processor that holds so many bytes: 1 … 3; 4: only memory does.
int cacheHolding(double bytes);

/// "size,ways,line" in bytes; the size may end in k or M: "32k,8,64". `number` names the level, from 1. Code:
/// "usage.cache".
support::Result<target::MemoryLevel> parseCache(std::string_view text, int number);

} // namespace nestwright::measure
