// SPDX-License-Identifier: Apache-2.0
#include "core/te/bounds.h"

#include "core/ir/builder.h"
#include "core/ir/walk.h"

#include <format>

namespace nestwright::te {

namespace {

/// A sum of constants and constant multiples of axes, with the interval it takes. Variables are gathered
/// first, so that the ends of the interval are reached and a report is never wrong.
class Affine {
public:
    /// Adds `scale` times `e`; false when `e` is not affine.
    bool add(const Expr &e, std::int64_t scale)
    {
        if (const std::int64_t *value = ir::asInt(e)) {
            m_constant += scale * *value;
            return true;
        }
        if (e.kind() == ir::ExprKind::Var) {
            m_factors[Var::from(e)] += scale;
            return true;
        }
        if (const auto *cast = e.as<ir::Cast>())
            return cast->value.dtype().isInt() && add(cast->value, scale);
        const auto *binary = e.as<ir::Binary>();
        if (!binary)
            return false;
        switch (binary->op) {
        case ir::BinaryOp::Add: return add(binary->a, scale) && add(binary->b, scale);
        case ir::BinaryOp::Sub: return add(binary->a, scale) && add(binary->b, -scale);
        case ir::BinaryOp::Mul:
            if (const std::int64_t *factor = ir::asInt(binary->b))
                return add(binary->a, scale * *factor);
            if (const std::int64_t *factor = ir::asInt(binary->a))
                return add(binary->b, scale * *factor);
            return false;
        default: return false;
        }
    }

    /// Smallest and largest value; nothing when a variable has no constant, non-empty range.
    std::optional<std::pair<std::int64_t, std::int64_t>> interval(const ir::VarMap<ir::Range> &ranges) const
    {
        std::int64_t low = m_constant, high = m_constant;
        for (const auto &[var, factor] : m_factors) {
            if (factor == 0)
                continue;
            const auto range = ranges.find(var);
            if (range == ranges.end())
                return std::nullopt;
            const std::int64_t *min = ir::asInt(range->second.min), *extent = ir::asInt(range->second.extent);
            if (!min || !extent || *extent <= 0)
                return std::nullopt;
            const std::int64_t first = factor * *min, last = factor * (*min + *extent - 1);
            low += std::min(first, last);
            high += std::max(first, last);
        }
        return std::pair{low, high};
    }

private:
    ir::VarMap<std::int64_t> m_factors;
    std::int64_t m_constant = 0;
};

class Checker : public ir::Visitor {
public:
    explicit Checker(ir::VarMap<ir::Range> ranges) : m_ranges(std::move(ranges)) {}

    void expr(const Expr &e) override
    {
        const auto *call = e.as<ir::Call>();
        if (e.kind() == ir::ExprKind::Select || (call && call->name == "if_then_else")) {
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
            Affine affine;
            if (!extent || !affine.add(load.indices[d], 1))
                continue;
            const auto interval = affine.interval(m_ranges);
            if (!interval || (interval->first >= 0 && interval->second < *extent))
                continue;
            const std::string reached =
                interval->first == interval->second
                    ? std::format("is {}", interval->first)
                    : std::format("runs from {} to {}", interval->first, interval->second);
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
