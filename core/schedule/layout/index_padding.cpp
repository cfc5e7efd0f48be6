// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/layout/index_padding.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/schedule/edit.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace nestwright::schedule {

namespace {

/// (var // lower) % extent + base
struct Digit {
    ir::Var var;
    ir::Expr lower, extent, base;
};

class PaddingFinder {
public:
    PaddingFinder(const arith::Domains &domain, arith::Analyzer &analyzer)
        : m_domain(domain)
        , m_analyzer(analyzer)
    {
    }

    /// Looks for divisions in `e`; the digit of one variable that `e` is, where it is one.
    std::optional<Digit> find(const ir::Expr &e)
    {
        if (const ir::Var var = ir::Var::from(e)) {
            const auto found = std::ranges::find(m_domain, var, &arith::VarRange::var);
            if (found == m_domain.end())
                return std::nullopt;
            const ir::DataType type = var->dtype;
            return Digit{var, ir::constant(1, type), found->range.extent, ir::constant(0, type)};
        }
        const auto *node = e.as<ir::Binary>();
        if (!node)
            return std::nullopt;
        const std::optional<Digit> a = find(node->a), b = find(node->b);
        switch (node->op) {
        case ir::BinaryOp::Add:
            return isFixed(node->b) ? moved(a, node->b) : isFixed(node->a) ? moved(b, node->a) : std::nullopt;
        case ir::BinaryOp::Sub: return isFixed(node->b) ? moved(a, -node->b) : std::nullopt;
        case ir::BinaryOp::FloorDiv: return a && isFixed(node->b) ? quotient(*a, node->b) : std::nullopt;
        case ir::BinaryOp::FloorMod: return a && isFixed(node->b) ? remainder(*a, node->b) : std::nullopt;
        default: return std::nullopt;
        }
    }

    ir::VarMap<IndexPadding> result()
    {
        ir::VarMap<IndexPadding> padded;
        for (auto &[var, need] : m_needs) {
            const ir::Expr extent = std::ranges::find(m_domain, var, &arith::VarRange::var)->range.extent;
            const ir::Expr edge = m_analyzer.simplify(extent + need.left);
            if (ir::isConstInt(need.left, 0) && divides(edge, need.factor))
                continue;
            const ir::Expr right = divides(edge, need.factor)
                                       ? ir::constant(0, edge.dtype())
                                       : m_analyzer.simplify(ir::floorMod(-edge, need.factor));
            padded[var] = {need.factor, need.left, right, sum(edge, right)};
        }
        return padded;
    }

private:
    struct Need {
        ir::Expr factor, left;
    };

    bool isFixed(const ir::Expr &e) const
    {
        return std::ranges::none_of(m_domain,
                                    [&](const arith::VarRange &domain) { return ir::uses(e, domain.var); });
    }

    static std::optional<Digit> moved(std::optional<Digit> digit, const ir::Expr &by)
    {
        if (digit)
            digit->base = digit->base + by;
        return digit;
    }

    bool divides(const ir::Expr &e, const ir::Expr &divisor)
    {
        return ir::isConstInt(divisor, 1) || ir::isConstInt(m_analyzer.simplify(ir::floorMod(e, divisor)), 0);
    }

    /// A number of elements, which the type of indices must hold.
    static ir::Expr held(std::int64_t count, ir::DataType type)
    {
        ir::Expr number = ir::intImm(count, type);
        if (!ir::isConstInt(number, count))
            refuse(support::diagnostic("schedule.index-map", "the index map pads to " + std::to_string(count)
                                                                 + " elements, more than " + type.str()
                                                                 + " holds")
                       .withHint("choose smaller divisors"));
        return number;
    }

    ir::Expr sum(const ir::Expr &a, const ir::Expr &b)
    {
        const std::int64_t *x = ir::asInt(a), *y = ir::asInt(b);
        return x && y ? held(*x + *y, a.dtype()) : m_analyzer.simplify(a + b);
    }

    /// A common multiple: the least where both are numbers.
    ir::Expr commonMultiple(const ir::Expr &a, const ir::Expr &b)
    {
        const std::int64_t *x = ir::asInt(a), *y = ir::asInt(b);
        if (x && y && *x > 0 && *y > 0)
            return held(std::lcm(*x, *y), a.dtype());
        if (divides(a, b))
            return a;
        return divides(b, a) ? b : m_analyzer.simplify(a * b);
    }

    /// Notes the padding that dividing the digit by `divisor` requires; gives the padding before it.
    ir::Expr need(Digit &digit, const ir::Expr &divisor)
    {
        const ir::Expr left = m_analyzer.simplify(ir::floorMod(digit.base, divisor));
        const ir::Expr edge = m_analyzer.simplify(left + digit.extent);
        const ir::Expr step = m_analyzer.simplify(divisor * digit.lower);
        Need &known = m_needs[digit.var];
        known.factor = known.factor ? commonMultiple(known.factor, step) : step;
        const ir::Expr own = m_analyzer.simplify(left * digit.lower);
        known.left = known.left ? m_analyzer.simplify(ir::max(known.left, own)) : own;
        digit.extent =
            divides(edge, divisor) ? edge : sum(edge, m_analyzer.simplify(ir::floorMod(-edge, divisor)));
        return left;
    }

    std::optional<Digit> quotient(Digit digit, const ir::Expr &divisor)
    {
        const ir::Expr left = need(digit, divisor);
        digit.base = m_analyzer.simplify(ir::floorDiv(digit.base - left, divisor));
        digit.lower = m_analyzer.simplify(digit.lower * divisor);
        digit.extent = m_analyzer.simplify(ir::floorDiv(digit.extent, divisor));
        return digit;
    }

    std::optional<Digit> remainder(Digit digit, const ir::Expr &divisor)
    {
        need(digit, divisor);
        digit.base = ir::constant(0, digit.base.dtype());
        digit.extent = divisor;
        return digit;
    }

    const arith::Domains &m_domain;
    arith::Analyzer &m_analyzer;
    ir::VarMap<Need> m_needs;
};

} // namespace

ir::VarMap<IndexPadding> paddingOf(const std::vector<ir::Expr> &outputs, const arith::Domains &domain,
                                   arith::Analyzer &analyzer)
{
    PaddingFinder finder(domain, analyzer);
    for (const ir::Expr &output : outputs)
        finder.find(output);
    return finder.result();
}

} // namespace nestwright::schedule
