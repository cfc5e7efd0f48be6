// SPDX-License-Identifier: Apache-2.0
/// Memory that is read and never written.
#pragma once

#include "core/ir/function.h"
#include "core/support/diagnostic.h"

#include <optional>

namespace nestwright::analysis {

/// A load from memory that `function` makes and that no statement of it writes, by whatever buffer or through
/// a pointer; nothing where there is none. Code "analysis.unwritten". Elements that are written in part, or
/// too late, are found by running the function (core/interp).
std::optional<support::Diagnostic> unwrittenRead(const ir::PrimFunc &function);

} // namespace nestwright::analysis
