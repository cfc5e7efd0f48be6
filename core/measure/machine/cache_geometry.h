// SPDX-License-Identifier: Apache-2.0
/// Lines, ways and sets of the caches of a processor.
#pragma once

#include "core/support/errors/result.h"
#include "core/target/machine.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::measure {

struct CacheGeometry {
    std::string name; ///< "L1"
    std::int64_t bytes = 0;
    std::int64_t ways = 1;
    std::int64_t lineBytes = target::lineBytes;

    std::int64_t sets() const { return bytes / (ways * lineBytes); }
};

struct CacheHierarchy {
    std::vector<CacheGeometry> levels; ///< of data, nearest first
    bool isAssumed = false;            ///< the system tells nothing: levels as they are usual
};

/// The caches of data of one core, as Linux tells them in `folder`.
CacheHierarchy cacheHierarchy(const std::string &folder = "/sys/devices/system/cpu/cpu0/cache");

/// "size,ways,line" in bytes; the size may end in k or M: "32k,8,64". `number` names the level, from 1. Code:
/// "usage.cache".
support::Result<CacheGeometry> parseCacheGeometry(std::string_view text, int number);

} // namespace nestwright::measure
