// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device/device_json.h"

#include "core/support/text/json.h"

namespace nestwright::backend {

using support::Json;

Json toJson(const DeviceFacts &device)
{
    return {{"name", device.name},
            {"driver", device.driver},
            {"architecture", device.architecture},
            {"gpu", device.isGpu},
            {"compute-units", device.computeUnits},
            {"memory-bytes", device.memoryBytes},
            {"shared-memory-bytes", device.sharedBytes},
            {"threads-in-a-block", device.mostThreads},
            {"cache-bytes", device.cacheBytes}};
}

DeviceFacts deviceFromJson(const Json &value)
{
    return {.name = value.at("name").get<std::string>(),
            .driver = value.at("driver").get<std::string>(),
            .architecture = value.at("architecture").get<std::string>(),
            .isGpu = value.at("gpu").get<bool>(),
            .computeUnits = value.at("compute-units").get<int>(),
            .memoryBytes = value.at("memory-bytes").get<std::int64_t>(),
            .sharedBytes = value.at("shared-memory-bytes").get<std::int64_t>(),
            .mostThreads = value.at("threads-in-a-block").get<std::int64_t>(),
            .cacheBytes = value.at("cache-bytes").get<std::int64_t>()};
}

} // namespace nestwright::backend
