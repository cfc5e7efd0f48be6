// SPDX-License-Identifier: Apache-2.0
/// The pattern of a reduction: elements, combined with one more term in each step.
#pragma once

#include "core/ir/node/function.h"
#include "core/ir/node/stmt.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace nestwright::analysis {

/// `buffers[i][indices] = combine(buffers[…][indices], terms)[i]`, begun with `identities`. Mostly there is
/// one buffer; an arg-max has two, of the index and of the value.
struct Reduction {
    using Values = std::vector<ir::Expr>;

    std::vector<ir::Buffer> buffers;
    std::vector<ir::Expr> indices;
    Values identities, terms;
    std::optional<ir::BinaryOp> op; ///< of a reduction of one buffer
    std::function<Values(const Values &, const Values &)> combine;
};

/// The reduction that the block carries out. It combines by +, *, min, max, "and" or "or", or two values by +
/// or as the index and value of a maximum or minimum, and begins with an init that leaves a term as it is;
/// its terms read nothing of the results. The new values may be named by lets first, those of several buffers
/// must. Throws support::UserError "schedule.unknown-reducer".
Reduction reductionOf(const ir::Block &block);

/// Terms of the longest sum of the function: the most values that one reduction block takes together for an
/// element. Extents that `numberOf` does not know count as 1.
std::int64_t
longestReduction(const ir::PrimFunc &function,
                 const std::function<std::optional<std::int64_t>(const ir::Expr &extent)> &numberOf);

} // namespace nestwright::analysis
