// SPDX-License-Identifier: Apache-2.0
/// Simplification by the normal form of canonical_sum.h.
#pragma once

#include "core/arith/simplify/canonical_sum.h"
#include "core/arith/simplify/rewrite.h"

#include <optional>
#include <variant>

namespace nestwright::arith {

/// Brings sums, products with constants, quotients and remainders by constants into normal form; everything
/// else is rewritten by rules. The steps follow TVM's canonical simplifier, so that printed indices are the
/// same.
class CanonicalSimplifier : public RewriteSimplifier {
public:
    using RewriteSimplifier::RewriteSimplifier;

    ir::Expr expr(const ir::Expr &e) override;
    /// A coefficient did not fit; the results are void.
    bool overflowed() const { return m_overflow; }

protected:
    ir::Expr binaryExpr(const ir::Binary &node, const ir::Expr &original) override;
    bool knowsLiterals() const override { return false; }

private:
    /// An expression in normal form, or one that has none.
    using Form = std::variant<ir::Expr, DigitSplit, CanonicalSum>;

    Form formOf(const ir::Expr &e);
    /// Memoized `formOf`: quotients and remainders ask several times for the same part.
    Form rememberedForm(const ir::Expr &e);
    Form sum(const ir::Binary &node);
    Form product(const ir::Binary &node, const ir::Expr &original);
    Form quotient(const ir::Binary &node, const ir::Expr &original);
    Form remainder(const ir::Binary &node, const ir::Expr &original);
    ir::Expr remainderOfQuotient(const ir::Binary &node);
    std::optional<Form> folded(ir::BinaryOp op, const Form &a, const Form &b);
    Form divide(Form a, std::int64_t divisor, Rounding rounding);
    Form divideSum(const CanonicalSum &a, std::int64_t divisor, Rounding rounding);
    Form remainderOfSum(CanonicalSum a, std::int64_t divisor, Rounding rounding);
    DigitSplit divideSplit(DigitSplit split, std::int64_t divisor, Rounding rounding);
    DigitSplit remainderOfSplit(DigitSplit split, std::int64_t divisor, Rounding rounding);
    DigitSplit withRounding(DigitSplit split, Rounding rounding);
    ir::Expr lessThanZero(const ir::Binary &node);

    ir::Expr toExpr(const Form &form);
    DigitSplit toSplit(const Form &form);
    CanonicalSum toSum(const Form &form);
    bool isNatural(const ir::Expr &e);
    bool staysIn(const DigitSplit &split, ir::DataType dtype);
    bool staysIn(const CanonicalSum &sum, ir::DataType dtype);

    bool m_overflow = false;
    ExprCache<Form> m_forms;
    std::uint64_t m_formsVersion = 0; ///< of the knowledge
};

} // namespace nestwright::arith
