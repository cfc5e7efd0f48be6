// SPDX-License-Identifier: Apache-2.0
/// The choice between the two halves of the simplifier.
#pragma once

#include "core/arith/knowledge/knowledge.h"

namespace nestwright::arith {

/// The simplest of the results of the rules alone, of the normal form alone, and of both.
///
/// Simplest is the one with the fewest operators and occurrences of variables; among equals the one in which
/// fewer constants are left operands of sums and products, then the one with less to divide, then the one
/// with the smaller constants, then the one in which quotients come first. Where that decides nothing the
/// result of the rules is taken: it keeps the order in which the terms were written.
ir::Expr simplest(Knowledge &knowledge, const ir::Expr &e);

} // namespace nestwright::arith
