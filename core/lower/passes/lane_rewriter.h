// SPDX-License-Identifier: Apache-2.0
/// The vector form of a statement.
#pragma once

#include "core/ir/node/stmt.h"

#include <optional>

namespace nestwright::lower {

/// The vector form of `s`: it does for all values of `var` at once the work of `s` for one; `lanes` is a
/// vector of these values (a ramp). Nothing where there is none: a store that all lanes share, a call with an
/// effect, a loop whose extent differs from lane to lane. Expects flat accesses and no vectors in `s`.
std::optional<ir::Stmt> vectorForm(const ir::Stmt &s, const ir::Var &var, const ir::Expr &lanes);

} // namespace nestwright::lower
