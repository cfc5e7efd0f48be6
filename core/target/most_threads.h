// SPDX-License-Identifier: Apache-2.0
/// Largest number of threads that a target may ask for.
#pragma once

namespace nestwright::target {

/// The most that the pool of core/backend/runtime/nestwright_runtime.c runs a loop on.
inline constexpr int mostPoolThreads = 256;

} // namespace nestwright::target
