// SPDX-License-Identifier: Apache-2.0
#include "core/arith/affine.h"

#include "core/ir/build/builder.h"

namespace nestwright::arith {

using ir::BinaryOp;
using ir::Expr;

namespace {

void addScaledFactors(Affine &sum, const Affine &other, std::int64_t scale)
{
    for (const auto &[var, factor] : other.factors) {
        std::int64_t &own = sum.factors[var];
        own += scale * factor;
        if (own == 0)
            sum.factors.erase(var);
    }
}

std::optional<Affine> scaledAffine(const Affine &a, const Affine &b)
{
    const Affine &sum = b.factors.empty() ? a : b;
    const Affine &scalar = b.factors.empty() ? b : a;
    const std::int64_t *scale = ir::asInt(scalar.base);
    if (!scale || !scalar.factors.empty())
        return std::nullopt;
    Affine result{sum.base * scalar.base, {}};
    addScaledFactors(result, sum, *scale);
    return result;
}

} // namespace

std::optional<Affine> affineIn(const Expr &e, const ir::VarSet &vars)
{
    if (!ir::usesAny(e, vars))
        return Affine{e, {}};
    if (e.as<ir::VarNode>())
        return Affine{ir::constant(0, e.dtype()), {{ir::Var::from(e), 1}}};
    if (const auto *node = e.as<ir::Cast>(); node && node->dtype.isInt() && node->value.dtype().isInt()) {
        auto inner = affineIn(node->value, vars); // index arithmetic does not overflow
        if (inner)
            inner->base = ir::cast(node->dtype, inner->base);
        return inner;
    }
    const auto *node = e.as<ir::Binary>();
    if (!node || (node->op != BinaryOp::Add && node->op != BinaryOp::Sub && node->op != BinaryOp::Mul))
        return std::nullopt;
    auto a = affineIn(node->a, vars);
    const auto b = affineIn(node->b, vars);
    if (!a || !b)
        return std::nullopt;
    if (node->op == BinaryOp::Mul)
        return scaledAffine(*a, *b);
    a->base = ir::binary(node->op, a->base, b->base);
    addScaledFactors(*a, *b, node->op == BinaryOp::Add ? 1 : -1);
    return a;
}

} // namespace nestwright::arith
