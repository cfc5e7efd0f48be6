// SPDX-License-Identifier: Apache-2.0
/// Simplification by the normal form of canonical_sum.h.
#pragma once

#include "core/arith/canonical_sum.h"
#include "core/arith/rewrite.h"

#include <optional>

namespace nestwright::arith {

/// Brings sums, products with constants, quotients and rests by constants into normal form, everything else
/// is rewritten by rules.
class CanonicalSimplifier : public RewriteSimplifier {
public:
    using RewriteSimplifier::RewriteSimplifier;

    ir::Expr expr(const ir::Expr &e) override;
    /// A coefficient did not fit; the results are void.
    bool overflowed() const { return m_overflow; }

protected:
    ir::Expr finishBinary(const ir::Binary &node, const ir::Expr &original) override;
    ir::Expr finishCast(const ir::Cast &node, const ir::Expr &original) override;

private:
    CanonicalSum sumOf(const ir::Expr &e);
    CanonicalSum product(const ir::Binary &node);
    CanonicalSum quotient(const ir::Binary &node);
    CanonicalSum opaque(ir::BinaryOp op, const CanonicalSum &a, const CanonicalSum &b, ir::DataType dtype);
    CanonicalSum termOf(const ir::Expr &e);
    CanonicalSum divide(const CanonicalSum &a, std::int64_t divisor, ir::DataType dtype);
    CanonicalSum rest(const CanonicalSum &a, std::int64_t divisor, ir::DataType dtype);
    struct Digits {
        std::int64_t step = 1;
        CanonicalSum high, low;
    };
    std::optional<Digits> lowDigits(const CanonicalSum &sum, std::int64_t divisor, ir::DataType dtype);
    Split divideSplit(Split split, std::int64_t divisor);
    CanonicalSum restOfSplit(Split split, std::int64_t divisor);
    Split asSplit(CanonicalSum sum, ir::DataType dtype);
    ir::Expr lessOrEqual(const ir::Expr &a, const ir::Expr &b);
    ir::Expr less(const ir::Expr &a, const ir::Expr &b);

    ir::Expr toExpr(CanonicalSum sum, ir::DataType dtype);
    ir::Expr toExpr(const Split &split, std::int64_t scale);
    ir::Expr constantOf(std::int64_t value, ir::DataType dtype);

    bool m_overflow = false;
};

} // namespace nestwright::arith
