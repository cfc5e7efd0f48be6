// SPDX-License-Identifier: Apache-2.0
/// A device that runs kernels, as the host sees it.
#pragma once

#include "core/support/errors/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace nestwright::backend {

/// Memory of a device; freed with the object.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;
};

/// Argument of a kernel: memory, or a scalar's bytes.
using LaunchArgument = std::variant<DeviceMemory *, std::vector<std::byte>>;
using Extents = std::array<std::int64_t, 3>;

/// One device with the kernels of one program, ready to be launched. All functions throw support::UserError:
/// "device.memory", "device.launch" (the driver's reason in words), "device.lost".
class Device {
public:
    virtual ~Device() = default;

    virtual std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) = 0;
    virtual void upload(DeviceMemory &to, std::span<const std::byte> from) = 0;
    virtual void download(std::span<std::byte> to, DeviceMemory &from) = 0;
    /// Launches run one after the other.
    virtual void launch(const std::string &kernel, std::span<const LaunchArgument> arguments,
                        const Extents &blocks, const Extents &threads) = 0;
    /// Waits until all launches are done.
    virtual void finish() = 0;
};

} // namespace nestwright::backend
