// SPDX-License-Identifier: Apache-2.0
#include "core/arith/canonical.h"

#include "core/arith/same_expr.h"
#include "core/ir/builder.h"

#include <numeric>
#include <utility>

namespace nestwright::arith {

using namespace ir;

namespace {

bool isIndexType(DataType dtype) { return dtype.isInt() && dtype.bits >= 32 && !dtype.isVector(); }

bool isArithmetic(const Expr &e)
{
    const auto *node = e.as<Binary>();
    if (!node || !isIndexType(node->dtype))
        return false;
    return node->op == BinaryOp::Add || node->op == BinaryOp::Sub || node->op == BinaryOp::Mul
           || node->op == BinaryOp::FloorDiv || node->op == BinaryOp::FloorMod;
}

} // namespace

Expr CanonicalSimplifier::expr(const Expr &e)
{
    if (!isArithmetic(e))
        return RewriteSimplifier::expr(e);
    const Expr result = toExpr(sumOf(e), e.dtype());
    return sameExpr(result, e) ? e : result;
}

CanonicalSum CanonicalSimplifier::sumOf(const Expr &e)
{
    CanonicalSum sum;
    if (const std::int64_t *value = asInt(e)) {
        sum.addBase(*value);
        return sum;
    }
    if (isArithmetic(e)) {
        const auto &node = *e.as<Binary>();
        switch (node.op) {
        case BinaryOp::Add:
        case BinaryOp::Sub:
            sum = sumOf(node.a);
            sum.add(sumOf(node.b), node.op == BinaryOp::Add ? 1 : -1);
            return sum;
        case BinaryOp::Mul: return product(node);
        default: return quotient(node);
        }
    }
    return termOf(RewriteSimplifier::expr(e));
}

/// A simplified expression as a sum.
CanonicalSum CanonicalSimplifier::termOf(const Expr &e)
{
    if (asInt(e) || isArithmetic(e))
        return sumOf(e);
    CanonicalSum sum;
    sum.args.push_back({e});
    return sum;
}

/// `a op b` with no constant to work with: a term of its own, unless a rule makes something else of it.
CanonicalSum CanonicalSimplifier::opaque(BinaryOp op, const CanonicalSum &a, const CanonicalSum &b,
                                         DataType dtype)
{
    const Expr result = binary(op, toExpr(a, dtype), toExpr(b, dtype));
    const auto *node = result.as<Binary>();
    const bool settled =
        node && node->op == op && !asInt(node->b) && (op != BinaryOp::Mul || !asInt(node->a));
    if (settled) {
        CanonicalSum sum;
        sum.args.push_back({result});
        return sum;
    }
    return termOf(result);
}

CanonicalSum CanonicalSimplifier::product(const Binary &node)
{
    CanonicalSum a = sumOf(node.a), b = sumOf(node.b);
    if (a.isConstant())
        std::swap(a, b);
    if (!b.isConstant())
        return opaque(BinaryOp::Mul, a, b, node.dtype);
    a.overflow |= b.overflow;
    a.scaleBy(b.base);
    return a;
}

CanonicalSum CanonicalSimplifier::quotient(const Binary &node)
{
    CanonicalSum a = sumOf(node.a);
    const CanonicalSum b = sumOf(node.b);
    const bool isDivision = node.op == BinaryOp::FloorDiv;
    if (!b.isConstant() || b.base <= 0 || b.overflow || a.overflow) {
        // Negative and zero divisors are left alone, but must not be given to `termOf` again.
        if (b.isConstant()) {
            CanonicalSum sum;
            const Expr result = binary(node.op, toExpr(a, node.dtype), toExpr(b, node.dtype));
            if (asInt(result))
                return sumOf(result);
            sum.args.push_back({result});
            return sum;
        }
        return opaque(node.op, a, b, node.dtype);
    }
    if (b.base == 1) {
        if (isDivision)
            return a;
        return {};
    }
    a.combine();
    return isDivision ? divide(a, b.base, node.dtype) : rest(a, b.base, node.dtype);
}

CanonicalSum CanonicalSimplifier::divide(const CanonicalSum &a, std::int64_t divisor, DataType dtype)
{
    Separated parts = separate(a, divisor);
    CanonicalSum result = std::move(parts.divisible);
    result.divideBy(divisor);
    if (parts.rest.isConstant()) {
        result.addBase(floorDiv(parts.rest.base, divisor));
        return result;
    }
    const ConstIntBound quotients =
        floorDivBound(m_knowledge.bound(toExpr(parts.rest, dtype)), ConstIntBound{divisor, divisor});
    if (quotients.isConst())
        result.addBase(quotients.min);
    else if (const auto low = lowDigits(parts.rest, divisor, dtype))
        result.add(divide(low->high, divisor / low->step, dtype));
    else
        result.add(divideSplit(asSplit(std::move(parts.rest), dtype), divisor));
    return result;
}

/// With a step s that divides the divisor: sum = s * high + low, 0 <= low < s, where high is one digit;
/// nothing where there is no such step.
std::optional<CanonicalSimplifier::Digits>
CanonicalSimplifier::lowDigits(const CanonicalSum &sum, std::int64_t divisor, DataType dtype)
{
    for (const Split &split : sum.args) {
        const std::int64_t step = split.scale;
        if (step <= 1 || divisor % step != 0)
            continue;
        Separated parts = separate(sum, step);
        const ConstIntBound low = m_knowledge.bound(toExpr(parts.rest, dtype));
        if (!parts.divisible.single() || low.min < 0 || low.max >= step)
            continue;
        parts.divisible.divideBy(step);
        return Digits{step, std::move(parts.divisible), std::move(parts.rest)};
    }
    return std::nullopt;
}

CanonicalSum CanonicalSimplifier::rest(const CanonicalSum &a, std::int64_t divisor, DataType dtype)
{
    CanonicalSum result = separate(a, divisor).rest;
    if (result.isConstant()) {
        result.base = floorMod(result.base, divisor);
        return result;
    }
    const ConstIntBound quotients =
        floorDivBound(m_knowledge.bound(toExpr(result, dtype)), ConstIntBound{divisor, divisor});
    if (quotients.isConst() && quotients.isFinite()) {
        result.addBase(quotients.min, -divisor);
        return result;
    }
    if (auto digits = lowDigits(result, divisor, dtype)) {
        CanonicalSum high = rest(digits->high, divisor / digits->step, dtype);
        high.scaleBy(digits->step);
        high.add(digits->low);
        return high;
    }
    result.base = floorMod(result.base, divisor);
    return restOfSplit(asSplit(std::move(result), dtype), divisor);
}

/// The sum as one split: itself where it is one, else a new index.
Split CanonicalSimplifier::asSplit(CanonicalSum sum, DataType dtype)
{
    sum.combine();
    if (const Split *single = sum.single(); single && single->scale > 0)
        return *single;
    return {toExpr(std::move(sum), dtype)};
}

Split CanonicalSimplifier::divideSplit(Split split, std::int64_t divisor)
{
    if (split.scale % divisor == 0) {
        split.scale /= divisor;
        return split;
    }
    std::int64_t lower = 0;
    if (split.scale > 0 && divisor % split.scale == 0
        && !__builtin_mul_overflow(split.lower, divisor / split.scale, &lower)) {
        if (split.upper != Split::unlimited && split.upper % lower != 0) {
            if (split.upper <= lower) { // (x % c1) // c2 is 0 when c2 >= c1
                split.scale = 0;
                return split;
            }
            // The digits do not nest: the rest becomes part of the index.
            split.index =
                binary(BinaryOp::FloorMod, split.index, constantOf(split.upper, split.index.dtype()));
            split.upper = Split::unlimited;
        }
        split.scale = 1;
        split.lower = lower;
        return split;
    }
    return {toExpr(split, split.scale), divisor};
}

CanonicalSum CanonicalSimplifier::restOfSplit(Split split, std::int64_t divisor)
{
    CanonicalSum result;
    std::int64_t upper = 0;
    if (split.scale > 0 && divisor % split.scale == 0
        && !__builtin_mul_overflow(split.lower, divisor / split.scale, &upper)) {
        if (split.upper == Split::unlimited || split.upper % upper == 0) {
            const bool shrinks = split.upper != Split::unlimited && upper < split.upper;
            const DataType dtype = split.index.dtype();
            split.upper = upper;
            if (shrinks && split.lower == 1) { // the index may become simpler under the smaller rest
                result = termOf(expr(binaryNode(BinaryOp::FloorMod, split.index, constantOf(upper, dtype))));
                result.scaleBy(split.scale);
                return result;
            }
            result.args.push_back(std::move(split));
            return result;
        }
        if (upper % split.upper == 0) { // (x % 2) % 4 = x % 2
            result.args.push_back(std::move(split));
            return result;
        }
    }
    result.args.push_back({toExpr(split, split.scale), 1, divisor});
    return result;
}

Expr CanonicalSimplifier::constantOf(std::int64_t value, DataType dtype)
{
    Expr result = intImm(value, dtype);
    m_overflow |= !isConstInt(result, value);
    return result;
}

Expr CanonicalSimplifier::toExpr(const Split &split, std::int64_t scale)
{
    const DataType dtype = split.index.dtype();
    Expr result = split.index;
    if (split.upper != Split::unlimited)
        result = binaryNode(BinaryOp::FloorMod, result, constantOf(split.upper, dtype));
    if (split.lower != 1)
        result = binaryNode(BinaryOp::FloorDiv, result, constantOf(split.lower, dtype));
    return scale == 1 ? result : binaryNode(BinaryOp::Mul, result, constantOf(scale, dtype));
}

/// Positive terms first, then a positive constant, then what is subtracted.
Expr CanonicalSimplifier::toExpr(CanonicalSum sum, DataType dtype)
{
    sum.combine();
    m_overflow |= sum.overflow;
    Expr result;
    const auto append = [&](BinaryOp op, const Expr &term) {
        result = result ? binaryNode(op, result, term) : term;
    };
    for (const Split &split : sum.args) {
        if (split.scale > 0)
            append(BinaryOp::Add, toExpr(split, split.scale));
    }
    if (sum.base > 0)
        append(BinaryOp::Add, constantOf(sum.base, dtype));
    if (const Split *single = sum.single(); single && single->scale < -1)
        return toExpr(*single, single->scale);
    for (const Split &split : sum.args) {
        if (split.scale >= 0)
            continue;
        if (!result)
            result = constantOf(0, dtype);
        std::int64_t magnitude = 0;
        m_overflow |= __builtin_sub_overflow(std::int64_t{0}, split.scale, &magnitude);
        append(BinaryOp::Sub, toExpr(split, magnitude));
    }
    if (sum.base >= 0)
        return result ? result : constantOf(0, dtype);
    if (!result)
        return constantOf(sum.base, dtype);
    if (sum.base == std::numeric_limits<std::int64_t>::min()
        || !isConstInt(intImm(-sum.base, dtype), -sum.base))
        return binaryNode(BinaryOp::Add, result, constantOf(sum.base, dtype));
    return binaryNode(BinaryOp::Sub, result, constantOf(-sum.base, dtype));
}

Expr CanonicalSimplifier::finishBinary(const Binary &node, const Expr &original)
{
    if (!isIndexType(node.a.dtype()))
        return RewriteSimplifier::finishBinary(node, original);
    Expr result;
    if (node.op == BinaryOp::LT || node.op == BinaryOp::GT)
        result = node.op == BinaryOp::LT ? less(node.a, node.b) : less(node.b, node.a);
    else if (node.op == BinaryOp::LE || node.op == BinaryOp::GE)
        result = node.op == BinaryOp::LE ? lessOrEqual(node.a, node.b) : lessOrEqual(node.b, node.a);
    return result ? result : RewriteSimplifier::finishBinary(node, original);
}

namespace {

/// Common factor of the base and of all coefficients but those of size 1; 0 where there is none to take out.
std::int64_t commonFactor(const CanonicalSum &sum)
{
    if (sum.overflow)
        return 0;
    std::int64_t divisor = 0;
    for (const Split &split : sum.args) {
        if (split.scale > 1 || split.scale < -1)
            divisor = std::gcd(divisor, split.scale);
    }
    divisor = divisor == 0 ? 0 : std::gcd(divisor, sum.base);
    return divisor > 1 ? divisor : 0;
}

} // namespace

/// a <= b where all coefficients have a common factor; null elsewhere.
Expr CanonicalSimplifier::lessOrEqual(const Expr &a, const Expr &b)
{
    CanonicalSum left = sumOf(a), right = sumOf(b), all = left;
    if (left.overflow || right.overflow)
        return {};
    all.args.insert(all.args.end(), right.args.begin(), right.args.end());
    all.base = std::gcd(left.base, right.base);
    const std::int64_t divisor = commonFactor(all);
    if (divisor == 0 || !separate(all, divisor).rest.isConstant())
        return {};
    left.divideBy(divisor);
    right.divideBy(divisor);
    return binary(BinaryOp::LE, toExpr(std::move(left), a.dtype()), toExpr(std::move(right), a.dtype()));
}

/// a < b with the common factor of its coefficients taken out; null where there is none.
Expr CanonicalSimplifier::less(const Expr &a, const Expr &b)
{
    CanonicalSum sum = sumOf(a);
    sum.add(sumOf(b), -1);
    const std::int64_t divisor = commonFactor(sum);
    if (divisor == 0)
        return {};
    // d D + e < 0 exactly where D + e // d < 0; worth while where e // d is simple.
    const DataType dtype = a.dtype();
    Separated parts = separate(sum, divisor);
    CanonicalSum quotient = std::move(parts.divisible);
    quotient.divideBy(divisor);
    if (!parts.rest.isConstant()) {
        const ConstIntBound extra =
            floorDivBound(m_knowledge.bound(toExpr(parts.rest, dtype)), ConstIntBound{divisor, divisor});
        const Split *digit = parts.rest.single();
        if (extra.isConst())
            quotient.addBase(extra.min);
        else if (digit && digit->scale == 1 && digit->lower == 1 && digit->upper != Split::unlimited
                 && digit->upper % divisor == 0)
            quotient.add(divideSplit(*digit, divisor));
        else
            return {};
    }
    const std::int64_t base = std::exchange(quotient.base, 0);
    return binary(BinaryOp::LT, toExpr(std::move(quotient), dtype), constantOf(-base, dtype));
}

/// Index arithmetic does not overflow, so a widening cast may go to the terms.
Expr CanonicalSimplifier::finishCast(const Cast &node, const Expr &original)
{
    if (!isIndexType(node.dtype) || !isIndexType(node.value.dtype())
        || node.dtype.bits < node.value.dtype().bits)
        return RewriteSimplifier::finishCast(node, original);
    CanonicalSum sum = sumOf(node.value);
    for (Split &split : sum.args)
        split.index = ir::cast(node.dtype, split.index);
    const Expr result = toExpr(std::move(sum), node.dtype);
    return sameExpr(result, original) ? original : result;
}

} // namespace nestwright::arith
