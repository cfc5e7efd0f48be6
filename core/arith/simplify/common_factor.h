// SPDX-License-Identifier: Apache-2.0
/// Products of symbols.
#pragma once

#include "core/ir/node/expr.h"

#include <optional>

namespace nestwright::arith {

/// a * b with the factors of both in order, the constant last.
ir::Expr normalProduct(const ir::Expr &a, const ir::Expr &b);

struct Reduced {
    ir::Expr a, b, factor;
};

/// Two products without the factors they share, and these; nothing where they share none, or where `b` is
/// constant.
std::optional<Reduced> reducedQuotient(const ir::Expr &a, const ir::Expr &b);

} // namespace nestwright::arith
