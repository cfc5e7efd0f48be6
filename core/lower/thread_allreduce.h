// SPDX-License-Identifier: Apache-2.0
/// The statement that reduces a value over the threads of a block.
#pragma once

#include "core/ir/node/stmt.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace nestwright::lower {

/// `T.tvm_thread_allreduce(…)` within `T.attr(T.comm_reducer(…), "reduce_scope", …)`: every thread gets the
/// combination of the values of all threads along some axes.
struct ThreadAllreduce {
    using Values = std::vector<ir::Expr>;

    static constexpr std::string_view scopeKey = "reduce_scope"; ///< of the attribute

    std::function<Values(const Values &, const Values &)> combine;
    Values identities;
    Values values;                ///< of this thread
    ir::Expr condition;           ///< where it does not hold the identities count; null: always
    Values results;               ///< elements that the results are stored to, as loads
    std::vector<ir::Var> threads; ///< of the loops over the threads that take part

    ir::Stmt stmt() const;
    /// Nothing where `s` is another statement. The program must be flat.
    static std::optional<ThreadAllreduce> of(const ir::Stmt &s);
};

} // namespace nestwright::lower
