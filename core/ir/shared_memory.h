// SPDX-License-Identifier: Apache-2.0
/// Parameters of a function that may be one piece of memory.
#pragma once

#include "core/ir/node/function.h"

#include <string_view>

namespace nestwright::ir {

/// Attribute: a list of the places of parameters whose buffers may share memory with one another.
inline constexpr std::string_view sharedMemoryKey = "nestwright.shared_memory";

/// Whether whoever calls the function promises that the buffer of parameter `param` shares memory with no
/// other: it is not among those that sharedMemoryKey lists, and noAliasKey is not false.
bool isNoAlias(const PrimFunc &function, std::size_t param);

} // namespace nestwright::ir
