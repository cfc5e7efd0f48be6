// SPDX-License-Identifier: Apache-2.0
/// Comparisons of symbolic expressions that are known to hold.
#pragma once

#include "core/arith/knowledge/order.h"
#include "core/ir/node/expr.h"

#include <vector>

namespace nestwright::arith {

/// A list of "a <= b + 3" and the like, asked about a and b with any constants added. Nothing is concluded
/// across several of them.
class KnownOrders {
public:
    /// The comparison `condition`, or each comparison of a conjunction; anything else says nothing.
    void learn(const ir::Expr &condition);
    std::size_t size() const { return m_known.size(); }
    /// Forgets the orders learnt last.
    void shrink(std::size_t size);
    /// Forgets comparisons that have `var` on one side.
    void forget(const ir::Var &var);

    Order compare(const ir::Expr &a, const ir::Expr &b) const;

private:
    void learnTerm(const ir::Expr &condition);

    /// a order b + offset
    struct Known {
        ir::Expr a, b;
        std::int64_t offset = 0;
        Order order = Order::Unknown;
    };
    std::vector<Known> m_known;
};

} // namespace nestwright::arith
