// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/legacy_schedule.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <format>

namespace nestwright::te {

namespace {

IterVar axisNamed(const std::string &name, ir::IterKind kind)
{
    const Var var(name);
    // How far it runs is known only when the steps are applied; nothing in the script depends on it.
    return {{ir::intImm(0), Var(name + "_extent")}, var, kind};
}

} // namespace

std::optional<std::vector<bool>> LegacySchedule::reduceAxes(int stage) const
{
    const LegacyStage &owner = m_stages[static_cast<std::size_t>(stage)];
    std::vector<bool> reduces(m_axes.size(), false);
    for (std::size_t i = owner.operation->axes.size(); i < owner.own.size(); ++i)
        reduces[static_cast<std::size_t>(owner.own[i])] = true;
    for (const LegacyAction &action : owner.actions) {
        if (action.kind != LegacyAction::Kind::Split && action.kind != LegacyAction::Kind::Fuse)
            return std::nullopt;
        for (const int axis : action.axes) {
            if (!reduces[static_cast<std::size_t>(axis)])
                return std::nullopt;
        }
        for (const int axis : action.results)
            reduces[static_cast<std::size_t>(axis)] = true;
    }
    return reduces;
}

Operation LegacySchedule::partialSum(const LegacyStage &before, const std::vector<bool> &reduces, int factor,
                                     std::int64_t factorAxis) const
{
    const Operation &whole = *before.operation;
    Operation partial;
    partial.name = whole.name + "_rf";
    partial.axes = whole.axes;
    for (IterVar &axis : partial.axes)
        axis.var = Var(axis.var.name(), axis.var.dtype());
    partial.axes.insert(partial.axes.begin() + factorAxis,
                        axisNamed(m_axes[static_cast<std::size_t>(factor)].name, ir::IterKind::Spatial));
    partial.reduction = whole.reduction;
    partial.reduction->axes.clear();
    for (const int leaf : before.leaves) {
        if (leaf != factor && reduces[static_cast<std::size_t>(leaf)])
            partial.reduction->axes.push_back(
                axisNamed(m_axes[static_cast<std::size_t>(leaf)].name, ir::IterKind::Reduce));
    }
    std::vector<Expr> shape;
    for (const IterVar &axis : partial.axes)
        shape.push_back(axis.domain.extent);
    partial.outputs.emplace_back(partial.name, std::move(shape), whole.outputs[0].dtype());
    return partial;
}

Value LegacySchedule::factorReduction(const Arguments &arguments)
{
    arguments.expect({"tensor", "axis", "factor_axis"});
    const int source = stageArgument(arguments, 0, "tensor");
    const ArgumentValue &given = arguments.need(1, "axis");
    const std::optional<int> factor = axisArgument(arguments, given, "axis", source);
    const std::int64_t factorAxis =
        arguments.find(2, "factor_axis") ? arguments.integer(2, "factor_axis") : 0;
    const LegacyStage before = m_stages[static_cast<std::size_t>(source)];
    const std::optional<std::vector<bool>> reduces = reduceAxes(source);
    if (!factor || !reduces || before.kind != LegacyStage::Kind::Compute || before.attachStage >= 0) {
        arguments.interpreter().note(
            arguments.at(), "te.not-carried-over",
            "not carried over: rfactor after other steps than splitting and fusing reduce axes");
        return SkippedValue{"rfactor"};
    }
    const std::string factorName = m_axes[static_cast<std::size_t>(*factor)].name;
    if (!(*reduces)[static_cast<std::size_t>(*factor)]) {
        arguments.interpreter().fail(
            given.at, "te.not-reduce-axis",
            std::format("rfactor() is given \"{}\", which is no reduce axis", factorName));
    }
    const auto rank = static_cast<std::int64_t>(before.operation->axes.size());
    if (factorAxis < 0 || factorAxis > rank) {
        arguments.fail(
            "te.argument",
            std::format("\"factor_axis\" of rfactor() is {}, but must be from 0 to {}", factorAxis, rank));
    }

    const auto operation =
        std::make_shared<const Operation>(partialSum(before, *reduces, *factor, factorAxis));

    const int index = addStage(operation, LegacyStage::Kind::Factored);
    LegacyStage &stage = m_stages[static_cast<std::size_t>(index)];
    stage.source = source;
    stage.sourceAxes = before.own;
    stage.sourceActions = before.actions;
    stage.factor = *factor;
    stage.factorAxis = factorAxis;
    stage.line = arguments.at().line;
    // TensorIR keeps the loops as they were nested; moved by compute_at, they come in the order of the
    // block's variables.
    const int kept = stage.own[static_cast<std::size_t>(factorAxis)];
    std::vector<int> spatial(stage.own.begin(), stage.own.begin() + rank + 1);
    std::erase(spatial, kept);
    std::size_t next = static_cast<std::size_t>(rank) + 1;
    stage.nested = spatial;
    for (const int leaf : before.leaves) {
        if ((*reduces)[static_cast<std::size_t>(leaf)])
            stage.nested.push_back(leaf == *factor ? kept : stage.own[next++]);
    }
    stage.nestedAttached = {kept};
    stage.nestedAttached.insert(stage.nestedAttached.end(), spatial.begin(), spatial.end());
    stage.nestedAttached.insert(stage.nestedAttached.end(), stage.own.begin() + rank + 1, stage.own.end());

    // The rest of the source sums the partial results.
    Operation rest = *before.operation;
    rest.reduction->axes = {axisNamed(factorName, ir::IterKind::Reduce)};
    const int last = addAxis(source, factorName, rest.reduction->axes[0].var);
    LegacyStage &left = m_stages[static_cast<std::size_t>(source)];
    left.former = left.operation;
    left.operation = std::make_shared<const Operation>(std::move(rest));
    left.own.resize(static_cast<std::size_t>(rank));
    left.own.push_back(last);
    left.leaves = left.own;
    left.actions.clear();
    m_order.insert(std::find(m_order.begin(), m_order.end(), source), index);
    m_caches.push_back(index);
    return Tensor(operation, 0);
}

} // namespace nestwright::te
