// SPDX-License-Identifier: Apache-2.0
/// Applying steps: the one way in which a schedule changes.
#pragma once

#include "core/schedule/primitive.h"

namespace nestwright::schedule {

/// The state after `step`, or why it is not legal; `state` itself never changes. The same step on the same
/// state always gives the same ids.
Result<Applied> apply(const State &state, const Step &step);

/// Whether `apply` would succeed (a dry run): nothing, or the reason why not.
Result<void> check(const State &state, const Step &step);

/// A composite step as the steps it stands for, any other as itself.
Result<std::vector<Step>> expand(const State &state, const Step &step);

/// Short, for a history: `split(i, [None, 4])`. `state` is the one before the step; arguments with their
/// default value are left out.
std::string describe(const Step &step, const State &state);
/// The arguments that tell the step from others of its kind, as short as can be: "i 32,32" of
/// "tile(i, j, 32, 32)"; may be empty.
std::string gist(const Step &step, const State &state);

/// Name of a loop's variable or of a block; "#7" where the state has no such statement.
std::string nameOf(const State &state, StmtId id);

} // namespace nestwright::schedule
