// SPDX-License-Identifier: Apache-2.0
#include "core/arith/simplify/quotient_substitution.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/fold.h"

#include <numeric>
#include <optional>

namespace nestwright::arith {

using namespace ir;

namespace {

/// (var + offset) // divisor, or (var + offset) % modulus // divisor where the modulus is not 0.
struct Quotient {
    Var var;
    std::int64_t offset = 0, modulus = 0, divisor = 1;
};

const std::int64_t *positiveDivisor(const Binary &node)
{
    const std::int64_t *value = asInt(node.b);
    return value && *value > 0 ? value : nullptr;
}

std::optional<Quotient> quotientOf(const Expr &e)
{
    const auto *node = e.as<Binary>();
    if (!node || node->op != BinaryOp::FloorDiv || !node->dtype.isInt() || !positiveDivisor(*node))
        return std::nullopt;
    Quotient result;
    result.divisor = *positiveDivisor(*node);
    Expr inside = node->a;
    if (const auto *remainder = inside.as<Binary>();
        remainder && remainder->op == BinaryOp::FloorMod && positiveDivisor(*remainder)) {
        result.modulus = *positiveDivisor(*remainder);
        inside = remainder->a;
    }
    if (const auto *sum = inside.as<Binary>(); sum && sum->op == BinaryOp::Add && asInt(sum->b)) {
        result.offset = *asInt(sum->b);
        inside = sum->a;
    }
    if (!inside.as<VarNode>())
        return std::nullopt;
    result.var = Var::from(inside);
    return result;
}

class QuotientSubstitution : public Rewriter {
public:
    QuotientSubstitution(const VarMap<std::int64_t> &parts, const VarMap<Var> &quotients)
        : m_parts(parts)
        , m_quotients(quotients)
    {
    }

    Expr expr(const Expr &e) override
    {
        const auto found = quotientOf(e);
        const auto part = found ? m_parts.find(found->var) : m_parts.end();
        if (part == m_parts.end())
            return children(e);
        const std::int64_t n = part->second;
        const DataType type = e.dtype();
        Expr value = m_quotients.at(found->var) + intImm(found->offset / n, type);
        if (found->modulus != 0)
            value = floorMod(value, intImm(found->modulus / n, type));
        return floorDiv(value, intImm(found->divisor / n, type));
    }

private:
    const VarMap<std::int64_t> &m_parts;
    const VarMap<Var> &m_quotients;
};

/// For each variable the greatest number that divides all offsets, moduli and divisors of its quotients;
/// variables used elsewhere, and those without a number above 1, are left out.
VarMap<std::int64_t> partsIn(const Expr &e)
{
    VarMap<std::int64_t> parts;
    forEachExpr(e, [&](const Expr &part) {
        if (const auto found = quotientOf(part)) {
            std::int64_t &n = parts[found->var];
            for (const std::int64_t number : {found->offset, found->modulus, found->divisor})
                n = std::gcd(n, number);
            return false;
        }
        if (part.as<VarNode>())
            parts[Var::from(part)] = 1;
        return true;
    });
    std::erase_if(parts, [](const auto &entry) { return entry.second <= 1; });
    return parts;
}

} // namespace

Expr substituteQuotients(const Expr &e, Analyzer &analyzer)
{
    const VarMap<std::int64_t> parts = partsIn(e);
    VarMap<Var> quotients;
    for (const auto &[var, n] : parts) {
        const ConstIntBound bound = analyzer.constBound(var);
        const Var quotient = Var::like(var, var.name());
        // A bound that is not known is that of the type; the quotient by n does not reach it.
        analyzer.bind(quotient, ConstIntBound{ir::floorDiv(bound.min, n), ir::floorDiv(bound.max, n)});
        quotients[var] = quotient;
    }
    return parts.empty() ? e : QuotientSubstitution(parts, quotients).expr(e);
}

} // namespace nestwright::arith
