// SPDX-License-Identifier: Apache-2.0
/// Integer arguments used as indices into other arrays, and the values that keep these in bounds.
#pragma once

#include "core/ir/node/function.h"

#include <cstdint>
#include <map>
#include <string>

namespace nestwright::analysis {

/// The values that keep every access within bounds, both ends counted.
struct IndexRange {
    std::int64_t low = 0, high = 0;
    bool isAscending =
        false; ///< neighbours are the two ends of a loop, as the row pointers of a sparse matrix are

    bool operator==(const IndexRange &) const = default;
};

/// Ranges of the integer parameters that serve as indices, by parameter. An index counts where it is a sum of
/// one loaded value, times a constant, and loop variables; values that went through arrays of the function's
/// own are followed. Others are left out: they are not indices, or their range is not plain. `sizes`:
/// symbolic sizes by name; an array of unknown size bounds nothing.
std::map<std::size_t, IndexRange> indexInputs(const ir::PrimFunc &function,
                                              const std::map<std::string, std::int64_t> &sizes = {});

} // namespace nestwright::analysis
