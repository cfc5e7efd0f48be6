// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/lists.h"

#include "core/backend/backend.h"
#include "core/backend/device/device_json.h"
#include "core/backend/tool_version.h"
#include "core/catalog/preset.h"
#include "core/frontend/model_forms.h"
#include "core/lower/pipeline.h"
#include "core/measure/machine/machine_facts.h"
#include "core/schedule/primitive.h"
#include "core/session/reuse/recipe.h"
#include "core/support/text/json.h"
#include "core/target/kinds.h"
#include "core/workbench/answers/rule_list.h"

#include <array>
#include <string>
#include <utility>

namespace nestwright::workbench {

using support::Json;
using support::Result;

namespace {

const char *kindName(schedule::FieldKind kind)
{
    using enum schedule::FieldKind;
    switch (kind) {
    case Block: return "block";
    case Loop: return "loop";
    case BlockOrLoop: return "block or loop";
    case Loops: return "loops";
    case Blocks: return "blocks";
    case Int: return "integer";
    case Ints: return "integers";
    case OptionalInts: return "integers, one may be None";
    case Bool: return "bool";
    case String: return "string";
    case Choice: return "choice";
    case BufferIndex: return "buffer index";
    case BufferRef: return "buffer";
    case IndexMap: return "index map";
    case AnnotationValue: return "value";
    }
    std::unreachable();
}

} // namespace

Json listPrimitives()
{
    Json list = Json::array();
    for (const schedule::Primitive &primitive : schedule::primitives()) {
        Json fields = Json::array();
        for (const schedule::Field &field : primitive.fields) {
            Json entry = {{"name", field.name},
                          {"label", field.label},
                          {"help", field.help},
                          {"kind", kindName(field.kind)},
                          {"required", !field.fallback.has_value()}};
            if (field.fallback)
                entry["default"] = schedule::str(*field.fallback);
            if (!field.choices.empty())
                entry["choices"] = field.choices;
            fields.push_back(std::move(entry));
        }
        Json lemmas = Json::array();
        for (const schedule::IndexLemma &lemma : primitive.lemmas)
            lemmas.push_back({{"says", lemma.says}, {"given", lemma.given}, {"then", lemma.then}});
        list.push_back({{"name", primitive.name},
                        {"title", primitive.title},
                        {"group", schedule::title(primitive.group)},
                        {"key", primitive.key},
                        {"summary", primitive.summary},
                        {"documentation", primitive.documentation},
                        {"lemmas", lemmas},
                        {"fields", fields}});
    }
    return list;
}

Json listPresets()
{
    Json list = Json::array();
    for (const catalog::Preset *preset : catalog::presets()) {
        Json parameters = Json::array();
        for (const catalog::Parameter &parameter : preset->parameters) {
            const auto *size = std::get_if<std::int64_t>(&parameter.defaultValue);
            const Json fallback =
                size ? Json(*size) : Json(std::get<ir::DataType>(parameter.defaultValue).str());
            parameters.push_back({{"name", parameter.name}, {"default", fallback}, {"help", parameter.help}});
        }
        list.push_back({{"name", preset->name},
                        {"title", preset->title},
                        {"summary", preset->summary},
                        {"parameters", parameters}});
    }
    return list;
}

Json listTargets()
{
    Json list = Json::array();
    for (const target::Kind &each : target::kinds()) {
        const target::TargetKind kind = each.kind;
        Json sources = Json::array();
        for (const backend::SourceFormat &format : backend::sourceFormats()) {
            if (format.target == kind)
                sources.push_back(format.name);
        }
        Json devices = Json::array();
        std::string names;
        for (const backend::DeviceFacts &device : backend::devices(kind)) {
            devices.push_back(backend::toJson(device));
            devices.back().erase("cache-bytes"); // processes ask for it, people do not
            names += (names.empty() ? "available: " : ", ") + device.name + " (" + device.driver + ')';
        }
        const bool isBuilt = backend::isBuilt(kind);
        const std::string tool = backend::toolVersion(kind);
        const std::string summary = !isBuilt            ? "not built into this program"
                                    : !each.isOfDevices ? "available"
                                    : tool.empty()      ? "no device was found; its code can be read"
                                                   : "no device was found; its code is compiled by " + tool;
        list.push_back({{"name", each.name},
                        {"summary", names.empty() ? summary : names},
                        {"built", isBuilt},
                        {"tool", tool},
                        {"sources", sources},
                        {"devices", devices}});
    }
    return list;
}

Json listPasses()
{
    Json list = Json::array();
    for (const lower::Pass &pass : lower::passes())
        list.push_back({{"name", pass.name}, {"summary", pass.summary}});
    return list;
}

Json listMachine(const target::Target &target)
{
    Json list = Json::array();
    for (const measure::MachineFact &fact : measure::machineFacts(target)) {
        const std::string title = fact.group.empty() ? fact.title : fact.group + " " + fact.title;
        list.push_back({{"name", fact.name},
                        {"title", title},
                        {"value", fact.value},
                        {"summary", title + ": " + fact.value}});
    }
    return list;
}

Json listOnnx()
{
    Json list = Json::array();
    for (const frontend::ModelOperator &each : frontend::modelOperators()) {
        Json entry = {{"name", each.name},
                      {"domain", each.domain},
                      {"versions", each.versions},
                      {"read", each.refusal.empty()},
                      {"summary", each.refusal.empty() ? "read" : "not read: " + each.refusal}};
        if (!each.refusal.empty())
            entry["reason"] = each.refusal;
        list.push_back(std::move(entry));
    }
    return list;
}

Result<Json> listRecipes(const target::Target &target)
{
    const auto recipes = session::recipes(target);
    if (!recipes)
        return support::fail(recipes.error());
    Json list = Json::array();
    for (const session::Recipe &recipe : *recipes) {
        Json parameters = Json::array();
        std::string heads;
        for (const schedule::ScriptParameter &parameter : recipe.parameters) {
            const std::string value = schedule::str(parameter.value);
            parameters.push_back({{"name", parameter.name}, {"default", value}});
            heads += (heads.empty() ? "" : ",") + parameter.name + "=" + value;
        }
        list.push_back({{"name", recipe.name},
                        {"title", recipe.title + " (" + heads + ")"},
                        {"summary", recipe.title},
                        {"parameters", parameters},
                        {"file", recipe.file}});
    }
    return list;
}

namespace {

constexpr auto listTable = std::to_array<List>({
    {"primitives", [](const target::Target &) -> Result<Json> { return listPrimitives(); }},
    {"ops", [](const target::Target &) -> Result<Json> { return listPresets(); }},
    {"recipes", listRecipes},
    {"targets", [](const target::Target &) -> Result<Json> { return listTargets(); }},
    {"passes", [](const target::Target &) -> Result<Json> { return listPasses(); }},
    {"rules", [](const target::Target &) -> Result<Json> { return ruleList(); }},
    {"onnx", [](const target::Target &) -> Result<Json> { return listOnnx(); }},
    {"machine", [](const target::Target &target) -> Result<Json> { return listMachine(target); }},
});

} // namespace

std::span<const List> lists() { return listTable; }

} // namespace nestwright::workbench
