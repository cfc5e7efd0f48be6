// SPDX-License-Identifier: Apache-2.0
/// What an Analyzer knows: bounds and values of variables, and the assumptions in force.
#pragma once

#include "core/arith/const_int_bound.h"
#include "core/arith/linear.h"
#include "core/arith/modular_set.h"
#include "core/ir/buffer.h"

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

class Knowledge {
public:
    void bind(const ir::Var &var, ConstIntBound bound);
    void bind(const ir::Var &var, const ir::Range &range);
    void bindValue(const ir::Var &var, const ir::Expr &value);

    /// Starts an assumption of the conjunction `condition` (simplified already); ended by `leave`.
    void enter(const ir::Expr &condition);
    void leave();

    ConstIntBound bound(const ir::Expr &e);
    ModularSet modular(const ir::Expr &e);
    /// Bounds of a - b; terms that occur on both sides cancel.
    ConstIntBound difference(const ir::Expr &a, const ir::Expr &b);
    ConstIntBound bound(const LinearSum &sum);
    /// What the assumptions say of a condition that is one of them, or the negation of one.
    std::optional<bool> assumed(const ir::Expr &condition) const;
    /// The value bound to `var`, or null.
    ir::Expr valueOf(const ir::Var &var) const;
    bool hasAssumptions() const { return !m_frames.empty(); }

    ExprCache<ir::Expr> simplified; ///< results of Analyzer::simplify

private:
    /// Σ terms (no base) lies in `bound`.
    struct Fact {
        LinearSum sum;
        ConstIntBound bound;
    };
    struct Residue {
        ir::Expr expr;
        ModularSet set;
    };
    struct Literal {
        ir::Expr condition;
        bool value = true;
    };
    struct Frame {
        std::size_t facts = 0, residues = 0, literals = 0;
    };

    void changed();
    void forget(const ir::Var &var);
    void learn(const ir::Expr &condition);
    void learnNot(const ir::Expr &condition);
    void learnCompare(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
    /// low <= a - b <= high
    void learnDifference(const ir::Expr &a, const ir::Expr &b, ConstIntBound bound);
    void learnRest(const ir::Expr &rest, std::int64_t value);
    ConstIntBound compute(const ir::Expr &e);
    ConstIntBound computeBinary(const ir::Binary &node);
    ConstIntBound boundOfVar(const ir::Var &var) const;
    ModularSet computeModular(const ir::Expr &e);

    ir::VarMap<ConstIntBound> m_bounds;
    ir::VarMap<ir::Expr> m_values;
    std::vector<Fact> m_facts;
    std::vector<Residue> m_residues;
    std::vector<Literal> m_literals;
    std::vector<Frame> m_frames;
    ExprCache<ConstIntBound> m_boundCache;
};

/// All values of an integral type.
ConstIntBound boundOfType(ir::DataType dtype);

} // namespace nestwright::arith
