// SPDX-License-Identifier: Apache-2.0
/// Whether a candidate computes the results of the reference, as far as its type can tell.
#pragma once

#include "core/ir/ndarray.h"

#include <optional>
#include <string>

namespace nestwright::measure {

/// Sums may be taken in another order, which changes how they are rounded: by how much depends on the type
/// and on how many terms there are.
struct Tolerance {
    double relative = 1e-4;
    double absolute = 1e-5; ///< times the root mean square of the expected values
    std::int64_t terms = 1; ///< of the longest sum
};

/// The distance from 1 to the next number of the type, halved; 0 for integers.
double unitRoundoff(ir::DataType dtype);

/// The element that is furthest out of bounds.
struct Excess {
    std::int64_t index = 0;
    double expected = 0, actual = 0;
    double bound = 0;                ///< that was allowed there
    std::optional<double> precise{}; ///< its value in double precision
    double referenceError = 0;       ///< of all elements the largest between `expected` and double precision
};

/// Nothing where every element is within its bound. Integers are equal or not. `precise` holds the
/// reference's results in double precision: then an element may be as far from that as the reference itself
/// is anywhere, several times, and a little more.
std::optional<Excess> firstExcess(const ir::NdArray &expected, const ir::NdArray &actual,
                                  const Tolerance &tolerance, const ir::NdArray *precise = nullptr);

/// The largest difference of two elements in the same place, relative to the expected one, or to the root
/// mean square of all where that is larger: elements that cancel to nearly 0 say nothing. Those that are not
/// finite do not count.
double largestRelativeDifference(const ir::NdArray &expected, const ir::NdArray &actual);
/// "largest relative difference 3.1e-07"
std::string describeDifference(double relative);

/// "wrong result: 'C[3]' is 2.5, but …": with the error, the bound, and why it is that.
std::string describe(const Excess &excess, const std::string &element, ir::DataType dtype,
                     const Tolerance &tolerance);

/// "[3, 5]"
std::string elementIndices(std::int64_t flat, const std::vector<std::int64_t> &shape);

} // namespace nestwright::measure
