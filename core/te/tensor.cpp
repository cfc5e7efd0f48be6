// SPDX-License-Identifier: Apache-2.0
#include "core/te/tensor.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/support/errors/errors.h"

#include <format>

namespace nestwright::te {

using support::diagnostic;
using support::UserError;

const ir::Buffer &Tensor::buffer() const { return m_operation->outputs[static_cast<std::size_t>(m_output)]; }

Expr Tensor::at(std::vector<Expr> indices) const
{
    if (indices.size() != shape().size()) {
        throw UserError(
            diagnostic("te.index-count", std::format("\"{}\" has {} dimension{} but is read with {} ind{}",
                                                     name(), shape().size(), shape().size() == 1 ? "" : "s",
                                                     indices.size(), indices.size() == 1 ? "ex" : "ices"))
                .withHint("give one index per dimension"));
    }
    for (const Expr &index : indices) {
        if (!index || !index.dtype().isIntegral() || index.dtype().isBool()) {
            throw UserError(
                diagnostic("te.index-type", std::format("an index of \"{}\" is of type {}, not an integer",
                                                        name(), index ? index.dtype().str() : "none"))
                    .withHint("cast it: x.astype(\"int32\")"));
        }
    }
    return ir::load(buffer(), std::move(indices));
}

IterVar reduceAxis(const Expr &extent, std::string name)
{
    return reduceAxis(ir::intImm(0, extent.dtype()), extent, std::move(name));
}

IterVar reduceAxis(const Expr &min, const Expr &extent, std::string name)
{
    const DataType dtype = min.dtype().bits > extent.dtype().bits ? min.dtype() : extent.dtype();
    return {
        {ir::cast(dtype, min), ir::cast(dtype, extent)}, Var(std::move(name), dtype), ir::IterKind::Reduce};
}

Expr ifThenElse(const Expr &condition, const Expr &thenValue, const Expr &elseValue)
{
    if (!condition.dtype().isBool()) {
        throw UserError(diagnostic("te.condition-type",
                                   std::format("the condition of if_then_else is of type {}, not bool",
                                               condition.dtype().str()))
                            .withHint("compare it: x != 0"));
    }
    // The operands of a sum are matched as the arms have to be.
    const DataType dtype = ir::binary(ir::BinaryOp::Max, thenValue, elseValue).dtype();
    return ir::callIntrinsic(ir::intrinsics::ifThenElse,
                             {condition, ir::converted(dtype, thenValue), ir::converted(dtype, elseValue)});
}

namespace {
Expr combineConditions(std::span<const Expr> conditions, Expr (*combine)(const Expr &, const Expr &),
                       const char *name)
{
    if (conditions.empty())
        throw UserError(diagnostic("te.argument", std::format("{}() needs at least one condition", name)));
    Expr result;
    for (const Expr &condition : conditions) {
        if (!condition.dtype().isBool()) {
            throw UserError(
                diagnostic("te.condition-type", std::format("a condition of {}() is of type {}, not bool",
                                                            name, condition.dtype().str()))
                    .withHint("compare it: x != 0"));
        }
        result = result ? combine(result, condition) : condition;
    }
    return result;
}
} // namespace

Expr all(std::span<const Expr> conditions) { return combineConditions(conditions, &ir::logicalAnd, "all"); }

Expr any(std::span<const Expr> conditions) { return combineConditions(conditions, &ir::logicalOr, "any"); }

Expr math(const ir::Intrinsic &intrinsic, const Expr &argument)
{
    if (!argument.dtype().isFloating()) {
        throw UserError(
            diagnostic("te.float-needed", std::format("{}() works on floating-point numbers but is given {}",
                                                      intrinsic.name, argument.dtype().str()))
                .withHint("cast it: x.astype(\"float32\")"));
    }
    return ir::callIntrinsic(intrinsic, {argument});
}

Expr math(std::string_view name, const Expr &argument)
{
    const ir::Intrinsic *intrinsic = ir::findIntrinsic(name);
    return intrinsic ? math(*intrinsic, argument) : ir::callIntrinsic(name, {argument});
}

Expr divide(const Expr &a, const Expr &b) { return ir::truncDiv(a, b); }

} // namespace nestwright::te
