// SPDX-License-Identifier: Apache-2.0
#include "core/process/error_json.h"
#include "core/support/errors/errors.h"
#include "core/support/text/near_names.h"
#include "core/workbench/requests/declarations.h"

#include <algorithm>
#include <array>
#include <format>

namespace nestwright::workbench {

using support::diagnostic;
using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr std::array requestTable{&openRequest,   &describeRequest, &legalRequest,
                                  &sourceRequest, &loopsRequest,    &measuredRequest,
                                  &listRequest,   &machineRequest,  &requestsRequest};

Result<const Request *> findRequest(std::string_view name)
{
    const auto found = std::ranges::find(requestTable, name, &Request::name);
    if (found != requestTable.end())
        return *found;
    std::vector<std::string_view> known;
    for (const Request *each : requestTable)
        known.push_back(each->name);
    return fail(diagnostic("request.unknown", std::format("there is no request \"{}\"", name))
                    .withHint(support::didYouMean(name, known)));
}

std::string_view kindText(ParameterKind kind)
{
    switch (kind) {
    case ParameterKind::Text: return "a string";
    case ParameterKind::Texts: return "a list of strings";
    case ParameterKind::Flag: return "true or false";
    }
    std::unreachable();
}

bool isOfKind(const Json &value, ParameterKind kind)
{
    switch (kind) {
    case ParameterKind::Text: return value.is_string();
    case ParameterKind::Texts: return value.is_array() && std::ranges::all_of(value, &Json::is_string);
    case ParameterKind::Flag: return value.is_boolean();
    }
    std::unreachable();
}

Result<void> checkValue(const Parameter &parameter, const Json &value)
{
    if (!isOfKind(value, parameter.kind))
        return fail(diagnostic("request.parameter",
                               std::format("the parameter \"{}\" must be {}, but is {}", parameter.name,
                                           kindText(parameter.kind), value.type_name()))
                        .withHint(std::string(parameter.help)));
    if (!parameter.choices)
        return {};
    const std::vector<std::string_view> choices = parameter.choices();
    const auto text = value.get<std::string>();
    if (std::ranges::contains(choices, text))
        return {};
    return fail(diagnostic("request.parameter",
                           std::format("the parameter \"{}\" cannot be \"{}\"", parameter.name, text))
                    .withHint(support::didYouMean(text, choices)));
}

Result<void> checkParameters(const Request &request, const Json &values)
{
    if (!values.is_object())
        return fail(diagnostic("request.parameter",
                               std::format("parameters are an object, but here is {}", values.type_name()))
                        .withHint("write {\"module\": \"examples/matmul.py\"}"));
    for (const auto &[name, value] : values.items()) {
        const auto found = std::ranges::find(request.parameters, name, &Parameter::name);
        if (found != request.parameters.end()) {
            if (auto checked = checkValue(*found, value); !checked)
                return checked;
            continue;
        }
        std::vector<std::string_view> known;
        for (const Parameter &each : request.parameters)
            known.push_back(each.name);
        return fail(diagnostic("request.parameter",
                               std::format("the request \"{}\" has no parameter \"{}\"", request.name, name))
                        .withHint(support::didYouMean(name, known)));
    }
    for (const Parameter &each : request.parameters) {
        if (each.isRequired && !values.contains(each.name))
            return fail(
                diagnostic("request.parameter", std::format("the request \"{}\" needs the parameter \"{}\"",
                                                            request.name, each.name))
                    .withHint(std::string(each.help)));
    }
    return {};
}

Result<Json> answerTo(Opener &opener, std::string_view name, const Json &parameters)
{
    const auto request = findRequest(name);
    if (!request)
        return fail(request.error());
    if (const auto checked = checkParameters(**request, parameters); !checked)
        return fail(checked.error());
    if (const Parameters given(parameters); given.has("target")) {
        if (const auto target =
                target::parseTarget(given.text("target"))) // else the request says what is wrong
            opener.setTarget(*target);
    }
    return (*request)->run(opener, Parameters(parameters));
}

} // namespace

std::span<const Request *const> requests() { return requestTable; }

std::string Parameters::text(std::string_view name) const { return m_values.value(name, std::string()); }

std::vector<std::string> Parameters::texts(std::string_view name) const
{
    return m_values.value(name, std::vector<std::string>());
}

bool Parameters::flag(std::string_view name) const { return m_values.value(name, false); }

Json schemaOf(const Request &request)
{
    Json members = Json::object(), needed = Json::array();
    for (const Parameter &each : request.parameters) {
        Json member{{"description", each.help}};
        member["type"] = each.kind == ParameterKind::Flag    ? "boolean"
                         : each.kind == ParameterKind::Texts ? "array"
                                                             : "string";
        if (each.kind == ParameterKind::Texts)
            member["items"] = {{"type", "string"}};
        if (each.choices)
            member["enum"] = each.choices();
        if (each.isRequired)
            needed.push_back(each.name);
        members[std::string(each.name)] = std::move(member);
    }
    Json schema{{"type", "object"}, {"properties", std::move(members)}, {"additionalProperties", false}};
    if (!needed.empty())
        schema["required"] = std::move(needed);
    return schema;
}

Json Reply::json() const
{
    Json json = answer ? Json{{"answer", *answer}} : Json{{"error", process::toJson(answer.error())}};
    if (!notes.empty())
        json["notes"] = notes;
    return json;
}

Reply ask(std::string_view name, const Json &parameters,
          std::function<std::shared_ptr<void>(const std::string &input)> watch)
{
    std::vector<std::string> notes;
    Opener opener(
        {.note = [&notes](const Note &note) { notes.push_back(note.text()); }, .watch = std::move(watch)});
    auto answer = [&]() -> Result<Json> {
        try {
            return answerTo(opener, name, parameters);
        } catch (const support::UserError &error) {
            return fail(error.diagnostic());
        }
    }();
    return {std::move(answer), std::move(notes)};
}

} // namespace nestwright::workbench
