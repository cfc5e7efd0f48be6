// SPDX-License-Identifier: Apache-2.0
/// Places that wrap around in their type.
#pragma once

#include "core/arith/analyzer.h"

#include <optional>

namespace nestwright::arith {

/// The values of a place of 32 bits where its type does not count all of them, though it may count all of its
/// parts; nothing where it counts them, or they are not bounded. Programs count with 64 bits only where they
/// say so.
std::optional<ConstIntBound> beyondType(const ir::Expr &place, Analyzer &analyzer);

} // namespace nestwright::arith
