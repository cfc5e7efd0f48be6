// SPDX-License-Identifier: Apache-2.0
/// The kernels of a module as one text.
#pragma once

#include "core/backend/device/device_program.h"
#include "core/backend/link/artifact.h"
#include "core/codegen/kernel_emitter.h"

#include <functional>

namespace nestwright::backend {

struct DeviceSource {
    codegen::CodeWriter text;
    std::vector<DeviceProgram::Kernel> kernels;
};

/// Writes the kernels of `unit` with `emitter`, behind `comment`, the lines that `prelude` gives for what the
/// rest of the text has, and helpers. Throws support::UserError "backend.unsupported".
DeviceSource writeKernels(const Unit &unit, codegen::KernelEmitter &emitter, std::string_view comment,
                          const std::function<std::vector<std::string>(std::string_view text)> &prelude);

} // namespace nestwright::backend
