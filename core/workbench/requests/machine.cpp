// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/this_machine.h"
#include "core/target/machine_file.h"
#include "core/workbench/requests/declarations.h"

#include <array>

namespace nestwright::workbench {

using support::Json;
using support::Result;

namespace {

constexpr std::array machineParameters{
    Parameter{"target", ParameterKind::Text, "the target that code is made for; llvm where none is given"}};

Result<Json> machineAnswer(Opener &, const Parameters &parameters)
{
    const auto target = target::parseTarget(parameters.has("target") ? parameters.text("target") : "llvm");
    if (!target)
        return support::fail(target.error());
    return target::toJson(measure::machineToScheduleFor(*target));
}

} // namespace

constinit const Request machineRequest{"machine", "Describe the machine that schedules are made for",
                                       machineParameters,
                                       "\"vector_bytes\", \"vector_registers\", \"threads\", \"caches\": as "
                                       "a file of NESTWRIGHT_MACHINE names them",
                                       machineAnswer};

} // namespace nestwright::workbench
