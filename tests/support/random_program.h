// SPDX-License-Identifier: Apache-2.0
/// Random programs of blocks for fuzzing.
#pragma once

#include "tests/support/random.h"

#include <string>

namespace nestwright::tests {

/// A TVMScript function of two to four blocks, each using the results of some before it, or changing them in
/// place: element-wise, broadcast, transposed, reshaped, padded, picked by an input of indices, guarded
/// against what would go wrong, a window, a reduction of rows or to a scalar, or a matrix product, on small
/// sizes of all kinds and types, some of them symbolic, some blocks with loops that a predicate ends.
/// Everything made is used or an output. A few modules have two functions.
std::string randomProgram(Random &random);

} // namespace nestwright::tests
