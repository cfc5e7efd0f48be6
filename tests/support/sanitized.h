// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nestwright::tests {

/// Built with the address or the thread sanitizer: slow, in shadow memory that fits into no limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool isSanitized = true;
#else
constexpr bool isSanitized = false;
#endif

} // namespace nestwright::tests
