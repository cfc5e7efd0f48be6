// SPDX-License-Identifier: Apache-2.0
/// Index of the parts of a sequence that meet a buffer or a variable.
#pragma once

#include "core/ir/build/walk.h"
#include "core/ir/node/stmt.h"

#include <unordered_map>
#include <vector>

namespace nestwright::analysis {

/// Keeps the results for a sequence, so that asking for each of many buffers takes one walk.
class PartUsers {
public:
    using Indices = std::vector<std::size_t>;

    /// The parts of the sequence in which the buffer is defined or used, in order.
    const Indices &of(const ir::Stmt &sequence, const ir::Buffer &buffer);
    /// The parts of the sequence that use the variable, be it as the memory of a buffer.
    const Indices &of(const ir::Stmt &sequence, const ir::Var &var);

private:
    struct Users {
        ir::Stmt sequence; ///< keeps the node alive, whose address is the key
        ir::BufferMap<Indices> buffers;
        ir::VarMap<Indices> vars;
    };

    const Users &usersIn(const ir::Stmt &sequence);

    std::unordered_map<const ir::Seq *, Users> m_known;
};

} // namespace nestwright::analysis
