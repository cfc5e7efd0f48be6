// SPDX-License-Identifier: Apache-2.0
/// Checks that tests share: programs compared by their results.
#pragma once

#include "core/interp/interpreter.h"

#include <optional>
#include <source_location>
#include <string>

namespace nestwright::tests {

struct Equivalence {
    std::uint64_t seed = 1;
    interp::Sizes sizes = {};  ///< symbolic sizes by name; others are made up
    bool exactFloats = false;  ///< no sum may be reordered
    int runs = 1;              ///< with seeds seed, seed + 1, …
    bool extremes = false;     ///< NaN, infinities and the ends of integers among the arguments
    bool findRaces = false;    ///< between threads of the second
    bool findUnwritten = true; ///< memory that the second reads and nobody wrote
};

/// Runs both functions on the same random arguments and says where they differ: in an error, or in the worst
/// element of an argument's array. Integers must be the same, floats within the tolerance of their type.
/// Nothing when they agree.
std::optional<std::string> whyNotEquivalent(const ir::PrimFunc &expected, const ir::PrimFunc &actual,
                                            const Equivalence &options = {});
/// Every function of `expected` against the one of that name (or the only ones of both).
std::optional<std::string> whyNotEquivalent(const ir::Module &expected, const ir::Module &actual,
                                            const Equivalence &options = {});

/// Fails the running test, at the caller's line, where the modules do not compute the same. Returns whether
/// they do.
bool checkEquivalent(const ir::Module &expected, const ir::Module &actual, const Equivalence &options = {},
                     std::source_location where = std::source_location::current());

/// The worst element of `actual` where it is outside the tolerance of its type for sums of `terms`, as a
/// sentence; nothing when all agree.
std::optional<std::string> whyNotClose(const ir::NdArray &expected, const ir::NdArray &actual,
                                       bool exactFloats = false, std::int64_t terms = 1);
/// Terms of the longest sum of a function of constant extents.
std::int64_t termsOf(const ir::PrimFunc &function);

} // namespace nestwright::tests
