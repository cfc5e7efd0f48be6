// SPDX-License-Identifier: Apache-2.0
#include "core/measure/double_precision.h"

#include "core/ir/builder.h"
#include "core/ir/intrinsics.h"
#include "core/ir/ndarray.h"
#include "core/ir/rewriter.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"
#include "core/support/errors.h"

#include <algorithm>

namespace nestwright::measure {

using ir::DataType;
using ir::Expr;

namespace {

DataType widened(DataType dtype) { return dtype.isFloating() ? DataType::float_(64, dtype.lanes) : dtype; }

/// As the constant's own type holds it: that the program computes with 0.1 in float16 is no rounding error of
/// its sums.
double held(const ir::FloatImm &constant)
{
    ir::NdArray one(constant.dtype.element(), {});
    one.set(0, constant.value);
    return one.at(0);
}

class Widener : public ir::Rewriter {
public:
    bool isPossible() const { return m_isPossible; }

    ir::Buffer buffer(const ir::Buffer &b) override
    {
        if (!b.dtype().isFloating() || widened(b.dtype()) == b.dtype())
            return b;
        ir::Buffer &wide = m_buffers[b];
        if (!wide) {
            ir::BufferNode node = *b.get();
            node.dtype = widened(node.dtype);
            wide = ir::Buffer(std::move(node));
        }
        return wide;
    }

    ir::Var definition(const ir::Var &v) override
    {
        if (widened(v.dtype()) == v.dtype())
            return v;
        ir::Var &wide = m_variables[v];
        if (!wide)
            wide = ir::Var(v.name(), widened(v.dtype()));
        return wide;
    }

    Expr expr(const Expr &e) override
    {
        if (const auto *imm = e.as<ir::FloatImm>())
            return ir::floatImm(held(*imm), widened(e.dtype()));
        if (const ir::Var var = ir::Var::from(e))
            return definition(var);
        if (const auto *call = e.as<ir::Call>())
            refuseWhatDependsOnType(*call);
        const Expr rebuilt = children(e);
        if (const auto *cast = rebuilt.as<ir::Cast>(); cast && cast->value.dtype() == widened(cast->dtype))
            return cast->value;
        return widened(rebuilt.dtype()) == rebuilt.dtype() ? rebuilt : retyped(rebuilt);
    }

    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt rebuilt = children(s);
        const auto *allocate = rebuilt.as<ir::Allocate>();
        if (!allocate || widened(allocate->dtype) == allocate->dtype)
            return rebuilt;
        ir::Allocate wide = *allocate;
        wide.dtype = widened(wide.dtype);
        return ir::make(std::move(wide));
    }

private:
    void refuseWhatDependsOnType(const ir::Call &call)
    {
        const ir::Intrinsic *known = call.callee.intrinsic();
        const bool isPlain = known && known->purity == ir::Purity::Pure && known->type != ir::TypeRule::Given;
        const bool isConstant = call.callee == ir::intrinsics::infinity;
        m_isPossible = m_isPossible && (isPlain || isConstant);
    }

    template <class Node> static Expr withWideType(const Node &node)
    {
        Node wide = node;
        wide.dtype = widened(node.dtype);
        return ir::make(std::move(wide));
    }

    Expr retyped(const Expr &e)
    {
        switch (e.kind()) {
        case ir::ExprKind::Cast: return withWideType(*e.as<ir::Cast>());
        case ir::ExprKind::Binary: return withWideType(*e.as<ir::Binary>());
        case ir::ExprKind::Select: return withWideType(*e.as<ir::Select>());
        case ir::ExprKind::Let: return withWideType(*e.as<ir::Let>());
        case ir::ExprKind::Broadcast: return withWideType(*e.as<ir::Broadcast>());
        case ir::ExprKind::Call: return withWideType(*e.as<ir::Call>());
        case ir::ExprKind::BufferLoad: return withWideType(*e.as<ir::BufferLoad>());
        default: m_isPossible = false; return e;
        }
    }

    ir::BufferMap<ir::Buffer> m_buffers;
    ir::VarMap<ir::Var> m_variables;
    bool m_isPossible = true;
};

} // namespace

std::optional<ir::Module> inDoublePrecision(const ir::Module &module, const std::string &function)
{
    const ir::Function found = module.find(function);
    if (!found)
        return std::nullopt;
    Widener widener;
    try {
        ir::Function wide = widener.function(found);
        if (!widener.isPossible() || wide == found)
            return std::nullopt;
        return ir::Module({{function, std::move(wide)}}, module.attrs());
    } catch (const support::UserError &) {
        return std::nullopt;
    }
}

std::int64_t longestReduction(const ir::PrimFunc &function, const std::map<std::string, std::int64_t> &sizes)
{
    const auto extentOf = [&](const Expr &extent) -> std::int64_t {
        const std::int64_t *known = ir::asInt(extent);
        const ir::Var size = ir::Var::from(extent);
        const auto given = size ? sizes.find(size.name()) : sizes.end();
        return known ? *known : given != sizes.end() ? given->second : 1;
    };
    double longest = 1;
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        const auto *block = s.as<ir::Block>();
        double terms = 1;
        for (std::size_t i = 0; block && i < block->iterVars.size(); ++i) {
            if (block->iterVars[i].kind == ir::IterKind::Reduce)
                terms *= static_cast<double>(
                    std::max<std::int64_t>(1, extentOf(block->iterVars[i].domain.extent)));
        }
        longest = std::max(longest, terms);
        return true;
    });
    return static_cast<std::int64_t>(std::min(longest, 1e15));
}

} // namespace nestwright::measure
