// SPDX-License-Identifier: Apache-2.0
/// Origins of the loops that steps made, in a form that can be compared between variants.
#pragma once

#include "core/explore/step_path.h"

#include <map>
#include <string>

namespace nestwright::explore {

using ir::StmtId;

/// The origins of all loops and blocks that a path made behind its first `common` states, those that
/// later steps replaced among them.
class LoopOrigins {
public:
    LoopOrigins(const StepPath &path, std::size_t common);

    /// Whether both variants have it from the program that they come from.
    bool isCommon(ir::StmtId id) const { return id.value <= m_common.value; }
    /// "#4 split:inner.0 split:outer.0": the loop or block of the common program, and which part of it, in
    /// turn, this one is. The last number tells parts of one name that one step made.
    std::string path(ir::StmtId id) const;
    /// The part of its step's result that `id` is: "inner"; empty for loops of the common program.
    std::string part(ir::StmtId id) const;

private:
    struct Made {
        ir::Origin origin;
        int position = 0; ///< among those that the step made as the same part of the same source
    };

    ir::StmtId m_common; ///< the last id that the common program may have
    std::map<ir::StmtId, Made> m_made;
};

} // namespace nestwright::explore
