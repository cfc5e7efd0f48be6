// SPDX-License-Identifier: Apache-2.0
/// Accesses beyond the buffers that they name.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/diagnostic.h"

#include <optional>

namespace nestwright::analysis {

/// An access that certainly leaves its buffer: nothing guards it, and an index that is a sum of multiples of
/// loop variables with constant bounds goes beyond its dimension. Nothing where there is none. Code
/// "analysis.out-of-bounds".
std::optional<support::Diagnostic> outOfBounds(const ir::PrimFunc &function);

/// Whether every access is proved to lie within its buffer, whatever the arguments hold; false also means
/// "not known", as it does of accesses through views and pointers.
bool staysInBounds(const ir::PrimFunc &function);

} // namespace nestwright::analysis
