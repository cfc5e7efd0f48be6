// SPDX-License-Identifier: Apache-2.0
/// Simplification of and proofs about index expressions from facts about their variables.
#pragma once

#include "core/arith/knowledge/const_int_bound.h"
#include "core/arith/knowledge/modular_set.h"
#include "core/ir/node/buffer.h"

#include <memory>

namespace nestwright::arith {

class Knowledge;

/// An assumption holds as long as this object lives; assumptions end in the reverse order of their beginning.
class Assumption {
public:
    Assumption(Assumption &&other) noexcept;
    Assumption &operator=(Assumption &&) = delete;
    ~Assumption();

private:
    friend class Analyzer;
    explicit Assumption(std::weak_ptr<Knowledge> knowledge) : m_knowledge(std::move(knowledge)) {}
    std::weak_ptr<Knowledge> m_knowledge;
};

/// Knowledge about variables, and the simplifier and prover that use it.
///
/// Signed integer arithmetic is taken not to overflow (as for all index arithmetic of TensorIR); divisors are
/// taken not to be 0. One Analyzer serves many questions: answers are remembered until something new is bound
/// or assumed.
class Analyzer {
public:
    Analyzer();
    ~Analyzer();
    Analyzer(Analyzer &&) noexcept;
    Analyzer &operator=(Analyzer &&) noexcept;

    /// `var` lies in [min, min + extent); replaces an earlier binding. An extent of 1 makes it equal to min.
    void bind(const ir::Var &var, const ir::Range &range);
    /// `var` is `value`, which `simplify` puts in its place.
    void bind(const ir::Var &var, const ir::Expr &value);
    /// `var` lies in [bound.min, bound.max].
    void bind(const ir::Var &var, ConstIntBound bound);

    /// An equal expression in normal form: terms sorted by descending coefficient, e.g. `i_0 * 32 + i_1`, `9
    /// - i`. An expression that is in normal form already is returned as the same object.
    ir::Expr simplify(const ir::Expr &e);
    ir::Range simplify(const ir::Range &range);
    /// The shortest form found: the result of the rules, or the normal form where that is simpler.
    ir::Expr simplest(const ir::Expr &e);
    /// The result of the rules alone (TVM's rewrite_simplify).
    ir::Expr simplifyByRules(const ir::Expr &e);
    /// The normal form alone, of sums, quotients and remainders (TVM's canonical_simplify).
    ir::Expr normalForm(const ir::Expr &e);

    /// Whether `condition` holds for all values of the variables; false also means "not known".
    bool canProve(const ir::Expr &condition);
    bool canProveEqual(const ir::Expr &a, const ir::Expr &b);
    bool canProveLess(const ir::Expr &a, std::int64_t bound);
    bool canProveGreaterEqual(const ir::Expr &a, std::int64_t bound);

    /// Bounds of an integer expression; for a variable without any, those of its type.
    ConstIntBound constBound(const ir::Expr &e);
    ModularSet modularSet(const ir::Expr &e);

    /// `condition` (a conjunction is taken apart) holds while the result lives.
    [[nodiscard]] Assumption assume(const ir::Expr &condition);

private:
    std::shared_ptr<Knowledge> m_knowledge;
};

/// Simplifies with nothing known about the variables.
ir::Expr simplify(const ir::Expr &e);

} // namespace nestwright::arith
