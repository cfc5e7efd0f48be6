// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/value.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/schedule/layout/layout_map.h"
#include "core/script/print/printer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace nestwright::schedule {

IndexMap IndexMap::withValues() const
{
    if (sampled.empty())
        return *this;
    ir::VarMap<ir::Expr> values;
    for (const SampledIndex &each : sampled)
        values[each.var] = ir::constant(each.value, each.var->dtype);
    IndexMap map = *this;
    map.sampled.clear();
    for (ir::Expr &output : map.outputs)
        output = applied(output, values);
    return map;
}

bool IndexMap::operator==(const IndexMap &other) const
{
    if (!sampled.empty() || !other.sampled.empty())
        return withValues() == other.withValues();
    if (inputs.size() != other.inputs.size() || outputs.size() != other.outputs.size()
        || axisSeparators != other.axisSeparators || rest != other.rest || ranges != other.ranges)
        return false;
    ir::VarMap<ir::Expr> renamed;
    std::map<std::string, ir::Var> sizes;
    for (const ir::Expr &output : outputs) {
        for (const ir::Var &var : ir::variablesOf(output))
            sizes.try_emplace(var.name(), var);
    }
    for (const ir::Expr &output : other.outputs) {
        for (const ir::Var &var : ir::variablesOf(output)) {
            if (const auto same = sizes.find(var.name());
                same != sizes.end() && same->second->dtype == var->dtype)
                renamed[var] = same->second;
        }
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i]->dtype != other.inputs[i]->dtype)
            return false;
        renamed[other.inputs[i]] = inputs[i];
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!ir::structurallyEqual(outputs[i], ir::substitute(other.outputs[i], renamed)))
            return false;
    }
    return true;
}

IndexMap IndexMap::withRanges() const
{
    IndexMap map = *this;
    if (ranges)
        return map;
    map.ranges = true;
    map.outputs.clear();
    for (const ir::Expr &index : outputs) {
        map.outputs.push_back(index);
        map.outputs.push_back(index + ir::constant(1, index.dtype()));
    }
    return map;
}

IndexMap IndexMap::withInputs(std::size_t count) const
{
    if (rest < 0 || count + 1 < inputs.size())
        return *this;
    const auto at = inputs.begin() + rest;
    std::vector<ir::Var> more;
    for (std::size_t i = 0; i < count + 1 - inputs.size(); ++i)
        more.emplace_back(at->name() + '_' + std::to_string(i));
    IndexMap map;
    map.sampled = sampled;
    map.inputs.assign(inputs.begin(), at);
    map.inputs.insert(map.inputs.end(), more.begin(), more.end());
    map.inputs.insert(map.inputs.end(), at + 1, inputs.end());
    for (std::size_t i = 0; i <= outputs.size(); ++i) {
        for (const int separator : axisSeparators) {
            if (static_cast<std::size_t>(separator) == i)
                map.axisSeparators.push_back(static_cast<int>(map.outputs.size()));
        }
        if (i < outputs.size() && outputs[i].same(*at))
            map.outputs.insert(map.outputs.end(), more.begin(), more.end());
        else if (i < outputs.size())
            map.outputs.push_back(outputs[i]);
    }
    return map;
}

bool IndexMap::isIdentity() const
{
    if (inputs.size() != outputs.size() || !axisSeparators.empty() || ranges)
        return false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!outputs[i].same(inputs[i]))
            return false;
    }
    return true;
}

bool Formula::operator==(const Formula &other) const { return ir::structurallyEqual(value, other.value); }

void ArgMap::set(const std::string &key, ArgValue value)
{
    const auto at = std::ranges::lower_bound(keys, key);
    const auto position = at - keys.begin();
    if (at != keys.end() && *at == key) {
        values[static_cast<std::size_t>(position)] = std::move(value);
    } else {
        keys.insert(at, key);
        values.insert(values.begin() + position, std::move(value));
    }
}

bool ArgMap::operator==(const ArgMap &other) const { return keys == other.keys && values == other.values; }

bool ArgValue::operator==(const ArgValue &other) const { return value == other.value; }

std::string quoted(const std::string &text)
{
    std::string result = "\"";
    for (const char c : text) {
        switch (c) {
        case '"': result += "\\\""; break;
        case '\\': result += "\\\\"; break;
        case '\n': result += "\\n"; break;
        case '\t': result += "\\t"; break;
        case '\r': result += "\\r"; break;
        default: result += c;
        }
    }
    return result + '"';
}

namespace {

/// Seventeen digits, as TVM writes, with a mark that it is no integer.
std::string numberText(double number)
{
    if (std::isnan(number))
        return "float(\"nan\")";
    if (std::isinf(number))
        return number > 0 ? "float(\"inf\")" : "float(\"-inf\")";
    char digits[32];
    const auto end =
        std::to_chars(std::begin(digits), std::end(digits), number, std::chars_format::general, 17).ptr;
    std::string text(digits, end);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string listText(const ArgList &list)
{
    std::string text = "[";
    for (std::size_t i = 0; i < list.size(); ++i)
        text += (i ? ", " : "") + str(list[i]);
    return text + ']';
}

std::string mapText(const ArgMap &map)
{
    std::string text = "{";
    for (std::size_t i = 0; i < map.keys.size(); ++i)
        text += (i ? ", " : "") + quoted(map.keys[i]) + ": " + str(map.values[i]);
    return text + '}';
}

std::string rangesOf(const IndexMap &map)
{
    std::string text;
    for (std::size_t i = 0; i + 1 < map.outputs.size(); i += 2)
        text += (i ? ", (" : "(") + script::printExpr(map.outputs[i]) + ", "
                + script::printExpr(map.outputs[i + 1]) + ')';
    return text;
}

template <class... F> struct Overloaded : F... {
    using F::operator()...;
};

} // namespace

std::string str(const IndexMap &map)
{
    const IndexMap shown = map.withValues();
    std::string text = "lambda ";
    for (std::size_t i = 0; i < shown.inputs.size(); ++i)
        text += (i ? ", " : "") + shown.inputs[i].name();
    if (shown.ranges)
        return text + ": [" + rangesOf(shown) + ']';
    text += ": (";
    const std::vector<int> &separators = shown.axisSeparators;
    std::size_t separator = 0;
    for (std::size_t i = 0; i < shown.outputs.size(); ++i) {
        for (; separator < separators.size() && separators[separator] == static_cast<int>(i); ++separator)
            text += (text.back() == '(' ? "" : " ") + std::string("tvm.tir.IndexMap.AXIS_SEPARATOR,");
        text += (text.back() == '(' ? "" : " ") + script::printExpr(shown.outputs[i]) + ',';
    }
    return text + ')';
}

std::string str(const ArgValue &value)
{
    return std::visit(Overloaded{
                          [](std::monostate) -> std::string { return "None"; },
                          [](bool b) -> std::string { return b ? "True" : "False"; },
                          [](std::int64_t number) { return std::to_string(number); },
                          [](double number) { return numberText(number); },
                          [](const std::string &text) { return quoted(text); },
                          [](StmtId id) { return "#" + std::to_string(id.value); },
                          [](const IndexMap &map) { return str(map); },
                          [](const ArgList &list) { return listText(list); },
                          [](const ArgMap &map) { return mapText(map); },
                          [](const Formula &formula) { return script::printExpr(formula.value); },
                      },
                      value.value);
}

} // namespace nestwright::schedule
