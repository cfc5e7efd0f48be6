// SPDX-License-Identifier: Apache-2.0
/// Random programs of blocks for fuzzing.
#pragma once

#include "tests/support/random.h"

#include <string>

namespace nestwright::tests {

/// A TVMScript function of two to four blocks, each of which uses what some before it make: element-wise, broadcast, transposed,
/// reshaped, a window, a row reduction or a matrix product, on small sizes of all kinds. Everything made is used or an output.
std::string randomProgram(Random &random);

} // namespace nestwright::tests
