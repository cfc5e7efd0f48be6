// SPDX-License-Identifier: Apache-2.0
/// Proofs about variables of which only whole parts count.
#pragma once

#include "core/arith/analyzer.h"

namespace nestwright::arith {

/// `e` with a new variable, bound in `analyzer`, for r // n where r occurs in quotients by multiples of n
/// only, as 8 does in
/// `(r + 8) // 16 <= r // 16 + r % 16 // 8`, which becomes `(q + 1) // 2 <= q // 2 + q % 2`. Equal to `e` for
/// all values of r; `e` itself where there is nothing of the kind.
ir::Expr inWholeParts(const ir::Expr &e, Analyzer &analyzer);

} // namespace nestwright::arith
