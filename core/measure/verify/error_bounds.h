// SPDX-License-Identifier: Apache-2.0
/// A program in double precision that carries, beside each value, a bound on the rounding errors of whoever
/// computes the same in the declared types.
#pragma once

#include "core/ir/node/function.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::measure {

/// How roundings of sums are bounded.
enum class BoundsOfSums : std::uint8_t {
    Tight, ///< by the sums on the way too, where terms cancel: two square roots a term
    Quick, ///< by the magnitudes of the terms alone
};

/// The module with one function, and where its bounds are passed.
struct BoundedProgram {
    ir::Module module;
    /// Buffer parameters, counted among themselves, that have bounds. Those are further parameters behind all
    /// others, in this order: float64, of the shape of the buffer, to be zero before the call.
    std::vector<std::size_t> bounded;
};

/// `function` of the module, every floating-point value in float64 and followed by a bound on its error, as
/// running error analysis has it (J. H. Wilkinson; N. J. Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd edition, 3.3). The terms of a sum may be added in any order: each of n terms t adds at
/// most (min(n, 4√n) + 1)·u·|t|, for the unit roundoff u of the sum's type (probabilistic analysis: N. J.
/// Higham and T. Mary, SIAM J. Sci. Comput. 41(5), 2019). Where terms cancel, less: eight times the root of
/// the sum of squares of u·s, for all sums s on the way, and of u·√n·t (by sums on the way: E. Hallman and I.
/// C. F. Ipsen, Numer. Math. 155, 2023). The bound is infinite where rounding decides what happens: an
/// overflow of the declared type, a logarithm that may become one of a negative number, NaN in a maximum.
///
/// Nothing where that would be another program: one that looks at the bits of floats, computes with vectors
/// or addresses, lays buffers of several types over one memory, or loops until a value is reached.
std::optional<BoundedProgram> withErrorBounds(const ir::Module &module, const std::string &function,
                                              BoundsOfSums sums = BoundsOfSums::Tight);

/// Half the distance from 1 to the next number of the type; 0 for integers.
double unitRoundoff(ir::DataType dtype);

} // namespace nestwright::measure
