// SPDX-License-Identifier: Apache-2.0
/// The lines of a trace: steps with names for their results, and the queries that name their arguments.
#pragma once

#include "core/schedule/apply.h"
#include "core/schedule/script/script_names.h"

#include <map>
#include <span>

namespace nestwright::schedule {

/// Names of loops, blocks and sampled integers in one line: by id, by id and result where a script gave one
/// of them several names, integers by result alone.
class Names {
public:
    /// Names an integer that a step gave.
    void setValue(std::uint32_t result, std::string name) { m_names[{StmtId{}, result}] = std::move(name); }
    void set(StmtId id, std::uint32_t result, std::string name) { m_names[{id, result}] = std::move(name); }
    /// Null when there is none.
    const std::string *find(const ArgValue &value) const;
    /// `map` with the names of sampled integers in it, and the numbers of those that have none.
    IndexMap withNames(const IndexMap &map) const;

private:
    std::map<std::pair<StmtId, std::uint32_t>, std::string> m_names;
};

/// One line of a script or entry of a trace.
struct TraceLine {
    Step step;
    Names names; ///< of the loops and blocks that the arguments speak of
    std::vector<std::string>
        outputNames; ///< one per result: b for blocks, l for loops, v for integers, _ for None, one counter
};

/// The lines that take `initial` through `steps`. Composite steps appear expanded. Where a step needs a loop
/// or block that has no name yet, get_block and get_loops lines come before it. They follow a script that has
/// given the names `known`.
Result<std::vector<TraceLine>> planTrace(const State &initial, std::span<const Step> steps,
                                         const ScriptNames &known = {});

} // namespace nestwright::schedule
