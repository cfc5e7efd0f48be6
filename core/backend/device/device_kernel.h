// SPDX-License-Identifier: Apache-2.0
/// Kernels that a device runs, as kernels that can be called.
#pragma once

#include "core/backend/device/device_program.h"
#include "core/backend/link/loaded_kernel.h"

namespace nestwright::backend {

/// A device program on a device: arrays are copied there when they are bound, and back by `fetch`.
class DeviceKernel final : public LoadedKernel {
public:
    DeviceKernel(std::vector<Entry> entries, DeviceProgram program, std::unique_ptr<Device> device);

    Packed find(std::string_view) const override { return nullptr; }
    std::unique_ptr<BoundCall> bind(std::string_view name, PackedArguments &arguments) const override;

private:
    DeviceProgram m_program;
    std::unique_ptr<Device> m_device;
};

} // namespace nestwright::backend
