// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/measuring/measured_programs.h"
#include "core/workbench/requests/declarations.h"
#include "core/workbench/requests/program_parameters.h"

#include <array>

namespace nestwright::workbench {

using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr Parameter schedulesParameter{"schedules", ParameterKind::Texts,
                                       "one program each, in place of the module's own"};
constexpr Parameter measuredTargetParameter{"target", ParameterKind::Text,
                                            "target with its options; else that of a session, or llvm"};
constexpr std::array measuredParameters{moduleParameter, schedulesParameter, measuredTargetParameter};

Result<Json> measuredOf(Opener &opener, const Parameters &parameters)
{
    MeasureQuestion question{.module = parameters.text(moduleParameter.name),
                             .schedules = parameters.texts(schedulesParameter.name)};
    if (parameters.has(targetParameter.name)) {
        auto target = targetOf(parameters);
        if (!target)
            return fail(target.error());
        question.target = std::move(*target);
    }
    const auto chosen = measuredPrograms(opener, question);
    if (!chosen)
        return fail(chosen.error());
    Json inputs = Json::object();
    for (const auto &[name, given] : chosen->inputs)
        inputs[name] = given.path;
    return Json{{"target", chosen->target.str()},
                {"programs", chosen->names()},
                {"inputs", std::move(inputs)},
                {"foreign-edits", chosen->foreignEdits}};
}

} // namespace

constinit const Request measuredRequest{"measured", "Name the programs that are measured of a module",
                                        measuredParameters,
                                        "target; programs: their names, the reference of a session first; "
                                        "inputs: files by argument; foreign-edits: "
                                        "edited code of the session's file, which nobody has agreed to run",
                                        measuredOf};

} // namespace nestwright::workbench
