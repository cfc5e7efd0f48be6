// SPDX-License-Identifier: Apache-2.0
#include "core/arith/simplest.h"

#include "core/arith/prover.h"
#include "core/ir/walk.h"

#include <compare>

namespace nestwright::arith {

using namespace ir;

namespace {

struct Complexity {
    int parts = 0; ///< operators and occurrences of variables
    int leadingConstants = 0;

    auto operator<=>(const Complexity &) const = default;
};

bool isConstant(const Expr &e) { return e.as<IntImm>() || e.as<FloatImm>(); }

Complexity complexityOf(const Expr &e)
{
    Complexity result;
    forEachExpr(e, [&](const Expr &part) {
        result.parts += isConstant(part) ? 0 : 1;
        if (const auto *node = part.as<Binary>(); node && isConstant(node->a))
            result.leadingConstants += node->op == BinaryOp::Add || node->op == BinaryOp::Mul;
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
