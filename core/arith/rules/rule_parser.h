// SPDX-License-Identifier: Apache-2.0
/// Reads one rewrite rule (see rule.h for the language).
#pragma once

#include "core/arith/rules/rule.h"

namespace nestwright::arith {

/// `text` has to live as long as the rule. A text that is no rule is a bug of ours: InternalError.
Rule parseRule(std::string_view text);

} // namespace nestwright::arith
