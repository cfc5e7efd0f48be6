// SPDX-License-Identifier: Apache-2.0
#include "core/arith/simplify/canonical.h"

#include "core/arith/same_expr.h"
#include "core/arith/simplify/common_factor.h"
#include "core/arith/simplify/prover.h"
#include "core/ir/build/builder.h"

#include <algorithm>

namespace nestwright::arith {

using namespace ir;

namespace {

Expr rounded(bool isRemainder, Rounding rounding, const Expr &a, const Expr &b)
{
    const BinaryOp down = isRemainder ? BinaryOp::FloorMod : BinaryOp::FloorDiv;
    return ir::binary(rounding == Rounding::Down ? down : isRemainder ? BinaryOp::Mod : BinaryOp::Div, a, b);
}

} // namespace

Expr CanonicalSimplifier::expr(const Expr &e)
{
    Expr result = toExpr(formOf(e));
    return sameExpr(result, e) ? e : result;
}

namespace {

/// Whether the constants of `split` are values of its type.
bool fits(const DigitSplit &split)
{
    const DataType dtype = split.index.dtype();
    const auto isValue = [&](std::int64_t value) { return isConstInt(intImm(value, dtype), value); };
    return isValue(split.scale) && isValue(split.lower)
           && (split.upper == DigitSplit::unlimited || isValue(split.upper));
}

} // namespace

Expr CanonicalSimplifier::toExpr(const Form &form)
{
    if (const auto *e = std::get_if<Expr>(&form))
        return *e;
    if (const auto *split = std::get_if<DigitSplit>(&form)) {
        m_overflow |= !fits(*split);
        return arith::toExpr(*split);
    }
    const auto &sum = std::get<CanonicalSum>(form);
    m_overflow |= sum.overflow || !isConstInt(intImm(sum.base, sum.dtype), sum.base)
                  || !std::ranges::all_of(sum.args, fits);
    return arith::toExpr(sum);
}

DigitSplit CanonicalSimplifier::toSplit(const Form &form)
{
    if (const auto *split = std::get_if<DigitSplit>(&form))
        return *split;
    const auto *sum = std::get_if<CanonicalSum>(&form);
    if (sum && sum->base == 0 && sum->args.size() == 1)
        return sum->args.front();
    DigitSplit result;
    result.index = toExpr(form);
    return result;
}

CanonicalSum CanonicalSimplifier::toSum(const Form &form)
{
    if (const auto *sum = std::get_if<CanonicalSum>(&form))
        return *sum;
    CanonicalSum result;
    const auto *e = std::get_if<Expr>(&form);
    if (const std::int64_t *value = e ? asInt(*e) : nullptr) {
        result.dtype = e->dtype();
        result.addBase(*value);
        return result;
    }
    result.args.push_back(toSplit(form));
    result.dtype = result.args.front().index.dtype();
    return result;
}

/// Whether a cast to `dtype` may go to the index: nothing on the way leaves the type, or it is a wider one,
/// in which index arithmetic does not overflow.
bool CanonicalSimplifier::staysIn(const DigitSplit &split, DataType dtype)
{
    if (dtype.bits >= split.index.dtype().bits)
        return true;
    const ConstIntBound type = boundOfType(dtype);
    const auto stays = [&](const DigitSplit &part) {
        const ConstIntBound bound = m_knowledge.bound(arith::toExpr(part));
        return type.min <= bound.min && bound.max <= type.max;
    };
    DigitSplit index = split, unscaled = split;
    index.lower = index.scale = unscaled.scale = 1;
    index.upper = DigitSplit::unlimited;
    return stays(index) && stays(unscaled) && stays(split);
}

bool CanonicalSimplifier::staysIn(const CanonicalSum &sum, DataType dtype)
{
    if (dtype.bits >= sum.dtype.bits)
        return true;
    // In the order of the sum: additions first, then subtractions.
    const ConstIntBound type = boundOfType(dtype);
    CanonicalSum partial;
    partial.dtype = sum.dtype;
    bool stays =
        std::ranges::all_of(sum.args, [&](const DigitSplit &split) { return staysIn(split, dtype); });
    for (const bool added : {true, false}) {
        for (std::size_t i = 0; i <= sum.args.size() && stays; ++i) {
            const bool isBase = i == sum.args.size();
            if (added != ((isBase ? sum.base : sum.args[i].scale) > 0))
                continue;
            if (isBase)
                partial.base = sum.base;
            else
                partial.args.push_back(sum.args[i]);
            const ConstIntBound bound = m_knowledge.bound(arith::toExpr(partial));
            stays = type.min <= bound.min && bound.max <= type.max;
        }
    }
    return stays;
}

CanonicalSimplifier::Form CanonicalSimplifier::rememberedForm(const Expr &e)
{
    if (m_formsVersion != m_knowledge.version())
        m_forms.clear();
    m_formsVersion = m_knowledge.version();
    if (const Form *known = m_forms.find(e))
        return *known;
    Form form = formOf(e);
    if (m_formsVersion == m_knowledge.version())
        m_forms.insert(e, form);
    return form;
}

CanonicalSimplifier::Form CanonicalSimplifier::formOf(const Expr &e)
{
    const auto *node = e.as<Binary>();
    if (node && node->dtype.isIndex()) {
        switch (node->op) {
        case BinaryOp::Add:
        case BinaryOp::Sub: return sum(*node);
        case BinaryOp::Mul: return product(*node, e);
        case BinaryOp::Div:
        case BinaryOp::FloorDiv: return quotient(*node, e);
        case BinaryOp::Mod:
        case BinaryOp::FloorMod: return remainder(*node, e);
        default: break;
        }
    }
    const auto *cast = e.as<Cast>();
    if (cast && cast->dtype.isIndex() && cast->value.dtype().isIndex()) {
        Form form = formOf(cast->value);
        if (auto *sum = std::get_if<CanonicalSum>(&form); sum && staysIn(*sum, cast->dtype)) {
            sum->dtype = cast->dtype;
            for (DigitSplit &split : sum->args)
                split.index = ir::cast(cast->dtype, split.index);
            return form;
        }
        if (auto *split = std::get_if<DigitSplit>(&form); split && staysIn(*split, cast->dtype)) {
            split->index = ir::cast(cast->dtype, split->index);
            return form;
        }
    }
    return rewrite(e);
}

/// Operations that need no normal form: constants, and neutral operands.
std::optional<CanonicalSimplifier::Form> CanonicalSimplifier::folded(BinaryOp op, const Form &a,
                                                                     const Form &b)
{
    const auto *exprA = std::get_if<Expr>(&a), *exprB = std::get_if<Expr>(&b);
    const std::int64_t *valueA = exprA ? asInt(*exprA) : nullptr, *valueB = exprB ? asInt(*exprB) : nullptr;
    if (valueA && valueB) {
        const Expr result = ir::binary(op, *exprA, *exprB);
        return asInt(result) ? std::optional<Form>(result) : std::nullopt;
    }
    const auto is = [](const std::int64_t *value, std::int64_t number) { return value && *value == number; };
    switch (op) {
    case BinaryOp::Add:
        if (is(valueA, 0))
            return b;
        return is(valueB, 0) ? std::optional(a) : std::nullopt;
    case BinaryOp::Sub: return is(valueB, 0) ? std::optional(a) : std::nullopt;
    case BinaryOp::Mul:
        if (is(valueA, 1) || is(valueB, 0))
            return b;
        return is(valueB, 1) || is(valueA, 0) ? std::optional(a) : std::nullopt;
    default:
        if (is(valueA, 0))
            return a;
        if (!is(valueB, 1))
            return std::nullopt;
        return op == BinaryOp::Div || op == BinaryOp::FloorDiv ? a : Form(intImm(0, exprB->dtype()));
    }
}

CanonicalSimplifier::Form CanonicalSimplifier::sum(const Binary &node)
{
    const Form a = formOf(node.a), b = formOf(node.b);
    if (auto result = folded(node.op, a, b))
        return *result;
    CanonicalSum result = toSum(a);
    result.add(toSum(b), node.op == BinaryOp::Add ? 1 : -1);
    return result;
}

CanonicalSimplifier::Form CanonicalSimplifier::product(const Binary &node, const Expr &original)
{
    Form a = formOf(node.a), b = formOf(node.b);
    if (auto result = folded(node.op, a, b))
        return *result;
    const auto constantOf = [](const Form &form) {
        const auto *e = std::get_if<Expr>(&form);
        return e ? asInt(*e) : nullptr;
    };
    if (constantOf(a))
        std::swap(a, b);
    if (const std::int64_t *factor = constantOf(b)) {
        if (auto *sum = std::get_if<CanonicalSum>(&a)) {
            sum->scaleBy(*factor);
            return a;
        }
        DigitSplit split = toSplit(a);
        m_overflow |= __builtin_mul_overflow(split.scale, *factor, &split.scale);
        return split;
    }
    const Expr result = normalProduct(toExpr(a), toExpr(b));
    const auto *same = result.as<Binary>();
    return same && same->op == BinaryOp::Mul && same->a.same(node.a) && same->b.same(node.b) ? original
                                                                                             : result;
}

bool CanonicalSimplifier::isNatural(const Expr &e) { return simplifiedBound(m_knowledge, e).min >= 0; }

/// x % (c d) // d as x // d % c, where a part of the sum x is a multiple of d; null elsewhere.
Expr CanonicalSimplifier::remainderOfQuotient(const Binary &node)
{
    const auto *inner = node.a.as<Binary>();
    const std::int64_t *divisor = asInt(node.b);
    const std::int64_t *range = inner && inner->op == BinaryOp::FloorMod ? asInt(inner->b) : nullptr;
    if (node.op != BinaryOp::FloorDiv || !divisor || *divisor <= 1 || !range || *range <= *divisor
        || *range % *divisor != 0)
        return {};
    const Form form = rememberedForm(inner->a);
    const auto *sum = std::get_if<CanonicalSum>(&form);
    if (!sum || sum->overflow || separate(*sum, *divisor).divisible.isZero())
        return {};
    return floorMod(floorDiv(inner->a, node.b), intImm(*range / *divisor, node.dtype));
}

CanonicalSimplifier::Form CanonicalSimplifier::quotient(const Binary &node, const Expr &original)
{
    const Rounding rounding = node.op == BinaryOp::FloorDiv ? Rounding::Down : Rounding::Zero;
    if (const Expr swapped = remainderOfQuotient(node))
        return formOf(swapped);
    Form a = rememberedForm(node.a);
    const Form b = formOf(node.b);
    if (auto result = folded(node.op, a, b))
        return *result;
    const auto *constant = std::get_if<Expr>(&b);
    if (const std::int64_t *divisor = constant ? asInt(*constant) : nullptr; divisor && *divisor > 0)
        return divide(std::move(a), *divisor, rounding);
    const Expr dividend = toExpr(a), divisor = toExpr(b);
    if (const auto reduced = reducedQuotient(dividend, divisor))
        return rounded(false, rounding, reduced->a, reduced->b);
    if (dividend.same(node.a) && divisor.same(node.b))
        return original;
    return rounded(false, rounding, dividend, divisor);
}

CanonicalSimplifier::Form CanonicalSimplifier::divide(Form a, std::int64_t divisor, Rounding rounding)
{
    if (const auto *sum = std::get_if<CanonicalSum>(&a))
        return divideSum(*sum, divisor, rounding);
    const Expr value = toExpr(a);
    const ConstIntBound bound = m_knowledge.bound(value);
    if (bound.min >= 0 && bound.max < divisor)
        return intImm(0, value.dtype());
    return divideSplit(toSplit(a), divisor, rounding);
}

CanonicalSimplifier::Form CanonicalSimplifier::divideSum(const CanonicalSum &a, std::int64_t divisor,
                                                         Rounding rounding)
{
    auto [multiple, extra] = separate(a, divisor);
    if (extra.isZero()) {
        multiple.divideBy(divisor);
        return multiple;
    }
    const Expr temp = toExpr(extra);
    if (rounding == Rounding::Zero && !(isNatural(toExpr(multiple)) && isNatural(temp)))
        return divideSplit(toSplit(a), divisor, rounding);
    multiple.divideBy(divisor);
    if (const std::int64_t *value = asInt(temp))
        multiple.addBase(floorDiv(*value, divisor));
    else if (compareTo(temp, divisor) != Order::Less || !isNatural(temp))
        multiple.add(divideSplit(toSplit(temp), divisor, rounding));
    return multiple;
}

CanonicalSimplifier::Form CanonicalSimplifier::remainder(const Binary &node, const Expr &original)
{
    const Rounding rounding = node.op == BinaryOp::FloorMod ? Rounding::Down : Rounding::Zero;
    Form a = rememberedForm(node.a);
    const Form b = formOf(node.b);
    if (auto result = folded(node.op, a, b))
        return *result;
    const auto *constant = std::get_if<Expr>(&b);
    if (const std::int64_t *divisor = constant ? asInt(*constant) : nullptr; divisor && *divisor > 0) {
        if (const auto *sum = std::get_if<CanonicalSum>(&a))
            return remainderOfSum(*sum, *divisor, rounding);
        const ConstIntBound bound = m_knowledge.bound(toExpr(a));
        if (bound.min >= 0 && bound.max < *divisor)
            return a;
        return remainderOfSplit(toSplit(a), *divisor, rounding);
    }
    const Expr dividend = toExpr(a), divisor = toExpr(b);
    if (const auto reduced = reducedQuotient(dividend, divisor))
        return rounded(true, rounding, reduced->a, reduced->b) * reduced->factor;
    if (dividend.same(node.a) && divisor.same(node.b))
        return original;
    return rounded(true, rounding, dividend, divisor);
}

CanonicalSimplifier::Form CanonicalSimplifier::remainderOfSum(CanonicalSum a, std::int64_t divisor,
                                                              Rounding rounding)
{
    const DataType dtype = a.dtype;
    const auto [multiple, extra] = separate(a, divisor);
    if (extra.isZero())
        return intImm(0, dtype);
    Expr temp = toExpr(extra);
    const bool down = rounding == Rounding::Down;
    if (down || (isNatural(toExpr(multiple)) && isNatural(temp))) {
        if (const std::int64_t *value = asInt(temp))
            return intImm(floorMod(*value, divisor), dtype);
        if (compareTo(temp, divisor) == Order::Less && isNatural(temp))
            return temp;
        a = extra;
    }
    if (down) {
        a.base = floorMod(a.base, divisor);
    } else {
        // Moving the constant keeps the remainder where nothing becomes negative.
        const ConstIntBound bound = m_knowledge.bound(toExpr(a));
        const std::int64_t base = a.base % divisor;
        if (bound.min >= 0 && satAdd(satAdd(bound.min, -a.base), base) >= 0)
            a.base = base;
    }
    return remainderOfSplit(toSplit(a), divisor, rounding);
}

Expr CanonicalSimplifier::binaryExpr(const Binary &node, const Expr &original)
{
    if (node.op == BinaryOp::LT && node.a.dtype().isIndex()) {
        if (Expr result = lessThanZero(node))
            return result;
    }
    return RewriteSimplifier::binaryExpr(node, original);
}

} // namespace nestwright::arith
