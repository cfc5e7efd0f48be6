// SPDX-License-Identifier: Apache-2.0
/// Vector instructions in assembly.
#pragma once

#include <string_view>

namespace nestwright::suggest {

/// Whether a line of x86 or Arm assembly computes several numbers at once: "vfmadd231ps %ymm0, …", "fmla
/// v0.4s, …". Moves do not count.
bool isPackedArithmetic(std::string_view line);

} // namespace nestwright::suggest
