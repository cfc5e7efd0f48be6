// SPDX-License-Identifier: Apache-2.0
#include "core/arith/knowledge/known_orders.h"

#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/purity.h"

namespace nestwright::arith {

using namespace ir;

namespace {

/// `e` as a symbolic part and a constant; the constant of a sum that overflows stays in the part.
struct Offset {
    Expr part;
    std::int64_t offset = 0;
};

Offset split(const Expr &e)
{
    constexpr std::int64_t limit = std::int64_t{1} << 60;
    if (const std::int64_t *value = asInt(e); value && *value < limit && *value > -limit)
        return {intImm(0, e.dtype()), *value};
    const auto *node = e.as<Binary>();
    const std::int64_t *value = node ? asInt(node->b) : nullptr;
    if (value && *value < limit && *value > -limit && node->op == BinaryOp::Add)
        return {node->a, *value};
    if (value && *value < limit && *value > -limit && node->op == BinaryOp::Sub)
        return {node->a, -*value};
    return {e, 0};
}

/// The two sides of a comparison, their constants taken together on the right.
struct Sides {
    Expr a, b;
    std::int64_t offset = 0; ///< excess of b
};

/// "x - y" against a number is "x" against y.
Sides sidesOf(const Expr &left, const Expr &right)
{
    const Offset a = split(left), b = split(right);
    const std::int64_t offset = b.offset - a.offset;
    const auto *difference = a.part.as<Binary>();
    if (difference && difference->op == BinaryOp::Sub && isConstInt(b.part, 0)) {
        const Offset x = split(difference->a), y = split(difference->b);
        return {x.part, y.part, y.offset - x.offset + offset};
    }
    return {a.part, b.part, offset};
}

Order orderOf(BinaryOp op)
{
    switch (op) {
    case BinaryOp::LT: return Order::Less;
    case BinaryOp::LE: return Order::LessEqual;
    case BinaryOp::GT: return Order::Greater;
    case BinaryOp::GE: return Order::GreaterEqual;
    case BinaryOp::EQ: return Order::Equal;
    case BinaryOp::NE: return Order::NotEqual;
    default: return Order::Unknown;
    }
}

/// The order of a and b + asked that follows from "a order b + known".
Order conclude(Order order, std::int64_t known, std::int64_t asked)
{
    switch (order) {
    case Order::Equal: return known == asked ? Order::Equal : Order::NotEqual;
    case Order::LessEqual:
        return known < asked ? Order::Less : known == asked ? Order::LessEqual : Order::Unknown;
    case Order::GreaterEqual:
        return known > asked ? Order::Greater : known == asked ? Order::GreaterEqual : Order::Unknown;
    case Order::NotEqual: return known == asked ? Order::NotEqual : Order::Unknown;
    default: return Order::Unknown;
    }
}

} // namespace

void KnownOrders::learn(const Expr &condition)
{
    for (const Expr &term : conjunctsOf(condition))
        learnTerm(term);
}

void KnownOrders::learnTerm(const Expr &condition)
{
    const auto *node = condition.as<Binary>();
    if (!node || !isComparison(node->op) || !node->a.dtype().isIndex() // the sums of others wrap around
        || (asInt(node->a) && asInt(node->b)) || !isPure(condition))
        return;
    Sides sides = sidesOf(node->a, node->b);
    Known known{std::move(sides.a), std::move(sides.b), sides.offset, orderOf(node->op)};
    if (known.order == Order::Less) {
        known.order = Order::LessEqual;
        known.offset -= 1;
    } else if (known.order == Order::Greater) {
        known.order = Order::GreaterEqual;
        known.offset += 1;
    }
    m_known.push_back(std::move(known));
}

void KnownOrders::shrink(std::size_t size)
{
    m_known.erase(m_known.begin() + static_cast<std::ptrdiff_t>(size), m_known.end());
}

void KnownOrders::forget(const Var &var)
{
    std::erase_if(m_known, [&](const Known &known) { return known.a.same(var) || known.b.same(var); });
}

Order KnownOrders::compare(const Expr &a, const Expr &b) const
{
    if (m_known.empty() || !a.dtype().isInt() || !b.dtype().isInt())
        return Order::Unknown;
    const auto [left, right, asked] = sidesOf(a, b);
    Order result = Order::Unknown;
    for (const Known &known : m_known) {
        if (sameExpr(known.a, left) && sameExpr(known.b, right))
            result = result & conclude(known.order, known.offset, asked);
        else if (sameExpr(known.b, left) && sameExpr(known.a, right))
            result = result & conclude(reversed(known.order), -known.offset, asked);
    }
    return result;
}

} // namespace nestwright::arith
