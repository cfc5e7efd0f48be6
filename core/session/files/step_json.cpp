// SPDX-License-Identifier: Apache-2.0
#include "core/session/files/step_json.h"

#include "core/schedule/primitive.h"
#include "core/schedule/script/values.h"
#include "core/support/text/json.h"

namespace nestwright::session {

using json = support::Json;
using schedule::ArgList;
using schedule::ArgMap;
using schedule::ArgValue;
using schedule::IndexMap;
using support::fail;
using support::Result;

namespace {

json valueToJson(const ArgValue &value)
{
    return std::visit(
        [](const auto &v) -> json {
            using T = std::remove_cvref_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::monostate>)
                return nullptr;
            else if constexpr (std::is_same_v<T, ir::StmtId>)
                return {{"id", v.value}};
            else if constexpr (std::is_same_v<T, IndexMap>)
                return {{"map", schedule::str(v)}};
            else if constexpr (std::is_same_v<T, schedule::Formula>)
                return {{"formula", schedule::str(v)}};
            else if constexpr (std::is_same_v<T, ArgList>) {
                json list = json::array();
                for (const ArgValue &each : v)
                    list.push_back(valueToJson(each));
                return list;
            } else if constexpr (std::is_same_v<T, ArgMap>) {
                json items = json::object();
                for (std::size_t i = 0; i < v.keys.size(); ++i)
                    items[v.keys[i]] = valueToJson(v.values[i]);
                return {{"dict", items}};
            } else
                return v;
        },
        value.value);
}

Result<ArgValue> valueFromJson(const json &value)
{
    if (value.is_null())
        return ArgValue();
    if (value.is_boolean())
        return ArgValue(value.get<bool>());
    if (value.is_number_integer())
        return ArgValue(value.get<std::int64_t>());
    if (value.is_number())
        return ArgValue(value.get<double>());
    if (value.is_string())
        return ArgValue(value.get<std::string>());
    if (value.is_array()) {
        ArgList list;
        for (const json &each : value) {
            auto item = valueFromJson(each);
            if (!item)
                return item;
            list.push_back(std::move(*item));
        }
        return ArgValue(std::move(list));
    }
    if (value.contains("dict") && value.at("dict").is_object()) {
        ArgMap map;
        for (const auto &[key, each] : value.at("dict").items()) {
            auto item = valueFromJson(each);
            if (!item)
                return item;
            map.set(key, std::move(*item));
        }
        return ArgValue(std::move(map));
    }
    for (const char *written : {"map", "formula"}) {
        if (value.contains(written) && value.at(written).is_string())
            return schedule::readValue(value.at(written).get<std::string>());
    }
    if (value.contains("id") && value.at("id").is_number_unsigned())
        return ArgValue(ir::StmtId{value.at("id").get<std::uint32_t>()});
    return fail("session.step", "a step has an argument of unknown form: " + value.dump());
}

} // namespace

json toJson(const schedule::Step &step)
{
    json args = json::object();
    for (std::size_t i = 0; i < step.args.size(); ++i)
        args[std::string(step.primitive->fields[i].name)] = valueToJson(step.args[i]);
    return {{"primitive", step.primitive->name}, {"args", args}};
}

Result<schedule::Step> stepFromJson(const json &value)
{
    if (!value.is_object() || !value.contains("primitive") || !value.at("primitive").is_string())
        return fail("session.step", "a step does not name its primitive");
    const auto name = value.at("primitive").get<std::string>();
    std::vector<std::pair<std::string, ArgValue>> args;
    const json given = value.value("args", json::object());
    for (const auto &[key, arg] : given.items()) {
        auto parsed = valueFromJson(arg);
        if (!parsed)
            return std::unexpected(parsed.error());
        args.emplace_back(key, std::move(*parsed));
    }
    std::vector<std::pair<std::string_view, ArgValue>> named(args.begin(), args.end());
    return schedule::makeStep(name, named);
}

} // namespace nestwright::session
