// SPDX-License-Identifier: Apache-2.0
/// The knowledge of an Analyzer: bounds and values of variables, and the assumptions in force.
#pragma once

#include "core/arith/knowledge/const_int_bound.h"
#include "core/arith/knowledge/known_orders.h"
#include "core/arith/knowledge/linear.h"
#include "core/arith/knowledge/modular_set.h"
#include "core/ir/node/buffer.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace nestwright::arith {

/// Answers per node, valid until the knowledge changes; keeps the nodes alive so that no address is used
/// twice.
template <class T> class ExprCache {
public:
    const T *find(const ir::Expr &e) const
    {
        const auto found = m_entries.find(e.get());
        return found == m_entries.end() ? nullptr : &found->second.value;
    }
    void insert(const ir::Expr &e, T value)
    {
        if (m_entries.size() >= maxEntries)
            m_entries.clear();
        m_entries.insert_or_assign(e.get(), Entry{e, std::move(value)});
    }
    void clear() { m_entries.clear(); }

private:
    static constexpr std::size_t maxEntries = 1 << 14;
    struct Entry {
        ir::Expr key;
        T value;
    };
    std::unordered_map<const ir::ExprNode *, Entry> m_entries;
};

/// Bounds and remainders follow the shape of an expression, as TVM's do; facts about terms of several
/// expressions together are only used for proofs (`difference`).
class Knowledge {
public:
    void bind(const ir::Var &var, ConstIntBound bound);
    void bind(const ir::Var &var, const ir::Range &range);
    void bindValue(const ir::Var &var, const ir::Expr &value);

    // Assumptions: facts learnt after `enter` are forgotten by `leave`.
    void enter();
    void leave();
    /// Bounds and remainders that the conjunction `condition` gives.
    void learnBounds(const ir::Expr &condition);
    /// Conditions that hold as they are written; each is simplified already.
    void learnLiterals(const ir::Expr &condition);
    /// Comparisons of symbolic expressions.
    void learnOrders(const ir::Expr &condition);
    /// Linear inequalities, for `difference`.
    void learnFacts(const ir::Expr &condition);

    ConstIntBound bound(const ir::Expr &e);
    ModularSet modular(const ir::Expr &e);
    Order order(const ir::Expr &a, const ir::Expr &b) const { return m_orders.compare(a, b); }
    /// The truth of a condition that is an assumption, or the negation of one.
    std::optional<bool> assumed(const ir::Expr &condition) const;
    /// The value bound to `var`, or null.
    ir::Expr valueOf(const ir::Var &var) const;
    /// Bounds of a - b from linear inequalities; terms that occur on both sides cancel.
    ConstIntBound difference(const ir::Expr &a, const ir::Expr &b);
    bool hasFacts() const { return !m_facts.empty(); }
    /// Counts changes: results found under another number may not hold.
    std::uint64_t version() const { return m_version; }

    ExprCache<ir::Expr> simplified; ///< results of Analyzer::simplify
    int depth = 0;                  ///< of nested simplifications; bounds the work on adversarial input
    int steps = 0;                  ///< of the outermost one, with all within it; bounds the work too

private:
    /// `expr` lies in `bound`.
    struct Info {
        ir::Expr expr;
        ConstIntBound bound;
    };
    /// Σ terms (no base) lies in `bound`.
    struct Fact {
        LinearSum sum;
        ConstIntBound bound;
    };
    struct Residue {
        ir::Var var;
        ModularSet set;
    };
    struct Frame {
        std::size_t infos = 0, facts = 0, residues = 0, literals = 0, orders = 0;
    };

    void changed();
    void forget(const ir::Var &var);
    void learnCompare(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
    /// low <= a - b <= high
    void learnDifference(const ir::Expr &a, const ir::Expr &b, ConstIntBound bound);
    ConstIntBound bound(const LinearSum &sum);
    ConstIntBound compute(const ir::Expr &e);
    ConstIntBound computeBinary(const ir::Binary &node);
    ConstIntBound computeCall(const ir::Call &node);
    ConstIntBound boundOfVar(const ir::Var &var);
    ModularSet computeModular(const ir::Expr &e);
    ModularSet modularCall(const ir::Call &node);

    std::uint64_t m_version = 0;
    ir::VarMap<ConstIntBound> m_bounds;
    ir::VarMap<ir::Expr> m_values;
    std::vector<Info> m_infos;
    std::vector<Fact> m_facts;
    std::vector<Residue> m_residues;
    std::vector<ir::Expr> m_literals;
    KnownOrders m_orders;
    std::vector<Frame> m_frames;
    ExprCache<ConstIntBound> m_boundCache;
};

/// All values of an integral type.
ConstIntBound boundOfType(ir::DataType dtype);

} // namespace nestwright::arith
