// SPDX-License-Identifier: Apache-2.0
/// Looking intrinsics up by name, and calls of them with the type that their row gives.
#pragma once

#include "core/ir/node/expr.h"
#include "core/ir/node/intrinsic_table.h"

#include <string_view>

namespace nestwright::ir {

/// The intrinsic of that name in a text; null when there is none.
const Intrinsic *findIntrinsic(std::string_view name);

/// A call with the type its rule gives (`given` where the rule is Given). Throws support::UserError
/// "ir.argument-count".
Expr callIntrinsic(const Intrinsic &intrinsic, std::vector<Expr> args, DataType given = DataType::void_());
/// The same by its name in a text; throws "ir.unknown-intrinsic" where there is none.
Expr callIntrinsic(std::string_view name, std::vector<Expr> args, DataType given = DataType::void_());

} // namespace nestwright::ir
