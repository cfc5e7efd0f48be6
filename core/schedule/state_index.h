// SPDX-License-Identifier: Apache-2.0
/// The derived facts of a State, made when first asked for.
#pragma once

#include "core/analysis/kernel/index.h"
#include "core/schedule/state.h"

#include <mutex>

namespace nestwright::schedule {

class StateIndex {
public:
    /// Functions that `previous` (may be null) has too share its facts.
    StateIndex(const ir::Module &module, const StateIndex *previous);

    /// The index of the function that holds `id`; null when none does.
    const analysis::FunctionIndex *of(StmtId id) const;
    /// The index of the function `name`; null when there is none.
    const analysis::FunctionIndex *function(std::string_view name) const;
    /// The name of the function that holds `id`; empty when none does.
    std::string functionName(StmtId id) const;

private:
    struct Facts {
        std::string name;
        ir::Function function;
        std::once_flag once;
        std::unique_ptr<analysis::FunctionIndex> index;
        const analysis::FunctionIndex &get();
    };
    std::vector<std::shared_ptr<Facts>> m_facts;
};

/// A state of `module`, in which every loop and block has an id already.
State stateOf(ir::Module module, ir::IdCounter ids, const StateIndex *previous = nullptr);

} // namespace nestwright::schedule
