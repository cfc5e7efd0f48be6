// SPDX-License-Identifier: Apache-2.0
/// Random schedule steps for fuzzing, made from the descriptions of the primitives alone.
#pragma once

#include "core/schedule/apply.h"
#include "tests/support/random_program.h"

namespace nestwright::tests {

/// A step with arguments of the right kinds, legal or not.
schedule::Step randomStep(const schedule::State &state, Random &random, Breadth breadth = Breadth::Usual);

/// Primitives that steps for kept outcomes are drawn of: what a seed gives does not change with a new
/// primitive, which has seeds of its own.
bool isDrawnForAll(const schedule::Primitive &primitive);
/// One of those steps; where `about` is a primitive, as often one of it.
schedule::Step lastingStep(const schedule::State &state, Random &random,
                           const schedule::Primitive *about = nullptr);

/// A random program (random_program.h) under about seven lasting steps, always the same for a seed.
schedule::State randomlyScheduled(std::uint64_t seed);

} // namespace nestwright::tests
