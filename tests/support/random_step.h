// SPDX-License-Identifier: Apache-2.0
/// Random schedule steps for fuzzing, made from the descriptions of the primitives alone.
#pragma once

#include "core/schedule/apply.h"
#include "tests/support/random.h"

namespace nestwright::tests {

/// A step with arguments of the right kinds, legal or not.
schedule::Step randomStep(const schedule::State &state, Random &random);

} // namespace nestwright::tests
