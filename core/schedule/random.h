// SPDX-License-Identifier: Apache-2.0
/// Random choices that a seed fixes: the same as those of TVM's schedules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nestwright::schedule {

/// The linear congruential generator of Park and Miller with the multiplier 48271, as TVM's schedules use it.
class Random {
public:
    using result_type = std::uint64_t;

    /// Any number; 0 counts as 1.
    explicit Random(std::int64_t seed = 1);

    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return modulus - 1; }
    result_type operator()();

    /// min <= result < max
    std::int32_t between(std::int32_t min, std::int32_t max);
    /// An index, each with a probability in proportion to its weight.
    std::size_t weighted(std::span<const double> weights);
    /// `count` different numbers of [0, end).
    std::vector<std::int32_t> different(std::int32_t end, std::int32_t count);

private:
    static constexpr std::int64_t modulus = 2147483647;
    std::int64_t m_state;
};

/// `parts` factors, outermost first, whose product is `extent` (1 or more), all such with the same
/// probability for each prime.
std::vector<std::int64_t> perfectTile(Random &random, std::int64_t extent, std::int64_t parts);

} // namespace nestwright::schedule
