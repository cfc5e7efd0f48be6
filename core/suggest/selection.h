// SPDX-License-Identifier: Apache-2.0
/// The loop and block that selected statements stand for.
#pragma once

#include "core/suggest/loop_nest.h"

namespace nestwright::suggest {

struct Selection {
    std::vector<StmtId> all; ///< in the order in which they were selected
    StmtId current;          ///< the last of them; none: nothing of this nest is selected
    StmtId loop;             ///< `current`, where it is one
    StmtId block;            ///< `current`, or the first block that it holds
};

Selection selectionIn(const LoopNest &nest, const std::vector<StmtId> &selected);

} // namespace nestwright::suggest
