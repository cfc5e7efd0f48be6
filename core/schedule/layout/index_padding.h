// SPDX-License-Identifier: Apache-2.0
/// Padding of the inputs of an index map, so that its divisions come out even.
#pragma once

#include "core/arith/int_set.h"

namespace nestwright::schedule {

/// The padding of one variable over [0, extent) before and behind, so that the whole is a multiple of
/// `factor`.
struct IndexPadding {
    ir::Expr factor, left, right, extent; ///< `extent` with both
};

/// The padding of those variables of `domain` (from 0) that `outputs` divide unevenly, by the padding rule of
/// TensorIR's iterator maps: a quotient or remainder of (x // lower % extent + base) by d asks for multiples
/// of lower · d of x.
ir::VarMap<IndexPadding> paddingOf(const std::vector<ir::Expr> &outputs, const arith::Domains &domain,
                                   arith::Analyzer &analyzer);

} // namespace nestwright::schedule
