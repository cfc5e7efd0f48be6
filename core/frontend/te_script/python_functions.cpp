// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/builtins.h"
#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/limits.h"
#include "core/frontend/te_script/operators.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace nestwright::te {

namespace {

std::vector<Value> argumentItems(const Arguments &arguments, std::size_t index)
{
    const ArgumentValue &argument = arguments.need(index, "iterable");
    return arguments.interpreter().items(argument.value, argument.at);
}

Value range(const Arguments &arguments)
{
    arguments.expect({"start", "stop", "step"});
    for (const ArgumentValue &argument : arguments.all()) {
        if (argument.value.isSkipped())
            return argument.value;
    }
    const bool one = arguments.positionalCount() == 1;
    const std::int64_t begin = one ? 0 : arguments.integer(0, "start");
    const std::int64_t end = arguments.integer(one ? 0 : 1, "stop");
    const std::int64_t step = arguments.positionalCount() > 2 ? arguments.integer(2, "step") : 1;
    if (step == 0)
        arguments.fail("te.argument", "range() with a step of 0 does not end");
    std::vector<Value> numbers;
    for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
        if (static_cast<std::int64_t>(numbers.size()) >= limits::listItems)
            arguments.fail("te.too-long", std::format("range() is longer than {}", limits::listItems));
        numbers.emplace_back(i);
        if (__builtin_add_overflow(i, step, &i))
            break;
    }
    arguments.interpreter().countList(static_cast<std::int64_t>(numbers.size()), arguments.at());
    return Value::list(std::move(numbers));
}

Value length(const Arguments &arguments)
{
    const Value &value = arguments.need(0, "object").value;
    if (const auto *text = value.as<std::string>())
        return static_cast<std::int64_t>(text->size());
    return static_cast<std::int64_t>(argumentItems(arguments, 0).size());
}

Value toInt(const Arguments &arguments)
{
    const ArgumentValue &argument = arguments.need(0, "x");
    if (const auto number = asInteger(argument.value))
        return *number;
    if (const auto *number = argument.value.as<double>(); number && std::fabs(*number) < 9e18)
        return static_cast<std::int64_t>(*number);
    if (argument.value.as<std::string>())
        return SkippedValue{"int() of a string"};
    arguments.wrong(argument, "x", "a number");
}

Value toFloat(const Arguments &arguments)
{
    const ArgumentValue &argument = arguments.need(0, "x");
    if (const auto number = asNumber(argument.value))
        return *number;
    const auto *text = argument.value.as<std::string>();
    if (text && (*text == "inf" || *text == "-inf"))
        return *text == "inf" ? HUGE_VAL : -HUGE_VAL;
    arguments.wrong(argument, "x", "a number");
}

Value toText(const Arguments &arguments)
{
    const Value &value = arguments.need(0, "object").value;
    if (auto text = textOf(value))
        return std::move(*text);
    return value.as<LoweredValue>() ? value : SkippedValue{"str()"};
}

Value toBool(const Arguments &arguments)
{
    if (!arguments.find(0, "x")) // bool(None), bool()
        return false;
    const ArgumentValue &argument = arguments.need(0, "x");
    return *arguments.interpreter().truth(argument.value, argument.at);
}

Value toList(const Arguments &arguments)
{
    return arguments.all().empty() ? Value::list({}) : Value::list(argumentItems(arguments, 0));
}

Value toTuple(const Arguments &arguments)
{
    return arguments.all().empty() ? Value::tuple({}) : Value::tuple(argumentItems(arguments, 0));
}

Value reversed(const Arguments &arguments)
{
    std::vector<Value> values = argumentItems(arguments, 0);
    std::reverse(values.begin(), values.end());
    return Value::list(std::move(values));
}

Value enumerate(const Arguments &arguments)
{
    arguments.expect({"iterable", "start"});
    std::int64_t number = arguments.find(1, "start") ? arguments.integer(1, "start") : 0;
    std::vector<Value> pairs;
    for (const Value &value : argumentItems(arguments, 0))
        pairs.push_back(Value::tuple({number++, value}));
    return Value::list(std::move(pairs));
}

Value zip(const Arguments &arguments)
{
    std::vector<std::vector<Value>> columns;
    std::size_t count = SIZE_MAX;
    for (std::size_t i = 0; i < arguments.positionalCount(); ++i) {
        columns.push_back(argumentItems(arguments, i));
        count = std::min(count, columns.back().size());
    }
    std::vector<Value> rows;
    for (std::size_t i = 0; !columns.empty() && i < count; ++i) {
        std::vector<Value> row;
        for (const std::vector<Value> &column : columns)
            row.push_back(column[i]);
        rows.push_back(Value::tuple(std::move(row)));
    }
    return Value::list(std::move(rows));
}

/// The numbers that max(), min() and sum() are given, as a list or one by one.
std::vector<Value> numbers(const Arguments &arguments)
{
    if (arguments.positionalCount() == 1)
        return argumentItems(arguments, 0);
    std::vector<Value> values;
    for (const ArgumentValue &argument : arguments.all())
        values.push_back(argument.value);
    return values;
}

Value extreme(const Arguments &arguments, py::CompareOp better)
{
    Value best;
    for (const Value &value : numbers(arguments)) {
        if (best.isNone()) {
            best = value;
            continue;
        }
        const Value one = compareOperator(arguments.interpreter(), better, value, best, arguments.at());
        if (one.as<Expr>()) {
            arguments.fail("te.condition",
                           std::format("Python's {}() cannot compare expressions", arguments.function()),
                           std::format("use te.{}(a, b)", arguments.function()));
        }
        if (one.isSkipped())
            return one;
        if (*one.as<bool>())
            best = value;
    }
    return best;
}

Value largest(const Arguments &arguments) { return extreme(arguments, py::CompareOp::GT); }
Value smallest(const Arguments &arguments) { return extreme(arguments, py::CompareOp::LT); }

Value total(const Arguments &arguments)
{
    arguments.expect({"iterable", "start"});
    const ArgumentValue *start = arguments.find(1, "start");
    Value result = start ? start->value : Value(std::int64_t{0});
    for (const Value &value : argumentItems(arguments, 0))
        result = binaryOperator(arguments.interpreter(), py::BinaryOp::Add, result, value, arguments.at());
    return result;
}

Value absolute(const Arguments &arguments)
{
    const Value &value = arguments.need(0, "x").value;
    if (const auto number = asInteger(value); number && *number >= 0)
        return *number;
    if (const auto *number = value.as<double>())
        return std::fabs(*number);
    if (asInteger(value))
        return unaryOperator(arguments.interpreter(), py::UnaryOp::Minus, value, arguments.at());
    return arguments.interpreter().call(BuiltinValue{"te.abs"}, arguments);
}

Value decide(const Arguments &arguments, bool all)
{
    for (const Value &value : argumentItems(arguments, 0)) {
        const std::optional<bool> flag = arguments.interpreter().truth(value, arguments.at());
        if (!flag)
            return value;
        if (*flag != all)
            return !all;
    }
    return all;
}

Value allOf(const Arguments &arguments) { return decide(arguments, true); }
Value anyOf(const Arguments &arguments) { return decide(arguments, false); }

} // namespace

bool isSkippedPythonFunction(std::string_view name)
{
    static constexpr std::string_view names[] = {
        "print",     "open",           "isinstance", "type",       "exit",         "quit",
        "hasattr",   "getattr",        "setattr",    "repr",       "round",        "sorted",
        "map",       "filter",         "set",        "dict",       "id",           "input",
        "super",     "object",         "Exception",  "ValueError", "RuntimeError", "NotImplementedError",
        "TypeError", "AssertionError", "globals",    "locals",     "vars",         "callable",
        "iter",      "next",           "divmod",     "pow",        "complex",      "bytes",
        "bytearray", "format",         "hash",       "help",       "__file__",     "__doc__",
    };
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::span<const BuiltinFunction> pythonFunctions()
{
    static const BuiltinFunction table[] = {
        {"py.range", &range},         {"py.len", &length},    {"py.int", &toInt},
        {"py.float", &toFloat},       {"py.str", &toText},    {"py.bool", &toBool},
        {"py.list", &toList},         {"py.tuple", &toTuple}, {"py.reversed", &reversed},
        {"py.enumerate", &enumerate}, {"py.zip", &zip},       {"py.max", &largest},
        {"py.min", &smallest},        {"py.sum", &total},     {"py.abs", &absolute},
        {"py.all", &allOf},           {"py.any", &anyOf},
    };
    return table;
}

} // namespace nestwright::te
