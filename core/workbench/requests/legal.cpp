// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/printer.h"
#include "core/workbench/answers/suggestions.h"
#include "core/workbench/requests/declarations.h"
#include "core/workbench/requests/program_parameters.h"

#include <array>

namespace nestwright::workbench {

using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr Parameter atParameter{"at", ParameterKind::Text, "name of a loop or block; else all"};
constexpr Parameter refusedParameter{"refused", ParameterKind::Flag,
                                     "steps that are not legal as well, with the reason"};
constexpr std::array legalParameters{moduleParameter, scheduleParameter, atParameter, refusedParameter};

Result<Json> legalSteps(Opener &opener, const Parameters &parameters)
{
    const auto path = pathOf(opener, parameters);
    if (!path)
        return fail(path.error());
    const suggest::LoopNest nest(path->end(), script::print(path->end().module));
    const auto statements = statementsAt(nest, parameters.text(atParameter.name));
    if (!statements)
        return fail(statements.error());
    Json json(
        toJson(nest, *path, {}, suggestedAt(nest, *statements), parameters.flag(refusedParameter.name)));
    json.erase("findings"); // nobody looked for faults
    return json;
}

} // namespace

constinit const Request legalRequest{
    "legal", "Find the legal next steps of each loop and block", legalParameters,
    "statements: name, kind, iterations, actions, as nestc suggest --json prints them", legalSteps};

} // namespace nestwright::workbench
