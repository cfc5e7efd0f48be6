// SPDX-License-Identifier: Apache-2.0
/// Random programs of blocks for fuzzing.
#pragma once

#include "tests/support/random.h"

#include <string>

namespace nestwright::tests {

/// All: booleans, floats of 16 bits, dimensions of 0 and blocks that read what they have written before, too;
/// of steps large factors. The same seeds give other programs.
enum class Breadth { Usual, All };

/// A TVMScript function of two to four blocks, each using the results of some before it, or changing them in
/// place: element-wise, broadcast, transposed, reshaped, padded, picked by an input of indices, guarded
/// against what would go wrong, a window, a reduction of rows or to a scalar, or a matrix product, on small
/// sizes of all kinds and types, some of them symbolic, some blocks with loops that a predicate ends.
/// Everything made is used or an output. A few modules have two functions. Scans and dimensions of 0 are
/// among all.
std::string randomProgram(Random &random, Breadth breadth = Breadth::Usual);

} // namespace nestwright::tests
