// SPDX-License-Identifier: Apache-2.0
/// Functions of object files and shared libraries.
#pragma once

#include "core/backend/listing/machine_code.h"

namespace nestwright::backend {

/// Implements functionsIn and functionNames. The file may be a stranger's: call it only in a process that
/// may crash.
support::Result<MachineCode> llvmFunctionsIn(std::string_view file, const std::string &fileName,
                                             const std::string &name, const target::Target &target);
support::Result<std::vector<std::string>> llvmFunctionNames(std::string_view file,
                                                            const std::string &fileName,
                                                            const target::Target &target, std::size_t most);

} // namespace nestwright::backend
