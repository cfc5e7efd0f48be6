// SPDX-License-Identifier: Apache-2.0
/// Integer expressions taken apart into a sum of scaled terms.
#pragma once

#include "core/ir/node/expr.h"

#include <vector>

namespace nestwright::arith {

struct LinearTerm {
    ir::Expr atom; ///< no sum, no product with a constant
    std::int64_t coeff = 0;
};

/// Σ coeff · atom + base, equal atoms joined, in order of appearance; terms with coefficient 0 are left out.
struct LinearSum {
    std::vector<LinearTerm> terms;
    std::int64_t base = 0;
    bool overflow = false; ///< a coefficient did not fit: the sum says nothing

    /// Adds `scale · e`.
    void add(const ir::Expr &e, std::int64_t scale = 1);

private:
    void addTerm(const ir::Expr &atom, std::int64_t coeff);
    void addBase(std::int64_t value, std::int64_t scale);
};

} // namespace nestwright::arith
