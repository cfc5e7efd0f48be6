// SPDX-License-Identifier: Apache-2.0
/// Proofs about T.vscale(), the length of scalable vectors, which only the machine that runs a program knows.
#pragma once

#include "core/ir/node/function.h"

#include <span>

namespace nestwright::schedule {

/// The values of T.vscale() on the machine that the function's attribute "target" names; empty where that has
/// no scalable vectors, or there is no such attribute.
std::span<const std::int64_t> vectorScales(const ir::PrimFunc &function);

/// Whether `condition`, in which T.vscale() occurs, holds for each of them (as TVM proves it); false where
/// none is known.
bool holdsForVectorScales(const ir::Expr &condition, const ir::PrimFunc &function);

} // namespace nestwright::schedule
