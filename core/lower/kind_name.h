// SPDX-License-Identifier: Apache-2.0
/// Names of the kinds of target, as users and files write them.
#pragma once

#include "core/lower/target.h"

#include <string_view>

namespace nestwright::lower {

/// "llvm", "c", "opencl" or "cuda".
std::string_view kindName(TargetKind kind);

} // namespace nestwright::lower
