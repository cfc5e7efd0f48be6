// SPDX-License-Identifier: Apache-2.0
#include "core/arith/simplify/simplest.h"

#include "core/arith/simplify/prover.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <cmath>
#include <compare>
#include <cstdint>

namespace nestwright::arith {

using namespace ir;

namespace {

struct Complexity {
    int parts = 0; ///< operators and occurrences of variables
    int leadingConstants = 0;
    int divided = 0;       ///< nodes of all that is divided
    double magnitudes = 0; ///< of the constants, summed
    int lateQuotients = 0; ///< sums in which a quotient stands behind something smaller

    auto operator<=>(const Complexity &) const = default;
};

bool isConstant(const Expr &e) { return e.as<IntImm>() || e.as<FloatImm>(); }

bool isQuotientOrRemainder(BinaryOp op) { return op >= BinaryOp::Div && op <= BinaryOp::FloorMod; }

int nodeCount(const Expr &e)
{
    int nodes = 0;
    forEachExpr(e, [&](const Expr &) {
        ++nodes;
        return true;
    });
    return nodes;
}

Complexity complexityOf(const Expr &e)
{
    Complexity result;
    forEachExpr(e, [&](const Expr &part) {
        result.parts += isConstant(part) ? 0 : 1;
        if (const std::int64_t *number = asInt(part))
            result.magnitudes += std::abs(static_cast<double>(*number));
        const auto *node = part.as<Binary>();
        if (node && isConstant(node->a))
            result.leadingConstants += node->op == BinaryOp::Add || node->op == BinaryOp::Mul;
        if (node && isQuotientOrRemainder(node->op))
            result.divided += nodeCount(node->a);
        const auto *last = node && node->op == BinaryOp::Add ? node->b.as<Binary>() : nullptr;
        if (last && isQuotientOrRemainder(last->op))
            result.lateQuotients += nodeCount(node->a) < nodeCount(node->b);
        return true;
    });
    return result;
}

} // namespace

Expr simplest(Knowledge &knowledge, const Expr &e)
{
    Expr byRules = simplifyByRules(knowledge, e);
    Expr normal = normalForm(knowledge, e);
    Expr byBoth = simplified(knowledge, e);
    Expr &sorted = complexityOf(normal).parts <= complexityOf(byBoth).parts ? normal : byBoth;
    return complexityOf(sorted) < complexityOf(byRules) ? sorted : byRules;
}

} // namespace nestwright::arith
