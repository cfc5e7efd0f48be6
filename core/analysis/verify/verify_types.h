// SPDX-License-Identifier: Apache-2.0
/// The rules that one node's types must keep, given that its children keep theirs.
#pragma once

#include "core/ir/node/stmt.h"

#include <optional>
#include <string>

namespace nestwright::analysis {

/// The rule that a node breaks.
struct TypeFault {
    const char *code; ///< "verify.type", "verify.call", "verify.rank" or "verify.missing"
    std::string message;
};

std::optional<TypeFault> typeFault(const ir::Expr &e);
std::optional<TypeFault> typeFault(const ir::Stmt &s);

} // namespace nestwright::analysis
