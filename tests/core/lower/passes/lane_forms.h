// SPDX-License-Identifier: Apache-2.0
/// Statements in vectorized loops and their vector forms.
#pragma once

#include "tests/core/lower/passes/bodies.h"

namespace nestwright::tests {

/// Checks the current row of bodies that compute on buffers of numbers, of integers and of logical values.
inline void checkLaneForm()
{
    checkRow("vectorize-loop",
             R"(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32"),
         S: T.Buffer((8,), "float32"), K: T.Buffer((64,), "int32"), J: T.Buffer((64,), "int32"),
         M: T.Buffer((64,), "bool"), n: T.int32)");
}

} // namespace nestwright::tests
