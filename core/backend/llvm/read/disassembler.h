// SPDX-License-Identifier: Apache-2.0
/// Machine code as assembly.
#pragma once

#include "core/backend/listing/machine_code.h"

namespace nestwright::backend {

/// Implements disassemble.
support::Result<Disassembly> llvmDisassemble(const MachineCode &code, const target::Target &target,
                                             const std::stop_token &stop);

} // namespace nestwright::backend
