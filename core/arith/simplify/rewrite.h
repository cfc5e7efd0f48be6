// SPDX-License-Identifier: Apache-2.0
/// Simplification by local rules, from the leaves up.
///
/// The order of the steps decides which of several equal forms comes out; it follows TVM's rewrite
/// simplifier, so that printed indices are the same.
#pragma once

#include "core/arith/knowledge/knowledge.h"
#include "core/arith/rules/rule.h"
#include "core/ir/build/rewriter.h"

namespace nestwright::arith {

/// Applies the rule tables (rules_*.cpp) and known bounds to each node.
///
/// Scalar int32 and int64 arithmetic is taken not to overflow; of other types little more than constants is
/// folded.
class RewriteSimplifier : public ir::Rewriter {
public:
    explicit RewriteSimplifier(Knowledge &knowledge) : m_knowledge(knowledge) {}

    /// One pass over `e`.
    ir::Expr expr(const ir::Expr &e) override { return rewrite(e); }

protected:
    Knowledge &m_knowledge;

    /// The node with its operands simplified (by `expr`) and the rules applied to it.
    ir::Expr rewrite(const ir::Expr &e);
    virtual ir::Expr binaryExpr(const ir::Binary &node, const ir::Expr &original);
    virtual ir::Expr castExpr(const ir::Cast &node, const ir::Expr &original);
    /// Whether conditions that are assumed as they are written count.
    virtual bool knowsLiterals() const { return true; }

    /// The order of a and b from bounds of a - b and from known comparisons.
    Order compare(const ir::Expr &a, const ir::Expr &b);
    /// The order of `e` and a constant.
    Order compareTo(const ir::Expr &e, std::int64_t value);
    /// The result of a rule simplified in turn, a few times at most.
    ir::Expr resimplify(const ir::Expr &e);

private:
    ir::Expr variable(const ir::Expr &e);
    ir::Expr callExpr(const ir::Call &node, const ir::Expr &original);
    ir::Expr ifThenElse(const ir::Call &node, const ir::Expr &original);
    ir::Expr letExpr(const ir::Let &node, const ir::Expr &original);
    ir::Expr selectExpr(const ir::Select &node, const ir::Expr &original);
    ir::Expr notExpr(const ir::Not &node, const ir::Expr &original);
    ir::Expr under(const ir::Expr &condition, const ir::Expr &e);

    // Nodes with simplified operands.
    ir::Expr arithmetic(const ir::Binary &node, const ir::Expr &original);
    ir::Expr comparison(const ir::Binary &node, const ir::Expr &original);
    ir::Expr logical(const ir::Binary &node, const ir::Expr &original);
    ir::Expr equal(const ir::Expr &a, const ir::Expr &b);
    ir::Expr less(const ir::Expr &a, const ir::Expr &b);
    bool isProductBelowSum(const ir::Expr &a, const ir::Expr &b);
    ir::Expr notEqual(const ir::Expr &a, const ir::Expr &b);
    ir::Expr lessOrEqual(const ir::Expr &a, const ir::Expr &b);
    ir::Expr negated(const ir::Expr &e);
    std::optional<bool> assumed(const ir::Expr &condition) const;

    // Parts of the rules that are more than a pattern; null where they do not apply.
    ir::Expr indexArithmetic(const ir::Binary &node);
    ir::Expr nonIndexArithmetic(const ir::Binary &node);
    ir::Expr unsignedQuotient(const ir::Binary &node);
    ir::Expr byBounds(const ir::Binary &node);
    ir::Expr byProof(const ir::Binary &node);
    ir::Expr floorQuotient(const ir::Binary &node);
    ir::Expr floorRemainder(const ir::Binary &node);
    ir::Expr mergeConstants(const ir::Expr &a, const ir::Expr &b);
    ir::Expr withoutCommonFactor(const ir::Expr &a, const ir::Expr &b);
    ir::Expr vectorRules(const ir::Binary &node);
    ir::Expr vectorComparison(const ir::Binary &node);
    static ir::Expr vectorCondition(const ir::Call &node);
    ir::Expr vectorQuotient(ir::BinaryOp op, const ir::Ramp &a, const ir::Expr &divisor);

    ir::Expr byRules(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
    /// The right side of a rule as an expression of `dtype`; null when a constant does not fit.
    ir::Expr build(const Rule &rule, int node, const Bindings &bindings, ir::DataType dtype);
    ir::DataType operandType(const Rule &rule, int node, const Bindings &bindings) const;
    bool holds(const Rule &rule, int node, const Bindings &bindings);

    int m_repeats = 0; ///< of `resimplify` within itself
};

} // namespace nestwright::arith
