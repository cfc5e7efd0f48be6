// SPDX-License-Identifier: Apache-2.0
/// Random programs of floating-point arithmetic for fuzzing: what rounds, in all types.
#pragma once

#include "tests/support/random.h"

#include <string>

namespace nestwright::tests {

/// A TVMScript function of one to four stages over a matrix: element-wise functions, quotients, choices and
/// casts to integers and back, sums, products, maxima and sums of squares of rows, some begun with a bias or
/// kept in a wider type, softmax and normalisation, matrix products, windows, and sums into the output of a
/// stage before. In float16, bfloat16, float32 or float64, with rows of up to a thousand elements.
std::string randomArithmetic(Random &random);

} // namespace nestwright::tests
