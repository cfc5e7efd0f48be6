// SPDX-License-Identifier: Apache-2.0
/// Replaces variables that occur only in quotients by the quotient itself.
#pragma once

#include "core/arith/analyzer.h"

namespace nestwright::arith {

/// Replaces r // n by a new variable, bound in `analyzer`, where r occurs only in quotients by multiples of
/// n: with n = 8, `(r + 8) // 16 <= r // 16 + r % 16 // 8` becomes `(q + 1) // 2 <= q // 2 + q % 2`. The
/// result equals `e` for all values of r; it is `e` itself where there is no such variable.
ir::Expr substituteQuotients(const ir::Expr &e, Analyzer &analyzer);

} // namespace nestwright::arith
