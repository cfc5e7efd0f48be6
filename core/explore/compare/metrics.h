// SPDX-License-Identifier: Apache-2.0
/// The figures in which loops are compared.
#pragma once

#include "core/explore/compare/variant_facts.h"

#include <span>
#include <string_view>

namespace nestwright::explore {

struct Metric {
    std::string_view name;  ///< for programs: "spills"
    std::string_view title; ///< of a column: "spill"
    std::string_view help;  ///< one sentence
    /// The better direction. Neither: iterations of machine code may do different amounts of work,
    /// so that their instructions are not comparable.
    enum class Better : std::uint8_t { Neither, Less, More } better;
    std::optional<double> (*value)(const LoopView &loop);
    std::string (*text)(double value); ///< as people read it
};

/// Trips, bytes, the cache that holds them, instructions by kind, cycles, …
std::span<const Metric> metrics();

/// "850", "2.50 M", "67.1 M".
std::string cyclesText(double cycles);

/// A metric of two loops that stand beside each other, as people read it.
struct MetricPair {
    std::optional<double> first, second;
    std::string firstText, secondText; ///< "–" where a value is not known
    int better = 0; ///< −1: the first is better, 1: the second, 0: neither, or one is not known

    bool isSame() const { return firstText == secondText; }
    bool isKnown() const { return first || second; }
};

/// A loop that is null has no values. Of differences below a hundredth neither side is better.
MetricPair pairOf(const Metric &metric, const LoopView *first, const LoopView *second);

} // namespace nestwright::explore
