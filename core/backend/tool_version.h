// SPDX-License-Identifier: Apache-2.0
/// Versions of the tools that make machine code: their results are of use only to the same ones.
#pragma once

#include "core/target/target.h"

#include <string>

namespace nestwright::backend {

/// "LLVM 19.1.7", "gcc (Debian 14.2.0) 14.2.0 …"; the same text during the life of the program. Empty where
/// the backend was not built.
std::string toolVersion(target::TargetKind kind);

} // namespace nestwright::backend
