// SPDX-License-Identifier: Apache-2.0
#include "core/te/bounds.h"

#include "core/arith/knowledge/const_int_bound.h"
#include "core/arith/knowledge/linear.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"

#include <format>
#include <optional>

namespace nestwright::te {

namespace {

bool isWidening(const ir::Cast &cast)
{
    return cast.dtype.isInt() && cast.value.dtype().isInt() && cast.dtype.bits >= cast.value.dtype().bits;
}

/// The values that `index` takes, where it is a sum of multiples of axes: both ends are reached, so that a
/// report is never wrong. Nothing where it is another, or an axis has no constant, non-empty range.
std::optional<arith::ConstIntBound> valuesOf(const Expr &index, const ir::VarMap<ir::Range> &ranges)
{
    arith::LinearSum sum;
    sum.add(index);
    ir::VarMap<std::int64_t> factors;
    bool overflow = sum.overflow;
    for (const arith::LinearTerm &term : sum.terms) {
        Expr atom = term.atom;
        for (auto *cast = atom.as<ir::Cast>(); cast && isWidening(*cast); cast = atom.as<ir::Cast>())
            atom = cast->value;
        if (!Var::from(atom))
            return std::nullopt;
        std::int64_t &factor = factors[Var::from(atom)];
        overflow |= __builtin_add_overflow(factor, term.coeff, &factor);
    }
    arith::ConstIntBound values{sum.base, sum.base};
    for (const auto &[var, factor] : factors) {
        if (factor == 0)
            continue;
        const auto range = ranges.find(var);
        if (range == ranges.end())
            return std::nullopt;
        const std::int64_t *min = ir::asInt(range->second.min), *extent = ir::asInt(range->second.extent);
        if (!min || !extent || *extent <= 0)
            return std::nullopt;
        values = values
                 + arith::ConstIntBound{factor, factor}
                       * arith::ConstIntBound{*min, arith::satAdd(*min, *extent - 1)};
    }
    return overflow || !values.isFinite() ? std::nullopt : std::optional(values);
}

class Checker : public ir::Visitor {
public:
    explicit Checker(ir::VarMap<ir::Range> ranges) : m_ranges(std::move(ranges)) {}

    void expr(const Expr &e) override
    {
        const auto *call = e.as<ir::Call>();
        if (e.kind() == ir::ExprKind::Select || (call && call->callee == ir::intrinsics::ifThenElse)) {
            // The arms are read under a condition that may keep the indices inside.
            expr(call ? call->args[0] : e.as<ir::Select>()->condition);
            return;
        }
        if (e.kind() == ir::ExprKind::BufferLoad)
            check(e, *e.as<ir::BufferLoad>());
        children(e);
    }

private:
    void check(const Expr &e, const ir::BufferLoad &load) const
    {
        for (std::size_t d = 0; d < load.indices.size(); ++d) {
            const std::int64_t *extent = ir::asInt(load.buffer.shape()[d]);
            const auto values = extent ? valuesOf(load.indices[d], m_ranges) : std::nullopt;
            if (!values || (values->min >= 0 && values->max < *extent))
                continue;
            const std::string reached = values->isConst()
                                            ? std::format("is {}", values->min)
                                            : std::format("runs from {} to {}", values->min, values->max);
            throw OutOfBounds(
                support::diagnostic("te.out-of-bounds",
                                    std::format("index {} of \"{}\" {}, but that dimension has {} element{}",
                                                d + 1, load.buffer.name(), reached, *extent,
                                                *extent == 1 ? "" : "s"))
                    .withHint("make the shapes agree, or guard the element with te.if_then_else"),
                e);
        }
    }

    ir::VarMap<ir::Range> m_ranges;
};

} // namespace

void checkBounds(const Operation &operation)
{
    ir::VarMap<ir::Range> ranges;
    for (const IterVar &axis : operation.axes)
        ranges.emplace(axis.var, axis.domain);
    std::vector<Expr> values = operation.values;
    if (operation.reduction) {
        for (const IterVar &axis : operation.reduction->axes)
            ranges.emplace(axis.var, axis.domain);
        // Elements that the condition leaves out are not read.
        if (!operation.reduction->condition)
            values = operation.reduction->sources;
    }
    Checker checker(std::move(ranges));
    for (const Expr &value : values)
        checker.expr(value);
}

} // namespace nestwright::te
