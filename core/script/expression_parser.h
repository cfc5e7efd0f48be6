// SPDX-License-Identifier: Apache-2.0
/// Reading one expression of TVMScript on its own.
#pragma once

#include "core/ir/node/expr.h"
#include "core/support/errors/result.h"

#include <span>
#include <string>
#include <string_view>

namespace nestwright::script {

/// `text` as an expression over `variables` (known by their names); functions are written `T.min(x, y)`.
/// Errors have a code "script.…" and their place in `text`; `fileName` is for messages.
support::Result<ir::Expr> parseTvmExpression(std::string_view text, std::span<const ir::Var> variables,
                                             const std::string &fileName);

} // namespace nestwright::script
