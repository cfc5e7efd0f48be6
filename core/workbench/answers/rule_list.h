// SPDX-License-Identifier: Apache-2.0
/// The rewriting rules of the simplifier as it has compiled them.
#pragma once

#include "core/support/text/json_fwd.h"

namespace nestwright::workbench {

/// The rules in the order in which they are tried, operator by operator: their text, and as trees the forms,
/// the result and the condition. A tree is a letter, a number, or a list of an operator and its operands.
support::Json ruleList();

} // namespace nestwright::workbench
