// SPDX-License-Identifier: Apache-2.0
#include "core/arith/knowledge/linear.h"

#include "core/arith/lowest_integer.h"
#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"

namespace nestwright::arith {

using namespace ir;

void LinearSum::add(const Expr &e, std::int64_t scale)
{
    if (const std::int64_t *value = asInt(e))
        return addBase(*value, scale);
    const auto *node = e.as<Binary>();
    if (node && node->op == BinaryOp::Add) {
        add(node->a, scale);
        return add(node->b, scale);
    }
    if (node && node->op == BinaryOp::Sub) {
        std::int64_t negated = 0;
        overflow |= __builtin_sub_overflow(std::int64_t{0}, scale, &negated);
        add(node->a, scale);
        return add(node->b, negated);
    }
    if (node && node->op == BinaryOp::Mul) {
        const std::int64_t *left = asInt(node->a);
        const std::int64_t *right = asInt(node->b);
        if (left || right) {
            std::int64_t product = 0;
            overflow |= __builtin_mul_overflow(left ? *left : *right, scale, &product);
            return add(left ? node->b : node->a, product);
        }
    }
    addTerm(e, scale);
}

void LinearSum::addBase(std::int64_t value, std::int64_t scale)
{
    std::int64_t product = 0;
    overflow |= __builtin_mul_overflow(value, scale, &product);
    overflow |= __builtin_add_overflow(base, product, &base) || base == lowestInteger;
}

void LinearSum::addTerm(const Expr &atom, std::int64_t coeff)
{
    overflow |= coeff == lowestInteger;
    if (coeff == 0 || overflow)
        return;
    for (auto term = terms.begin(); term != terms.end(); ++term) {
        if (!sameExpr(term->atom, atom))
            continue;
        overflow |= __builtin_add_overflow(term->coeff, coeff, &term->coeff) || term->coeff == lowestInteger;
        if (term->coeff == 0)
            terms.erase(term);
        return;
    }
    terms.push_back({atom, coeff});
}

} // namespace nestwright::arith
