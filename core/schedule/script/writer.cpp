// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/writer.h"

#include "core/ir/build/builder.h"
#include "core/schedule/script/trace_plan.h"

#include <cmath>

namespace nestwright::schedule {

namespace {

/// `lambda i, j: (i, i * 0, j,)`: TVM takes no plain numbers for indices in Python, so a constant is written
/// with an index.
std::string pythonLambda(IndexMap map)
{
    if (map.inputs.empty() || map.ranges || map.outputs.size() < 2)
        return str(map);
    std::string mark = "constant_";
    while (str(map).contains(mark))
        mark += '_';
    std::vector<std::string> constants;
    for (ir::Expr &output : map.outputs) {
        const auto *number = ir::asInt(output);
        if (!number || output.dtype() != map.inputs.front()->dtype)
            continue;
        output = ir::Var(mark + std::to_string(constants.size()) + '_', output.dtype());
        constants.push_back(map.inputs.front().name() + " * 0"
                            + (*number == 0 ? "" : " + " + std::to_string(*number)));
    }
    std::string text = str(map);
    for (std::size_t i = 0; i < constants.size(); ++i) {
        const std::string name = mark + std::to_string(i) + '_';
        text.replace(text.find(name), name.size(), constants[i]);
    }
    return text;
}

std::string written(const ArgValue &value, const Names &names)
{
    if (const std::string *name = names.find(value))
        return *name;
    if (const IndexMap *map = value.as<IndexMap>())
        return pythonLambda(names.withNames(*map));
    std::string text;
    if (const ArgMap *map = value.as<ArgMap>()) {
        for (std::size_t i = 0; i < map->keys.size(); ++i)
            text += (i ? ", " : "") + quoted(map->keys[i]) + ": " + written(map->values[i], names);
        return '{' + text + '}';
    }
    const ArgList *list = value.as<ArgList>();
    if (!list)
        return str(value);
    for (const ArgValue &item : *list)
        text += (text.empty() ? "" : ", ") + written(item, names);
    return '[' + text + ']';
}

bool isEmpty(const ArgValue &value)
{
    return value.isNone() || (value.as<ArgList>() && value.as<ArgList>()->empty());
}

/// A list of numbers with the whole ones as integers.
ArgValue wholeAsIntegers(const ArgValue &value)
{
    const ArgList *list = value.as<ArgList>();
    if (!list)
        return value;
    ArgList numbers;
    for (const ArgValue &item : *list) {
        const double *number = item.as<double>();
        const bool isWhole = number && std::abs(*number) < 1e15 && *number == std::trunc(*number);
        numbers.push_back(isWhole ? ArgValue(static_cast<std::int64_t>(*number)) : item);
    }
    return numbers;
}

std::string targets(const Primitive &primitive, const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names)
        text += (text.empty() ? "" : ", ") + name;
    if (names.empty())
        return {};
    return text + (primitive.results == Results::List && names.size() == 1 ? ", = " : " = ");
}

std::string written(const TraceLine &line, script::Dialect dialect, const std::string &schedule = "sch")
{
    const Primitive &primitive = *line.step.primitive;
    const bool latest = script::usesTirx(dialect) && !primitive.latestName.empty();
    std::string args;
    for (std::size_t i = 0; i < primitive.fields.size(); ++i) {
        const Field &field = primitive.fields[i];
        if (isLeftOut(field, line.step.args[i]))
            continue;
        args += (args.empty() ? "" : ", ") + argumentText(field, line.step.args[i], line.names);
    }
    return targets(primitive, line.outputNames) + schedule + '.'
           + std::string(latest ? primitive.latestName : primitive.name) + '(' + args + ')';
}

} // namespace

bool isLeftOut(const Field &field, const ArgValue &value) { return field.omittedWhenEmpty && isEmpty(value); }

std::string valueText(const Field &field, const ArgValue &value, const Names &names)
{
    std::string text =
        written(field.form == FieldForm::IntegersWithoutPoint ? wholeAsIntegers(value) : value, names);
    if (value.as<ArgList>() && field.kind == FieldKind::BufferRef)
        text = '(' + text.substr(1, text.size() - 2) + ')';
    return field.positional && value.as<ArgList>() ? text.substr(1, text.size() - 2) : text;
}

std::string argumentText(const Field &field, const ArgValue &value, const Names &names)
{
    const std::string text = valueText(field, value, names);
    return field.positional ? text : std::string(field.name) + '=' + text;
}

Result<std::string> writeScheduleScript(const State &initial, std::span<const Step> steps,
                                        script::Dialect dialect)
{
    const Result<std::vector<TraceLine>> lines = planTrace(initial, steps);
    if (!lines)
        return support::fail(lines.error());
    const std::string package = script::usesTirx(dialect) ? "s_tir" : "tir";
    std::string text =
        "# from tvm import " + package + "\ndef apply_trace(sch: " + package + ".Schedule) -> None:\n";
    for (const TraceLine &line : *lines)
        text += "  " + written(line, dialect) + '\n';
    return lines->empty() ? text + "  pass\n" : text;
}

Result<std::string> writeScheduleLines(const State &state, std::span<const Step> steps,
                                       const ScriptNames &names, script::Dialect dialect)
{
    const Result<std::vector<TraceLine>> lines = planTrace(state, steps, names);
    if (!lines)
        return support::fail(lines.error());
    std::string text;
    for (const TraceLine &line : *lines)
        text += written(line, dialect, names.schedule) + '\n';
    return text;
}

} // namespace nestwright::schedule
