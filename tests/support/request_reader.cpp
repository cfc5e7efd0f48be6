// SPDX-License-Identifier: Apache-2.0
#include "tests/support/request_reader.h"

#include "core/support/text/json_output.h"
#include "core/support/text/json_text.h"
#include "core/workbench/requests/request.h"

namespace nestwright::tests {

using support::Json;

std::string checkRequest(std::string_view text)
{
    static const std::string name = "fuzz.json";
    const auto json = support::parseJson<Json>(
        text, {.what = "the request", .fileName = name, .code = "request.parameter", .hint = ""});
    if (!json || !json->is_object() || !json->contains("request") || !json->at("request").is_string())
        return {};
    const workbench::Reply reply =
        workbench::ask(json->at("request").get<std::string>(), json->value("parameters", Json()));
    if (!reply.answer && (reply.answer.error().code.empty() || reply.answer.error().message.empty()))
        return "a Diagnostic without a code or a message";
    return support::jsonText(reply.json()).empty() ? "a reply without a text" : "";
}

} // namespace nestwright::tests
