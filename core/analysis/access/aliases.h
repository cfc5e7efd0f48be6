// SPDX-License-Identifier: Apache-2.0
/// Buffers that view the same memory.
#pragma once

#include "core/ir/node/function.h"

#include <optional>
#include <utility>

namespace nestwright::analysis {

inline bool sharesMemory(const ir::Buffer &a, const ir::Buffer &b) { return a->data == b->data; }

/// Whether the statement or expression loads from the memory, by whatever buffer.
bool loadsFrom(const ir::Stmt &s, const ir::Var &memory);
bool loadsFrom(const ir::Expr &e, const ir::Var &memory);

/// Two buffers of one memory that the function uses or takes, or nothing.
std::optional<std::pair<ir::Buffer, ir::Buffer>> aliasesIn(const ir::PrimFunc &function);

} // namespace nestwright::analysis
