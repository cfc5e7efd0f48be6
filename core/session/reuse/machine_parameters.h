// SPDX-License-Identifier: Apache-2.0
/// Parameters of schedule scripts that are numbers of the machine: scripts that were written once fit many.
#pragma once

#include "core/schedule/script/reader.h"
#include "core/target/target.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::session {

/// The parameter that has the number of the machine's threads, unless it is given.
inline constexpr std::string_view threadsParameter = "threads";
/// The parameter that is 1 where this machine multiplies matrices of bytes in tile registers (Intel AMX),
/// else 0, unless it is given.
inline constexpr std::string_view tilesParameter = "tiles";

/// The numbers of the machine that code for `target` runs on, by the names of parameters: "lanes" (of 32 bits
/// in a vector), "registers" (for vectors), "l1" and "l2" (bytes that stay in its caches beside what passes),
/// threadsParameter and tilesParameter.
std::map<std::string, std::int64_t, std::less<>> machineParameters(const target::Target &target);

/// The parameters of a script with the values of its head, but for those of the machine. Errors: those of
/// schedule::parametersOf.
support::Result<std::vector<schedule::ScriptParameter>>
parametersFor(std::string_view text, const std::string &fileName, const target::Target &target);

/// The same for whoever runs the script next, who finds what is wrong with it: then none.
std::vector<schedule::ScriptParameter> valuesFor(std::string_view text, const std::string &fileName,
                                                 const target::Target &target);

/// Runs a schedule script with them. Errors: those of schedule::runScheduleScript.
support::Result<schedule::ScriptRun> runScriptFor(const schedule::State &initial, std::string_view text,
                                                  const std::string &fileName, const target::Target &target);

} // namespace nestwright::session
