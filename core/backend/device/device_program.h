// SPDX-License-Identifier: Apache-2.0
/// A module that was split into a host's part and kernels: as bytes of an artifact, and at work.
#pragma once

#include "core/backend/device/device.h"
#include "core/backend/link/artifact.h"
#include "core/ir/node/function.h"
#include "core/target/target.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nestwright::backend {

/// The bytes of an artifact of Format::OpenClDevice, CudaDevice and EmulatedDevice.
struct DeviceProgram {
    struct Kernel {
        std::string name;
        Extents threads{1, 1, 1};        ///< of a block; −1 where they are not constant
        bool tellsErrors = false;        ///< takes, last, memory for a code of runtime.h
        std::int64_t sharedAtLaunch = 0; ///< bytes of shared memory that a launch gives it
        bool operator==(const Kernel &) const = default;
    };
    ir::Module host;    ///< functions that launch kernels (lower/kernel_launch.h)
    std::string source; ///< of the kernels: in the device's language, its machine code, or a shared object
    std::vector<Kernel> kernels;

    const Kernel *find(std::string_view name) const;
    std::string bytes() const;
    /// Error: "backend.load".
    static support::Result<DeviceProgram> read(const std::string &bytes);
};

/// `program` of the kernels of `unit`, which were compiled for `target`.
Artifact artifactOf(const DeviceProgram &program, Format format, const Unit &unit,
                    const target::Target &target);

/// The functions of `flat` that the host runs.
ir::Module hostPart(const ir::Module &flat);

/// Does what a function of the host's part says: launches kernels in its loops and branches, makes memory.
class HostFunction {
public:
    /// `program` must outlive it.
    HostFunction(const DeviceProgram &program, const Entry &entry);

    /// `buffers`: one for each Buffer argument; `words`: the bits of each other argument, in order. `status`:
    /// memory of one int32. Throws as Device does.
    void run(Device &device, std::span<DeviceMemory *const> buffers, std::span<const std::uint64_t> words,
             DeviceMemory &status);

private:
    class Run;

    const DeviceProgram &m_program;
    ir::Function m_function;
    std::vector<ir::Var> m_memories, m_scalars; ///< of the arguments
    ir::VarMap<std::unique_ptr<DeviceMemory>> m_made;
};

} // namespace nestwright::backend
