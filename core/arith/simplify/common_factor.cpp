// SPDX-License-Identifier: Apache-2.0
#include "core/arith/simplify/common_factor.h"

#include "core/arith/lowest_integer.h"
#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace nestwright::arith {

using namespace ir;

namespace {

struct Product {
    std::vector<Expr> factors;
    std::int64_t constant = 1;
    bool overflow = false;

    void add(const Expr &e)
    {
        const auto *node = e.as<Binary>();
        if (node && node->op == BinaryOp::Mul) {
            add(node->a);
            add(node->b);
        } else if (const std::int64_t *value = asInt(e)) {
            overflow |= __builtin_mul_overflow(constant, *value, &constant) || constant == lowestInteger;
        } else {
            factors.push_back(e);
        }
    }
};

Expr multiplied(const std::vector<Expr> &factors, std::int64_t constant, DataType dtype)
{
    Expr result = intImm(1, dtype);
    for (const Expr &factor : factors)
        result = result * factor;
    return constant == 1 ? result : result * intImm(constant, dtype);
}

} // namespace

Expr normalProduct(const Expr &a, const Expr &b)
{
    Product product;
    product.add(a);
    product.add(b);
    return product.overflow ? a * b : multiplied(product.factors, product.constant, a.dtype());
}

std::optional<Reduced> reducedQuotient(const Expr &a, const Expr &b)
{
    if (asInt(b))
        return std::nullopt;
    Product left, right;
    left.add(a);
    right.add(b);
    if (left.overflow || right.overflow)
        return std::nullopt;
    std::vector<Expr> kept, shared;
    for (const Expr &factor : right.factors) {
        const auto same =
            std::ranges::find_if(left.factors, [&](const Expr &other) { return sameExpr(other, factor); });
        if (same == left.factors.end()) {
            kept.push_back(factor);
        } else {
            shared.push_back(factor);
            left.factors.erase(same);
        }
    }
    const std::int64_t divisor = std::max<std::int64_t>(1, std::gcd(left.constant, right.constant));
    if (shared.empty() && divisor == 1)
        return std::nullopt;
    const DataType dtype = a.dtype();
    return Reduced{multiplied(left.factors, left.constant / divisor, dtype),
                   multiplied(kept, right.constant / divisor, dtype), multiplied(shared, divisor, dtype)};
}

} // namespace nestwright::arith
