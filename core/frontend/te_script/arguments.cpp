// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/arguments.h"

#include "core/frontend/te_script/interpreter.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace nestwright::te {

void Arguments::add(std::string keyword, Value value, py::Position at)
{
    m_all.push_back({std::move(keyword), std::move(value), at});
}

std::size_t Arguments::positionalCount() const
{
    return static_cast<std::size_t>(
        std::count_if(m_all.begin(), m_all.end(), [](const ArgumentValue &a) { return a.name.empty(); }));
}

void Arguments::expect(std::initializer_list<std::string_view> names) const
{
    std::vector<py::Parameter> parameters;
    for (const std::string_view name : names)
        parameters.push_back({.name = name, .isOptional = true});
    orFail(*m_interpreter, py::bindArguments(callee(), parameters, py::givenOf(m_all)), m_at);
}

const ArgumentValue *Arguments::find(std::size_t index, std::string_view name) const
{
    const ArgumentValue *found = nullptr;
    if (index < m_all.size() && m_all[index].name.empty())
        found = &m_all[index];
    for (const ArgumentValue &argument : m_all) {
        if (!name.empty() && argument.name == name)
            found = &argument;
    }
    return found && !found->value.isNone() ? found : nullptr;
}

const ArgumentValue &Arguments::need(std::size_t index, std::string_view name) const
{
    const ArgumentValue *found = find(index, name);
    if (!found)
        fail("te.argument", py::missingArgument(callee(), name));
    if (const auto *skipped = found->value.as<SkippedValue>()) {
        m_interpreter->fail(found->at, "te.skipped-value",
                            std::format("\"{}\" of {}() comes from {}, which is not carried out", name,
                                        m_function, skipped->what),
                            "give a number or a tensor here");
    }
    return *found;
}

void Arguments::wrong(const ArgumentValue &argument, std::string_view name, std::string_view expected) const
{
    m_interpreter->fail(argument.at, "te.argument",
                        std::format("\"{}\" of {}() is to be {}, but {} is given", name, m_function, expected,
                                    argument.value.kindText()));
}

void Arguments::fail(std::string_view code, std::string message, std::string hint) const
{
    m_interpreter->fail(m_at, code, std::move(message), std::move(hint));
}

std::string Arguments::string(std::size_t index, std::string_view name, std::string defaultValue) const
{
    const ArgumentValue *argument = find(index, name);
    if (!argument)
        return defaultValue;
    const auto *text = argument->value.as<std::string>();
    // A name that cannot be known is no reason to give up.
    if (!text && argument->value.isSkipped())
        return defaultValue;
    if (!text)
        wrong(*argument, name, "a string");
    return *text;
}

DataType Arguments::dtype(std::size_t index, std::string_view name, DataType defaultValue) const
{
    const ArgumentValue *argument = find(index, name);
    if (!argument)
        return defaultValue;
    const auto *text = need(index, name).value.as<std::string>();
    if (!text)
        wrong(*argument, name, "a type such as \"float32\"");
    const std::optional<DataType> dtype = DataType::parse(*text);
    if (!dtype) {
        m_interpreter->fail(
            argument->at, "te.argument",
            std::format("\"{}\" of {}() is \"{}\", which is no type", name, m_function, *text),
            "types are written \"float32\", \"int8\", \"bool\"");
    }
    return *dtype;
}

Expr Arguments::expr(std::size_t index, std::string_view name) const
{
    const ArgumentValue &argument = need(index, name);
    if (const auto *reduction = argument.value.as<Reduction>()) {
        m_interpreter->fail(
            argument.at, "te.nested-reduction",
            std::format("{}() is given a reduction ({}); a reduction must be the whole body of a te.compute",
                        m_function, reduction->combiner->name),
            "compute the reduction as a tensor of its own, then use its elements");
    }
    const Expr e = toExpr(argument.value);
    if (!e)
        wrong(argument, name, "a number or an expression");
    return e;
}

std::int64_t Arguments::integer(std::size_t index, std::string_view name) const
{
    const ArgumentValue &argument = need(index, name);
    const auto *number = argument.value.as<std::int64_t>();
    if (!number)
        wrong(argument, name, "an int");
    return *number;
}

Expr toSize(const Value &value)
{
    if (const auto *number = value.as<double>())
        return *number == std::floor(*number) && std::fabs(*number) < 9e18
                   ? Expr(static_cast<std::int64_t>(*number))
                   : Expr();
    if (value.as<bool>())
        return {};
    Expr e = toExpr(value);
    return e && e.dtype().isInt() ? e : Expr();
}

std::vector<Expr> Arguments::shape(std::size_t index, std::string_view name) const
{
    const ArgumentValue &argument = need(index, name);
    std::vector<Value> sizes{argument.value};
    if (const auto *list = argument.value.as<ListValue>())
        sizes = *list->items;
    std::vector<Expr> shape;
    for (const Value &size : sizes) {
        const Expr e = toSize(size);
        if (!e) {
            if (const auto *skipped = size.as<SkippedValue>()) {
                m_interpreter->fail(
                    argument.at, "te.skipped-value",
                    std::format("a size in \"{}\" of {}() comes from {}, which is not carried out", name,
                                m_function, skipped->what),
                    "give a number here");
            }
            m_interpreter->fail(argument.at, "te.argument",
                                std::format("\"{}\" of {}() is to hold whole numbers, but holds {}", name,
                                            m_function, size.kindText()));
        }
        shape.push_back(e);
    }
    return shape;
}

std::vector<IterVar> Arguments::axes(std::size_t index, std::string_view name) const
{
    const ArgumentValue &argument = need(index, name);
    std::vector<Value> values{argument.value};
    if (const auto *list = argument.value.as<ListValue>())
        values = *list->items;
    std::vector<IterVar> axes;
    for (const Value &value : values) {
        const auto *axis = value.as<IterVar>();
        if (!axis) {
            m_interpreter->fail(argument.at, "te.not-reduce-axis",
                                std::format("\"{}\" of {}() is to be a reduce axis, but {} is given", name,
                                            m_function, value.kindText()),
                                "make one with te.reduce_axis((0, n), \"k\")");
        }
        axes.push_back(*axis);
    }
    return axes;
}

} // namespace nestwright::te
