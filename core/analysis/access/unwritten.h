// SPDX-License-Identifier: Apache-2.0
/// Memory that is read and never written.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/diagnostic.h"

#include <optional>
#include <vector>

namespace nestwright::analysis {

/// A load from memory that `function` makes and that no statement of it writes, by whatever buffer or through
/// a pointer; nothing where there is none. Code "analysis.unwritten". Elements that are written in part, or
/// too late, are found by running the function (core/interp).
std::optional<support::Diagnostic> unwrittenRead(const ir::PrimFunc &function);

/// The buffer parameters, by their numbers among those, that the function takes without contents: it stores
/// to them, and loads of them only in blocks whose init stores to them first.
std::vector<std::size_t> pureOutputs(const ir::PrimFunc &function);

} // namespace nestwright::analysis
