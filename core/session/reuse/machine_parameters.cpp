// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/machine_parameters.h"

#include "core/backend/link/runtime.h"
#include "core/measure/machine/this_machine.h"
#include "core/support/host.h"

namespace nestwright::session {

using support::Result;

namespace {

/// Whether code for `target` may sum up products of bytes in tile registers here.
bool hasTilesOfBytes(const target::Target &target)
{
    return target.mcpu.empty() && target.mattr.empty() && target.mtriple.empty()
           && support::processorFeatures().contains("amx_int8") && nestwright_has_tiles() != 0;
}

} // namespace

std::map<std::string, std::int64_t, std::less<>> machineParameters(const target::Target &target)
{
    const target::Machine machine = measure::machineToScheduleFor(target);
    return {{"lanes", machine.lanes(4)},
            {"registers", machine.vectors.registers},
            {std::string(threadsParameter), machine.threads},
            {std::string(tilesParameter), hasTilesOfBytes(target) ? 1 : 0},
            {"l1", machine.first.tile},
            {"l2", machine.second.kept}};
}

Result<std::vector<schedule::ScriptParameter>>
parametersFor(std::string_view text, const std::string &fileName, const target::Target &target)
{
    auto parameters = schedule::parametersOf(text, fileName);
    if (!parameters || parameters->empty())
        return parameters;
    const auto numbers = machineParameters(target);
    for (schedule::ScriptParameter &parameter : *parameters) {
        if (const auto known = numbers.find(parameter.name); known != numbers.end())
            parameter.value = known->second;
    }
    return parameters;
}

std::vector<schedule::ScriptParameter> valuesFor(std::string_view text, const std::string &fileName,
                                                 const target::Target &target)
{
    return parametersFor(text, fileName, target).value_or(std::vector<schedule::ScriptParameter>());
}

Result<schedule::ScriptRun> runScriptFor(const schedule::State &initial, std::string_view text,
                                         const std::string &fileName, const target::Target &target)
{
    return schedule::runScheduleScript(initial, text, fileName, valuesFor(text, fileName, target));
}

} // namespace nestwright::session
