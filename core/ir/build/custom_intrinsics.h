// SPDX-License-Identifier: Apache-2.0
/// Calls of intrinsics that no table knows, which the attribute `intrinsicRulesKey` of their function
/// explains.
#pragma once

#include "core/ir/node/expr.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::ir {

/// A dictionary by signature, of dictionaries by target, of expressions over x0, x1, … in TVMScript.
inline constexpr std::string_view intrinsicRulesKey = "nestwright.intrinsic_rules";

/// The name under which a program calls another function of its module: its name as a string, then its
/// arguments.
inline constexpr std::string_view functionCall = "call_function";

/// `e` as a call of such an intrinsic; null when it is none.
const Call *customCall(const Expr &e);
/// "mylog(float32) -> float32"
std::string signatureOf(const Call &call);
/// x0, x1, … of the types of the arguments.
std::vector<Var> ruleParameters(const Call &call);

} // namespace nestwright::ir
