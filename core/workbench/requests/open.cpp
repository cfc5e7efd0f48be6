// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/printer.h"
#include "core/workbench/requests/declarations.h"
#include "core/workbench/requests/program_parameters.h"

#include <array>

namespace nestwright::workbench {

using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr std::array openParameters{moduleParameter, scheduleParameter};

Result<Json> openedModule(Opener &opener, const Parameters &parameters)
{
    const auto path = pathOf(opener, parameters);
    if (!path)
        return fail(path.error());
    const auto variants = opener.loadVariants(parameters.text(moduleParameter.name));
    if (!variants)
        return fail(variants.error());
    Json names = Json::array();
    for (const NamedState &each : *variants)
        names.push_back(each.name);
    Json steps = Json::array();
    for (std::size_t place = 0; place < path->size(); ++place)
        steps.push_back(path->label(place));
    return Json{{"program", script::print(path->end().module).text},
                {"steps", std::move(steps)},
                {"variants", std::move(names)}};
}

} // namespace

constinit const Request openRequest{
    "open", "Open a module", openParameters,
    "program: as TVMScript; steps: those of the schedule; variants: names of those that the module has",
    openedModule};

} // namespace nestwright::workbench
