// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/text/rule_list.h"
#include "core/backend/backend.h"
#include "core/backend/tool_version.h"
#include "core/catalog/preset.h"
#include "core/lower/pipeline.h"
#include "core/measure/machine/machine_facts.h"
#include "core/schedule/primitive.h"
#include "core/session/model/model_operators.h"
#include "core/session/reuse/recipe.h"
#include "core/support/text/json_output.h"
#include "core/target/kinds.h"

#include <CLI/CLI.hpp>
#include <format>

namespace nestwright::cli {

using json = support::Json;

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

json listPrimitives()
{
    json list = json::array();
    for (const schedule::Primitive &primitive : schedule::primitives()) {
        json fields = json::array();
        for (const schedule::Field &field : primitive.fields) {
            json entry = {{"name", field.name},
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
        json lemmas = json::array();
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

json listPresets()
{
    json list = json::array();
    for (const catalog::Preset *preset : catalog::presets()) {
        json parameters = json::array();
        for (const catalog::Parameter &parameter : preset->parameters) {
            const auto *size = std::get_if<std::int64_t>(&parameter.defaultValue);
            const json fallback =
                size ? json(*size) : json(std::get<ir::DataType>(parameter.defaultValue).str());
            parameters.push_back({{"name", parameter.name}, {"default", fallback}, {"help", parameter.help}});
        }
        list.push_back({{"name", preset->name},
                        {"title", preset->title},
                        {"summary", preset->summary},
                        {"parameters", parameters}});
    }
    return list;
}

json listTargets()
{
    json list = json::array();
    for (const target::Kind &each : target::kinds()) {
        const target::TargetKind kind = each.kind;
        json sources = json::array();
        for (const backend::SourceFormat &format : backend::sourceFormats()) {
            if (format.target == kind)
                sources.push_back(format.name);
        }
        json devices = json::array();
        std::string names;
        for (const backend::DeviceFacts &device : backend::devices(kind)) {
            devices.push_back({{"name", device.name},
                               {"driver", device.driver},
                               {"architecture", device.architecture},
                               {"gpu", device.isGpu},
                               {"compute-units", device.computeUnits},
                               {"memory-bytes", device.memoryBytes},
                               {"shared-memory-bytes", device.sharedBytes},
                               {"threads-in-a-block", device.mostThreads}});
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

json listPasses()
{
    json list = json::array();
    for (const lower::Pass &pass : lower::passes())
        list.push_back({{"name", pass.name}, {"summary", pass.summary}});
    return list;
}

json listMachine()
{
    json list = json::array();
    for (const measure::MachineFact &fact : measure::machineFacts()) {
        const std::string title = fact.group.empty() ? fact.title : fact.group + " " + fact.title;
        list.push_back({{"name", fact.name},
                        {"title", title},
                        {"value", fact.value},
                        {"summary", title + ": " + fact.value}});
    }
    return list;
}

/// Operators of models, with the operator sets of their domain.
json listOnnx()
{
    json list = json::array();
    for (const session::ModelOperator &each : session::modelOperators()) {
        json entry = {{"name", each.name},
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

/// A line each: domain, operator, operator sets, and why it is not read.
std::string onnxText(const json &list)
{
    const auto line = [](const std::string &domain, const std::string &name, const std::string &versions,
                         const std::string &summary) {
        return std::format("{:<16} {:<34} {:<13} {}\n", domain, name, versions, summary);
    };
    std::string text = line("domain", "operator", "operator sets", "read");
    for (const json &entry : list)
        text += line(entry.at("domain").get<std::string>(), entry.at("name").get<std::string>(),
                     entry.at("versions").get<std::string>(), entry.at("summary").get<std::string>());
    return text;
}

/// Name and summary, a line each.
std::string asText(const json &list)
{
    std::string text;
    for (const json &entry : list)
        text += std::format("{:<24} {}\n", entry.at("name").get<std::string>(),
                            entry.at("summary").get<std::string>());
    return text;
}

support::Result<json> listRecipes()
{
    const auto recipes = session::recipes();
    if (!recipes)
        return support::fail(recipes.error());
    json list = json::array();
    for (const session::Recipe &recipe : *recipes) {
        json parameters = json::array();
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

} // namespace

std::function<int()> declareList(CLI::App &app)
{
    struct Options {
        std::string what;
        bool asJson = false;
    };
    auto options = std::make_shared<Options>();
    app.add_option("WHAT", options->what,
                   "primitives, ops, recipes, targets, passes, rules, onnx (the operators of "
                   "models that are read) or machine")
        ->required()
        ->check(
            CLI::IsMember({"primitives", "ops", "recipes", "targets", "passes", "rules", "onnx", "machine"}));
    app.add_flag("--json", options->asJson, "everything there is to know, as JSON");
    return [options] {
        const support::Result<json> list = options->what == "primitives"
                                               ? support::Result<json>(listPrimitives())
                                           : options->what == "ops"     ? listPresets()
                                           : options->what == "recipes" ? listRecipes()
                                           : options->what == "targets" ? listTargets()
                                           : options->what == "machine" ? listMachine()
                                           : options->what == "rules"   ? ruleList()
                                           : options->what == "onnx"    ? listOnnx()
                                                                        : listPasses();
        if (!list)
            return report(list.error());
        return writeOutput({}, options->asJson           ? support::jsonText(*list, 2) + '\n'
                               : options->what == "onnx" ? onnxText(*list)
                                                         : asText(*list));
    };
}

} // namespace nestwright::cli
