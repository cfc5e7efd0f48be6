// SPDX-License-Identifier: Apache-2.0
/// Whether a candidate computes the results of the reference, as far as its type can tell.
#pragma once

#include "core/ir/ndarray.h"
#include "core/support/errors/diagnostic.h"

#include <optional>
#include <span>
#include <string>

namespace nestwright::measure {

/// For results without bounds of their own: sums may be taken in another order, which changes how they are
/// rounded; by how much depends on the type and on how many terms there are.
struct Tolerance {
    double relative = 1e-4;
    double absolute = 1e-5; ///< times the root mean square of the expected values
    std::int64_t terms = 1; ///< of the longest sum
};

/// The reference's results of one buffer.
struct Expected {
    const ir::NdArray &results;           ///< of the declared type
    const ir::NdArray *precise = nullptr; ///< the same in double precision; with bounds only
    const ir::NdArray *bounds = nullptr;  ///< of each element, how far rounding may lead from `precise`
};

/// Results of an argument among all: with bounds where `bounded` names it (BoundedProgram), and they are
/// there.
Expected expectedOf(std::size_t buffer, std::span<const ir::NdArray> results,
                    std::span<const ir::NdArray> precise, std::span<const ir::NdArray> bounds,
                    std::span<const std::size_t> bounded);

/// The element that is furthest out of bounds.
struct Excess {
    std::int64_t index = 0;
    double expected = 0, actual = 0;
    double bound = 0;                ///< that was allowed there
    std::optional<double> precise{}; ///< its value in double precision
};

struct Comparison {
    std::optional<Excess> excess; ///< nothing where every element is within its bound
    double largestShare = 0;      ///< of `Expected::bounds`, that an element takes; 0.1: a tenth at most
};

/// Integers are equal or not, but where they come from floating-point numbers and have bounds. Where there
/// are bounds, an element may be as far from `precise` as its bound says, or four times as far as the
/// reference itself is, and `tolerance.relative` of it further. Where the reference has overflowed on the
/// way, it is not finite, or near `precise` as another order of `tolerance.terms` terms may be.
Comparison compared(const Expected &expected, const ir::NdArray &actual, const Tolerance &tolerance);
/// The excess that `compared` finds.
std::optional<Excess> firstExcess(const Expected &expected, const ir::NdArray &actual,
                                  const Tolerance &tolerance);

/// Elements that tell a right result from a wrong one.
struct Telling {
    std::int64_t elements = 0, told = 0; ///< those with a finite bound
    bool allEqual = true;                ///< all that are told have one value

    void add(const Telling &other);
    /// Whether a wrong result would be seen, as far as there are results.
    bool tells() const { return told > 0 || elements == 0; }
};
Telling tellingOf(const Expected &expected);
/// Error "measure.untold".
support::Diagnostic tellNothing();

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
