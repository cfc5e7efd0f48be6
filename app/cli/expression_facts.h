// SPDX-License-Identifier: Apache-2.0
/// The facts about variables given on the command line: `--var`, `--bound` and `--assume`.
#pragma once

#include "core/arith/int_set.h"
#include "core/support/errors/result.h"

#include <string>
#include <vector>

namespace nestwright::cli {

/// Whether an index may have this type: an integer, no vector.
bool isInteger(ir::DataType dtype);

/// Variables by name, and facts about them.
class ExpressionFacts {
public:
    /// "x:int32" or "x", which is int32. Error: "usage.variable".
    support::Result<void> declare(const std::string &text);
    /// "x=0..15", both ends included: integers, expressions of variables that are declared, inf or -inf.
    /// Error: "usage.bound", or that of an expression.
    support::Result<void> bound(const std::string &text);
    /// A condition. Error: that of an expression.
    support::Result<void> assume(const std::string &text);
    /// The expression that `text` stands for, named `name` in messages; one that divides by 0 has no value
    /// and is refused.
    support::Result<ir::Expr> parse(const std::string &text, const std::string &name) const;

    /// Everything that was said, for the simplifier.
    arith::Analyzer &analyzer() { return m_analyzer; }
    /// All conditions together.
    ir::Expr condition() const;
    /// The part of the conditions that is about variables with a range, and the rest.
    std::pair<ir::Expr, ir::Expr> conditionsInAndOutsideOfRanges() const;
    /// The variables with a finite range, as they were named.
    const arith::Domains &ranges() const { return m_ranges; }
    /// The values of every variable with a bound.
    const ir::VarMap<arith::IntervalSet> &sets() const { return m_sets; }

private:
    support::Result<ir::Expr> parseEnd(const std::string &text, const ir::Var &variable);

    std::vector<ir::Var> m_variables;
    std::vector<ir::Expr> m_conditions;
    arith::Domains m_ranges;
    ir::VarMap<arith::IntervalSet> m_sets;
    arith::Analyzer m_analyzer;
};

} // namespace nestwright::cli
