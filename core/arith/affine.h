// SPDX-License-Identifier: Apache-2.0
/// Index expressions as sums of variables times constants.
#pragma once

#include "core/ir/build/walk.h"

#include <cstdint>
#include <optional>

namespace nestwright::arith {

/// base + Σ factor · variable over chosen variables that `base` does not use; factors are not 0.
struct Affine {
    ir::Expr base;
    ir::VarMap<std::int64_t> factors;

    std::int64_t factorOf(const ir::Var &var) const
    {
        const auto found = factors.find(var);
        return found == factors.end() ? 0 : found->second;
    }
};

/// Nothing where `e` has no such form in `vars`.
std::optional<Affine> affineIn(const ir::Expr &e, const ir::VarSet &vars);

} // namespace nestwright::arith
