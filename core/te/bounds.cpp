// SPDX-License-Identifier: Apache-2.0
#include "core/te/bounds.h"

#include "core/arith/knowledge/reached_bound.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"

#include <format>
#include <optional>

namespace nestwright::te {

namespace {

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
            const auto values = extent ? arith::reachedBound(load.indices[d], m_ranges) : std::nullopt;
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
