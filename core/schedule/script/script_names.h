// SPDX-License-Identifier: Apache-2.0
/// Names of loops and blocks in a script that goes on.
#pragma once

#include "core/schedule/step.h"

#include <map>
#include <set>
#include <string>

namespace nestwright::schedule {

struct ScriptNames {
    std::map<StmtId, std::string> of; ///< expressions that give the loop or block: "i0", "loops[2]"
    std::set<std::string> taken;      ///< by values of any kind
    std::string schedule = "sch";     ///< the object that primitives are called on
};

} // namespace nestwright::schedule
