// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/requests/request.h"
#include "app/cli/command.h"
#include "app/cli/text/reading_time.h"
#include "core/support/files/input_file.h"
#include "core/support/text/json_output.h"
#include "core/support/text/json_text.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace nestwright::cli {

using support::Json;
using support::Result;

namespace {

struct RequestOptions {
    std::string name, parameters = "{}";
};

/// The object of parameters: as it is written, or from standard input.
Result<Json> parametersOf(const RequestOptions &options)
{
    static const std::string given = "parameters";
    const auto text = options.parameters == "-" ? support::readText("-") : options.parameters;
    if (!text)
        return support::fail(text.error());
    return support::parseJson<Json>(*text, {.what = "the object",
                                            .fileName = given,
                                            .code = "request.parameter",
                                            .hint = "write {\"module\": \"examples/matmul.py\"}"});
}

int answerRequest(const RequestOptions &options)
{
    const auto parameters = parametersOf(options);
    const workbench::Reply reply =
        parameters
            ? workbench::ask(options.name, *parameters,
                             [](const std::string &input) { return std::make_shared<ReadingTime>(input); })
            : workbench::Reply{support::fail(parameters.error())};
    const int status = writeOutput({}, support::jsonText(reply.json()) + '\n');
    return status != Done || reply.answer ? status : exitStatus(reply.answer.error());
}

} // namespace

std::function<int()> declareRequest(CLI::App &app)
{
    auto options = std::make_shared<RequestOptions>();
    app.add_option("NAME", options->name, "of the request; \"requests\" lists them with their parameters")
        ->required();
    app.add_option("PARAMETERS", options->parameters, "an object as JSON; -: from standard input")
        ->capture_default_str();
    return [options] { return answerRequest(*options); };
}

} // namespace nestwright::cli
