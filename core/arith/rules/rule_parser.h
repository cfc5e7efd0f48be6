// SPDX-License-Identifier: Apache-2.0
/// Reads one rewrite rule (see rule.h for the language).
#pragma once

#include "core/arith/rules/rule.h"

namespace nestwright::arith {

/// The letters of expressions; the place of one is its slot.
inline constexpr std::string_view ruleLetters = "xyzwuv";

/// `text` has to live as long as the rule. A text that is no rule is a bug of ours: InternalError.
Rule parseRule(std::string_view text);

/// The operator as rules write it: "+", "tdiv".
std::string_view spelling(ir::BinaryOp op);

} // namespace nestwright::arith
