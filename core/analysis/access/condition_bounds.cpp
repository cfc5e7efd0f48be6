// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/condition_bounds.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"

#include <optional>

namespace nestwright::analysis {

using ir::BinaryOp;
using ir::Expr;

namespace {

/// `difference` as var + addend, or as addend - var.
struct Linear {
    bool isPositive;
    Expr addend;
};

std::optional<Linear> linearIn(const Expr &difference, const ir::Var &var, arith::Analyzer &analyzer)
{
    for (const bool isPositive : {true, false}) {
        const Expr addend = analyzer.simplify(isPositive ? difference - var : difference + var);
        if (!uses(addend, var))
            return Linear{isPositive, addend};
    }
    return std::nullopt;
}

/// The linear form is <= 0 (or == 0) for one variable of `relaxed`.
void narrow(const ir::Var &var, const Linear &linear, bool isEqual, Relaxed &relaxed,
            arith::Analyzer &analyzer)
{
    Relaxed others = relaxed;
    others.erase(var);
    const arith::IntervalSet addend = arith::evalSet(linear.addend, others, analyzer);
    if (addend.isNothing)
        return;
    const auto negated = [](const Expr &e) { return e ? 0 - e : Expr(); };
    arith::IntervalSet allowed = linear.isPositive ? arith::IntervalSet{{}, negated(addend.min), false}
                                                   : arith::IntervalSet{addend.min, {}, false};
    if (isEqual)
        (linear.isPositive ? allowed.min : allowed.max) =
            linear.isPositive ? negated(addend.max) : addend.max;
    arith::IntervalSet &known = relaxed.at(var);
    const arith::IntervalSet both = arith::intersect(known, allowed, analyzer);
    if (!both.isNothing)
        known = both;
}

void apply(const Expr &condition, Relaxed &relaxed, arith::Analyzer &analyzer)
{
    const auto *binary = condition.as<ir::Binary>();
    if (!binary || !ir::isComparison(binary->op) || binary->op == BinaryOp::NE
        || !binary->a.dtype().isIntegral() || binary->a.dtype().isVector())
        return;
    // Every comparison as difference <= 0, or == 0.
    Expr difference = binary->a - binary->b;
    if (binary->op == BinaryOp::GE || binary->op == BinaryOp::GT)
        difference = binary->b - binary->a;
    if (binary->op == BinaryOp::LT || binary->op == BinaryOp::GT)
        difference = difference + 1;
    for (const ir::Var &var : ir::variablesOf(condition)) {
        if (!relaxed.contains(var))
            continue;
        if (const auto linear = linearIn(difference, var, analyzer))
            narrow(var, *linear, binary->op == BinaryOp::EQ, relaxed, analyzer);
    }
}

} // namespace

Relaxed narrowedBy(const Expr &condition, const Relaxed &relaxed, arith::Analyzer &analyzer)
{
    Relaxed result = relaxed;
    for (const Expr &term : result.empty() ? std::vector<Expr>() : ir::conjunctsOf(condition))
        apply(term, result, analyzer);
    return result;
}

} // namespace nestwright::analysis
