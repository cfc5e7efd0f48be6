// SPDX-License-Identifier: Apache-2.0
/// TE scripts read with other sizes than those they state.
#pragma once

#include "core/frontend/te_script/te_script.h"

#include <cstdint>
#include <map>

namespace nestwright::te {

/// Whole numbers by the names that a script gives them.
using ScriptSizes = std::map<std::string, std::int64_t>;

struct SizedScript {
    TeScript script;
    /// Names that get plain numbers at the top of the script, and parameters of functions called from there.
    ScriptSizes sizes;
};

/// Reads as readTeScript; `given` takes the place of the numbers that the script states for these names.
/// Names that are not among the sizes are left to the caller.
support::Result<SizedScript> readTeScript(std::string_view text, const std::string &fileName,
                                          const ScriptSizes &given);

} // namespace nestwright::te
