// SPDX-License-Identifier: Apache-2.0
/// Sorting within a block of TVMScript.
#pragma once

#include <cstdint>
#include <string>

namespace nestwright::ops {

/// Keys to be sorted, and in which order.
struct ScriptSort {
    std::string keyType;
    std::int64_t most = 0; ///< keys there may be
    std::string count;     ///< how many there are, as an expression
    bool largestFirst = true;
};

/// Whether `key` stands before `other`, as TVMScript; NaN counts as the largest number.
std::string scriptStandsBefore(const std::string &key, const std::string &other, const std::string &keyType,
                               bool largestFirst);
/// Declares the buffers of a sort: `keys` and `places`, both 2 × (most + 1); the caller fills row 0 of each.
std::string scriptSortBuffers(const ScriptSort &sort);
/// Sorts both by the keys, equal ones as they stood: merges runs of 1, 2, 4 … (von Neumann's merge sort).
std::string scriptSortStatements(const ScriptSort &sort);
/// The row of `keys` and `places` that holds the result.
int scriptSortedRow(const ScriptSort &sort);

} // namespace nestwright::ops
