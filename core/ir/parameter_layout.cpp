// SPDX-License-Identifier: Apache-2.0
#include "core/ir/parameter_layout.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/ir/strides.h"

#include <algorithm>
#include <format>

namespace nestwright::ir {

namespace {

std::vector<Expr> compactStrides(const Buffer &buffer)
{
    std::vector<Expr> strides(buffer.shape().size());
    for (std::size_t i = strides.size(); i-- > 0;)
        strides[i] = i + 1 == strides.size() ? constant(1, buffer.shape()[i].dtype())
                                             : strides[i + 1] * buffer.shape()[i + 1];
    return strides;
}

/// The values of the parameters' layout variables.
VarMap<Expr> layoutValues(const PrimFunc &function)
{
    VarSet sizes; // are known from the arrays or given
    for (const Param &param : function.params) {
        sizes.insert(param.var);
        for (std::size_t i = 0; param.buffer && i < param.buffer.shape().size(); ++i)
            sizes.merge(variablesOf(param.buffer.shape()[i]));
    }
    VarMap<Expr> values;
    VarSet ambiguous;
    const auto note = [&](const Expr &e, const Expr &value) {
        const Var var = Var::from(e);
        if (!var || sizes.contains(var))
            return;
        const Expr typed = cast(var.dtype(), value);
        const auto [known, isNew] = values.try_emplace(var, typed);
        if (!isNew && !structurallyEqual(known->second, typed))
            ambiguous.insert(var);
    };
    for (const Param &param : function.params) {
        if (!param.buffer)
            continue;
        if (isStrided(param.buffer)) {
            const std::vector<Expr> compact = compactStrides(param.buffer);
            for (std::size_t i = 0; i < compact.size(); ++i)
                note(param.buffer->strides[i], compact[i]);
        }
        if (param.buffer->elemOffset)
            note(param.buffer->elemOffset, 0);
    }
    for (const Var &var : ambiguous)
        values.erase(var);
    return values;
}

class LayoutBinder : public Rewriter {
public:
    explicit LayoutBinder(VarMap<Expr> values) : m_values(std::move(values)) {}

    Expr expr(const Expr &e) override
    {
        if (!e.as<VarNode>())
            return children(e);
        const auto found = m_values.find(Var::from(e));
        return found == m_values.end() ? e : found->second;
    }

    Buffer buffer(const Buffer &b) override
    {
        const auto [known, isNew] = m_buffers.try_emplace(b, b);
        if (!isNew)
            return known->second;
        BufferNode node = *b.get();
        bool changed = false;
        const auto rewrite = [&](Expr &e) {
            const Expr made = e ? expr(e) : e;
            changed = changed || (e && !made.same(e));
            e = made;
        };
        std::ranges::for_each(node.shape, rewrite);
        std::ranges::for_each(node.strides, rewrite);
        rewrite(node.elemOffset);
        if (!changed)
            return b;
        if (node.elemOffset && isConstInt(node.elemOffset, 0))
            node.elemOffset = {};
        const Buffer made(std::move(node));
        const std::vector<Expr> compact = compactStrides(made);
        const bool isCompact =
            isStrided(made) && std::ranges::equal(made->strides, compact, [](const Expr &x, const Expr &y) {
                const std::int64_t *a = asInt(x), *b = asInt(y);
                return a && b ? *a == *b : structurallyEqual(x, y);
            });
        if (!isCompact)
            return m_buffers[b] = made;
        BufferNode plain = *made.get();
        plain.strides.clear();
        return m_buffers[b] = Buffer(std::move(plain));
    }

private:
    VarMap<Expr> m_values;
    BufferMap<Buffer> m_buffers;
};

} // namespace

Function withCompactParameters(const Function &function)
{
    VarMap<Expr> values = layoutValues(*function);
    return values.empty() ? function : LayoutBinder(std::move(values)).function(function);
}

Module withCompactParameters(const Module &module)
{
    Module result = module;
    for (const Module::Entry &entry : module.functions()) {
        Function changed = withCompactParameters(entry.function);
        if (changed != entry.function)
            result = result.with(entry.name, std::move(changed));
    }
    return result;
}

support::Result<void> checkStrides(const Buffer &parameter, const std::vector<std::int64_t> &shape)
{
    std::int64_t compact = 1;
    for (std::size_t i = std::min(shape.size(), parameter->strides.size()); i-- > 0; compact *= shape[i]) {
        const std::int64_t *stride = asInt(parameter->strides[i]);
        if (stride && *stride != compact && shape[i] > 1)
            return support::fail(
                support::diagnostic(
                    "argument.strides",
                    std::format("stride {} of '{}' is {}, but programs are called with compact "
                                "arrays: it would have to be {}",
                                i, parameter.name(), *stride, compact))
                    .withHint("give the buffer no strides"));
    }
    return {};
}

} // namespace nestwright::ir
