// SPDX-License-Identifier: Apache-2.0
/// Whether the program is built with a sanitizer that keeps memory of its own.
#pragma once

namespace nestwright::support {

/// Sanitizers' shadow memory exceeds every limit on address space, and they make system calls that kernels do
/// not.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool isSanitized = true;
#else
inline constexpr bool isSanitized = false;
#endif

} // namespace nestwright::support
