// SPDX-License-Identifier: Apache-2.0
/// Random schedule steps for fuzzing, made from the descriptions of the primitives alone.
#pragma once

#include "core/schedule/apply.h"
#include "tests/support/random_program.h"

namespace nestwright::tests {

/// A step with arguments of the right kinds, legal or not.
schedule::Step randomStep(const schedule::State &state, Random &random, Breadth breadth = Breadth::Usual);

/// A random program (random_program.h) under about seven random steps, always the same for a seed.
schedule::State randomlyScheduled(std::uint64_t seed);

} // namespace nestwright::tests
