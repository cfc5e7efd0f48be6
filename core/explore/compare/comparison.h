// SPDX-License-Identifier: Apache-2.0
/// Two variants of one kernel, loop by loop.
#pragma once

#include "core/explore/compare/loop_pairs.h"
#include "core/explore/compare/metrics.h"
#include "core/explore/compare/variant_facts.h"

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace nestwright::explore {

/// A variant to compare, with the name that it is told by.
struct Side {
    std::string name;
    StepPath path;
};

struct Comparison {
    VariantFacts first, second;
    std::vector<LoopPair> pairs;  ///< of loops
    std::vector<LoopPair> blocks; ///< that both have
    /// The difference that matters most, without a period: "the innermost loop computes 16 numbers at a time
    /// in 'b', one in 'a'"; "the machine code of both is the same"; or that no difference is known to cost
    /// time.
    std::string sentence;
    bool isSameCode = false; ///< of machine code; false where none is made here
    /// For a variant compared with a peer: the difference that matters most, where one is known to cost time,
    /// in the form of `sentence`, which then describes the inner loops.
    std::string reason{};
    /// Measured seconds of a call, where they are known.
    std::pair<std::optional<double>, std::optional<double>> seconds{};

    /// Metrics in which some loop has a value that is not 0.
    std::vector<const Metric *> metrics() const;
    MetricPair metricPair(const Metric &metric, const LoopPair &loops) const;
};

/// `first` and `second` come from the same program. `threads`: that parallel loops use. Errors: those of
/// backend::loopCode and backend::source, "cancelled".
support::Result<Comparison> compare(const Side &first, const Side &second, const target::Target &target,
                                    int threads, const std::stop_token &stop = {});

} // namespace nestwright::explore
