// SPDX-License-Identifier: Apache-2.0
/// Simplification by local rules, from the leaves up.
#pragma once

#include "core/arith/knowledge.h"
#include "core/arith/rule.h"
#include "core/ir/rewriter.h"

namespace nestwright::arith {

/// Applies the rule tables (rules_*.cpp) and what is known of bounds to each node.
///
/// Scalar int32 and int64 arithmetic is taken not to overflow; of other types only constants are folded.
class RewriteSimplifier : public ir::Rewriter {
public:
    explicit RewriteSimplifier(Knowledge &knowledge) : m_knowledge(knowledge) {}

    ir::Expr expr(const ir::Expr &e) override;

    /// `a op b` of simplified operands, simplified.
    ir::Expr binary(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
    ir::Expr logicalNot(const ir::Expr &a);
    ir::Expr select(const ir::Expr &condition, const ir::Expr &a, const ir::Expr &b);

protected:
    Knowledge &m_knowledge;

    /// The node of simplified operands; what `expr` does once the operands are done.
    virtual ir::Expr finishBinary(const ir::Binary &node, const ir::Expr &original);
    virtual ir::Expr finishCast(const ir::Cast &node, const ir::Expr &original);
    /// Bounds of a - b, trying harder than the linear form where that does not decide the sign.
    ConstIntBound compare(const ir::Expr &a, const ir::Expr &b);

private:
    ir::Expr scalarInt(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
    ir::Expr byBounds(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
    ir::Expr byRules(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
    ir::Expr comparison(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
    ir::Expr lessOrEqual(const ir::Expr &a, const ir::Expr &b);
    ir::Expr truncated(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
    ir::Expr vectorBinary(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
    ir::Expr vectorQuotient(ir::BinaryOp op, const ir::Ramp &a, const ir::Expr &divisor);
    ir::Expr vectorCompare(ir::BinaryOp op, const ir::Expr &a, const ir::Expr &b);
    ir::Expr callNode(const ir::Call &node, const ir::Expr &original);
    ir::Expr letNode(const ir::Let &node, const ir::Expr &original);
    ir::Expr conditional(const ir::Expr &condition, const ir::Expr &a, const ir::Expr &b,
                         ir::Expr *simplifiedA, ir::Expr *simplifiedB);

    /// The right side of a rule as an expression of `dtype`; null when a constant does not fit.
    ir::Expr build(const Rule &rule, int node, const Bindings &bindings, ir::DataType dtype);
    ir::DataType operandType(const Rule &rule, int node, const Bindings &bindings) const;
    bool holds(const Rule &rule, int node, const Bindings &bindings, ir::DataType dtype);

    int m_depth = 0;     ///< of nested rule applications; bounds the work on adversarial input
    int m_comparing = 0; ///< of nested `compare`s
};

} // namespace nestwright::arith
