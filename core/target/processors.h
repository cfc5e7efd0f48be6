// SPDX-License-Identifier: Apache-2.0
/// Facts of processors by the names that compilers have for them.
#pragma once

#include "core/target/machine.h"

#include <optional>
#include <string_view>
#include <vector>

namespace nestwright::target {

/// The caches of a processor as it is mostly sold, nearest first, without rates: "haswell", "znver4",
/// "neoverse-v2". Nothing for a name that says no more than instructions ("x86-64-v3"), and for one that is
/// not known.
std::optional<std::vector<MemoryLevel>> cachesOf(std::string_view processor);

/// Multiply-adds of vectors of so many bits that the processor begins in a cycle, where compilers' models of
/// it are known to be wrong; 0 elsewhere.
int multiplyAddsOf(std::string_view processor, int vectorBits);

} // namespace nestwright::target
