// SPDX-License-Identifier: Apache-2.0
/// Why one variant is faster than another, by what is known of both.
#pragma once

#include "core/explore/compare/variant_facts.h"

#include <string>
#include <vector>

namespace nestwright::explore {

/// One difference that costs time.
struct Reason {
    std::string sentence; ///< names the variants
    /// Slowdown of the slower one by this alone, above 1: an estimate, to rank reasons by.
    double effect = 1;
    bool favoursFirst = false;
};

/// Facts of the machine that weigh reasons.
struct Weights {
    int threads = 1; ///< that parallel loops use
    /// Bytes in a cycle that come into the caches 1, 2 and 3 from the level behind each, about.
    std::array<double, 3> bytesPerCycle{32, 16, 4};
};

/// All that apply, the one of most effect first: threads that work, numbers computed at a time, strides,
/// traffic between caches, registers put aside, waiting for results. Where none of them says why cycles
/// differ: cycles of an operation.
std::vector<Reason> reasonsFor(const VariantFacts &first, const VariantFacts &second, const Weights &weights);

/// The one that matters most: of those in favour of the variant that is faster by all estimates together the
/// strongest, or the strongest at all. Empty where none applies.
std::string mainReason(const VariantFacts &first, const VariantFacts &second, const Weights &weights);

} // namespace nestwright::explore
