// SPDX-License-Identifier: Apache-2.0
/// Bounds on the rounding error of one operation from those of its operands.
///
/// Values are in double precision; u is the unit roundoff of the type that a program declares for the result.
/// Sources: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, 2.2 (the model of
/// arithmetic) and 3.3 (running error analysis).
#pragma once

#include "core/ir/node/expr.h"

#include <optional>
#include <utility>
#include <vector>

namespace nestwright::ir {
struct Intrinsic;
}

namespace nestwright::measure {

/// The type of values and of bounds.
inline constexpr ir::DataType wide = ir::DataType::float_(64);
/// `wide` in place of a floating-point type; others as they are.
ir::DataType widened(ir::DataType dtype);

/// A value with a bound on its error.
struct Bounded {
    ir::Expr value;
    ir::Expr error; ///< float64, not negative; null: exact
};

/// Local variables, so that operands that are needed several times are computed once.
class Locals {
public:
    /// `e` itself where it is a variable or a constant, else a new variable for it.
    ir::Expr named(const ir::Expr &e);
    Bounded named(const Bounded &bounded);
    /// The locals in the order in which they are computed.
    const std::vector<std::pair<ir::Var, ir::Expr>> &all() const { return m_all; }
    /// `e`, which uses them, as an expression of its own.
    ir::Expr around(ir::Expr e) const;

private:
    std::vector<std::pair<ir::Var, ir::Expr>> m_all;
};

/// Errors as sums: null is 0.
ir::Expr sumOf(const ir::Expr &a, const ir::Expr &b);
ir::Expr largerOf(const ir::Expr &a, const ir::Expr &b);

/// Error of storing `value`, itself off by `error` at most, as a `type`: half a unit in the last place,
/// infinite where it may overflow.
ir::Expr roundingOf(const ir::Expr &value, ir::DataType type, const ir::Expr &error = {});

/// `op` of two values whose declared type is `type` (that of the operands). Comparisons have an error of 1
/// where the operands' errors decide them. Nothing for operations without a rule.
std::optional<Bounded> boundedBinary(ir::BinaryOp op, const Bounded &a, const Bounded &b, ir::DataType type,
                                     Locals &locals);

/// The call of a function of floating-point numbers. Nothing for functions without a rule.
std::optional<Bounded> boundedCall(const ir::Intrinsic &intrinsic, std::vector<Bounded> args,
                                   ir::DataType type, Locals &locals);

/// A conversion between the declared types.
Bounded boundedCast(const Bounded &value, ir::DataType from, ir::DataType to, Locals &locals);

/// One of two values, by a condition whose error is 1 where it may be either.
Bounded boundedChoice(const Bounded &condition, Bounded a, Bounded b, Locals &locals);

} // namespace nestwright::measure
