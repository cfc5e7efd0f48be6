// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/legacy_schedule.h"

#include <algorithm>
#include <format>

namespace nestwright::te {

namespace {

/// A step on an axis that depends on a skipped line is left out, and so is what is made from its result.
Value leftOut(const Arguments &arguments)
{
    arguments.interpreter().note(
        arguments.at(), "te.not-carried-over",
        std::format("not carried over: {}, because it depends on a line that is not carried out",
                    arguments.function()));
    return SkippedValue{arguments.function()};
}

/// A factor; nothing where it comes from a skipped line.
std::optional<std::int64_t> factorArgument(const Arguments &arguments, const ArgumentValue &argument,
                                           std::string_view name)
{
    if (argument.value.isSkipped())
        return std::nullopt;
    const auto *factor = argument.value.as<std::int64_t>();
    if (!factor)
        arguments.wrong(argument, name, "an int");
    if (*factor <= 0) {
        arguments.interpreter().fail(
            argument.at, "te.bad-factor",
            std::format("\"{}\" of {}() is {}, but must be at least 1", name, arguments.function(), *factor));
    }
    return *factor;
}

} // namespace

std::pair<int, int> LegacySchedule::splitAxis(int stage, int axis, std::int64_t factor, bool isParts,
                                              int line)
{
    const std::string name = m_axes[static_cast<std::size_t>(axis)].name;
    const int outer = addAxis(stage, name + ".outer"), inner = addAxis(stage, name + ".inner");
    LegacyStage &owner = m_stages[static_cast<std::size_t>(stage)];
    const auto at = std::find(owner.leaves.begin(), owner.leaves.end(), axis);
    *at = outer;
    owner.leaves.insert(at + 1, inner);
    owner.actions.push_back(
        {LegacyAction::Kind::Split, {axis}, {outer, inner}, factor, isParts, {}, {}, line});
    return {outer, inner};
}

Value LegacySchedule::split(const std::shared_ptr<LegacySchedule> &self, int stage,
                            const Arguments &arguments)
{
    arguments.expect({"parent", "factor", "nparts", "disable_predication"});
    const ArgumentValue *factor = arguments.find(1, "factor");
    const ArgumentValue *parts = arguments.find(2, "nparts");
    if (!factor == !parts)
        arguments.fail("te.argument", "split() needs either a factor or nparts",
                       "write s[C].split(axis, factor=32)");
    const ArgumentValue *parent = arguments.find(0, "parent");
    if (!parent)
        arguments.fail("te.argument", "split() needs the axis to split");
    const std::optional<int> axis = axisArgument(arguments, *parent, "parent", stage);
    const auto count = factorArgument(arguments, factor ? *factor : *parts, factor ? "factor" : "nparts");
    if (!axis || !count)
        return leftOut(arguments);
    const auto [outer, inner] = splitAxis(stage, *axis, *count, parts != nullptr, arguments.at().line);
    return Value::tuple({StageAxisValue{self, outer}, StageAxisValue{self, inner}});
}

Value LegacySchedule::tile(const std::shared_ptr<LegacySchedule> &self, int stage, const Arguments &arguments)
{
    arguments.expect({"x_parent", "y_parent", "x_factor", "y_factor"});
    const ArgumentValue *given[4];
    static constexpr std::string_view names[4] = {"x_parent", "y_parent", "x_factor", "y_factor"};
    for (std::size_t i = 0; i < 4; ++i) {
        given[i] = arguments.find(i, names[i]);
        if (!given[i])
            arguments.fail("te.argument", std::format("tile() needs the argument \"{}\"", names[i]));
    }
    const auto x = axisArgument(arguments, *given[0], names[0], stage);
    const auto y = axisArgument(arguments, *given[1], names[1], stage);
    const auto xFactor = factorArgument(arguments, *given[2], names[2]);
    const auto yFactor = factorArgument(arguments, *given[3], names[3]);
    if (!x || !y || !xFactor || !yFactor)
        return leftOut(arguments);
    if (*x == *y)
        arguments.fail("te.argument", "tile() needs two different axes");
    const int line = arguments.at().line;
    const auto [xOuter, xInner] = splitAxis(stage, *x, *xFactor, false, line);
    const auto [yOuter, yInner] = splitAxis(stage, *y, *yFactor, false, line);
    Arguments order(arguments.interpreter(), "reorder", arguments.at());
    std::vector<Value> axes;
    for (const int axis : {xOuter, yOuter, xInner, yInner}) {
        axes.emplace_back(StageAxisValue{self, axis});
        order.add({}, axes.back(), arguments.at());
    }
    reorder(stage, order);
    return Value::tuple(std::move(axes));
}

Value LegacySchedule::fuse(const std::shared_ptr<LegacySchedule> &self, int stage, const Arguments &arguments)
{
    std::vector<int> axes;
    for (const ArgumentValue &argument : arguments.all()) {
        const auto *list = argument.value.as<ListValue>();
        for (const Value &value : list ? *list->items : std::vector<Value>{argument.value}) {
            const auto axis = axisArgument(arguments, {{}, value, argument.at}, "axis", stage);
            if (!axis)
                return leftOut(arguments);
            axes.push_back(*axis);
        }
    }
    if (axes.empty())
        arguments.fail("te.argument", "fuse() needs the axes to fuse");
    if (axes.size() == 1)
        return StageAxisValue{self, axes[0]};
    std::string name;
    for (const int axis : axes)
        name += (name.empty() ? "" : ".") + m_axes[static_cast<std::size_t>(axis)].name;
    const int fused = addAxis(stage, name + ".fused");
    LegacyStage &owner = m_stages[static_cast<std::size_t>(stage)];
    const auto first = std::find(owner.leaves.begin(), owner.leaves.end(), axes[0]);
    if (static_cast<std::size_t>(owner.leaves.end() - first) < axes.size()
        || !std::equal(axes.begin(), axes.end(), first)) {
        arguments.fail(
            "te.not-adjacent",
            std::format("the axes fused in \"{}\" are not directly inside each other, in that order",
                        owner.operation->name),
            "reorder them first");
    }
    const auto position = first - owner.leaves.begin();
    owner.leaves.erase(first, first + static_cast<std::ptrdiff_t>(axes.size()));
    owner.leaves.insert(owner.leaves.begin() + position, fused);
    owner.actions.push_back({LegacyAction::Kind::Fuse, axes, {fused}, 0, false, {}, {}, arguments.at().line});
    return StageAxisValue{self, fused};
}

Value LegacySchedule::reorder(int stage, const Arguments &arguments)
{
    std::vector<int> axes;
    for (const ArgumentValue &argument : arguments.all()) {
        const auto axis = axisArgument(arguments, argument, "axis", stage);
        if (!axis)
            return leftOut(arguments);
        if (std::find(axes.begin(), axes.end(), *axis) != axes.end()) {
            arguments.interpreter().fail(argument.at, "te.argument",
                                         std::format("\"{}\" is listed twice in reorder()",
                                                     m_axes[static_cast<std::size_t>(*axis)].name));
        }
        axes.push_back(*axis);
    }
    // The axes named take the places that they hold among all loops, in the new order.
    LegacyStage &owner = m_stages[static_cast<std::size_t>(stage)];
    std::size_t next = 0;
    for (int &leaf : owner.leaves) {
        if (std::find(axes.begin(), axes.end(), leaf) != axes.end())
            leaf = axes[next++];
    }
    owner.actions.push_back({LegacyAction::Kind::Reorder, axes, {}, 0, false, {}, {}, arguments.at().line});
    return {};
}

Value LegacySchedule::annotate(int stage, LegacyAction::Kind kind, const Arguments &arguments)
{
    const ArgumentValue *given = arguments.find(0, "var");
    if (!given)
        arguments.fail("te.argument", std::format("{}() needs an axis", arguments.function()));
    const auto axis = axisArgument(arguments, *given, "var", stage);
    if (!axis)
        return leftOut(arguments);
    LegacyAction action{kind, {*axis}, {}, 0, false, {}, {}, arguments.at().line};
    if (kind == LegacyAction::Kind::Bind) {
        const ArgumentValue &thread = arguments.need(1, "thread_ivar");
        const auto *tag = thread.value.as<ThreadAxisValue>();
        if (!tag)
            arguments.wrong(thread, "thread_ivar", "a thread axis: te.thread_axis(\"blockIdx.x\")");
        action.text = tag->tag;
    }
    if (kind == LegacyAction::Kind::Pragma) {
        action.text = "pragma_" + arguments.string(1, "pragma_type", {});
        action.value.value = std::int64_t{1};
        if (const ArgumentValue *value = arguments.find(2, "pragma_value")) {
            if (const auto *number = value->value.as<std::int64_t>())
                action.value.value = *number;
            else if (const auto *flag = value->value.as<bool>())
                action.value.value = std::int64_t{*flag};
            else if (const auto *text = value->value.as<std::string>())
                action.value.value = *text;
            else
                arguments.wrong(*value, "pragma_value", "an int or a string");
        }
    }
    m_stages[static_cast<std::size_t>(stage)].actions.push_back(std::move(action));
    return {};
}

Value LegacySchedule::computeAt(int stage, const Arguments &arguments)
{
    arguments.expect({"parent", "scope"});
    const int parent = stageArgument(arguments, 0, "parent");
    if (parent == stage)
        arguments.fail("te.argument", "compute_at() of a stage into itself");
    const ArgumentValue *scope = arguments.find(1, "scope");
    if (!scope)
        arguments.fail("te.argument", "compute_at() needs the axis to compute at");
    const auto axis = axisArgument(arguments, *scope, "scope", parent);
    if (!axis)
        return leftOut(arguments);
    LegacyStage &attached = m_stages[static_cast<std::size_t>(stage)];
    attached.attachStage = parent;
    attached.attachAxis = *axis;
    attached.attachLine = arguments.at().line;
    attached.isInlined = false;
    return {};
}

} // namespace nestwright::te
