// SPDX-License-Identifier: Apache-2.0
/// How operators and numbers are spelled in TVMScript.
#pragma once

#include "core/ir/node/expr.h"

#include <string>
#include <string_view>

namespace nestwright::script {

/// Precedence of Python's operators, the loosest first.
enum class Precedence {
    Any,
    Or,
    And,
    Not,
    Comparison,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Unary,
    Atom
};

Precedence operatorPrecedence(ir::BinaryOp op);
/// "T.Add": the function that makes the node without folding it.
std::string_view functionName(const ir::Binary &e);
/// Whether an operator stands for `e`: integers have none that truncates, and none may fold `e` away when it
/// is read.
bool hasOperator(const ir::Binary &e);

struct BitOperator {
    const ir::Intrinsic &intrinsic;
    std::string_view mark;
    Precedence precedence;
};
/// Null for a call that has no operator, or that the operator would fold.
const BitOperator *bitOperatorOf(const ir::Call &call);

/// The number of a constant as the program gives it: TVM keeps 0.1 as a double, whatever the type, and prints
/// 0.10000000000000001. Where nobody gave one, the shortest decimal that the type rounds to the value.
double numberOf(const ir::FloatImm &constant);

/// `1.5`, `0.0`, `"inf"`: as it stands in T.float32(…).
std::string floatText(double value);

} // namespace nestwright::script
