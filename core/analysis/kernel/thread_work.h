// SPDX-License-Identifier: Apache-2.0
/// Work of a function that threads share, and what the busiest of them does.
#pragma once

#include "core/analysis/kernel/index.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright::analysis {

/// Work is in runs of blocks, each as long as the operations in it, and at least as one.
struct ThreadWork {
    /// A parallel loop that stands in no other.
    struct Loop {
        StmtId id;
        std::int64_t iterations = 1;
        double times = 1; ///< it runs
        double work = 0;  ///< of all its iterations, each time
    };
    std::vector<Loop> loops; ///< in program order
    double serial = 0;       ///< of one thread, outside of them

    double parallel() const;
};

/// Nothing where the number of a loop's iterations is not known.
std::optional<ThreadWork> threadWorkOf(const FunctionIndex &index);

/// Work of the busiest of `threads` over that of each, were all shared out evenly: at least 1. The iterations
/// of a loop are shared out, not parts of one; of equal length, as all but the last mostly are.
double imbalanceOf(const ThreadWork &work, int threads);

} // namespace nestwright::analysis
