// SPDX-License-Identifier: Apache-2.0
/// Programs that many tests share, as TVMScript text.
#pragma once

#include "core/ir/node/function.h"
#include "tests/support/random.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::tests {

struct Program {
    std::string_view name;
    std::string_view text;
    std::string_view about;
};

/// All of them; each is well-formed, and completely annotated with reads and writes unless its name says
/// otherwise.
///   matmul         C = A @ B, 128 × 128 × 128, block "C"
///   matmul_small   the same, 4 × 6 × 8 and int32
///   mm_relu        matmul "C", then "D" = max(C, 0): C is a function-level buffer
///   elementwise    "B" = A * 2, then "C" = B + 1, 128 × 128
///   two_axis       three chained element-wise blocks on 64 × 32
///   conv2d_pad     "pad" with T.if_then_else, then "conv": 1 × 8 × 14 × 14, 16 filters of 3 × 3
///   softmax        row maximum, exponentials, row sum, quotient
///   row_sum        "B" = sum of the rows of A, 128 × 64
///   predicate      matmul rows split by hand with T.where
///   symbolic       element-wise over n × m, both symbolic
///   integers       int8 × int8 → int32 matmul
///   scalar         a sum into a buffer of no dimensions
///   opaque         a block with an if and a while, in an explicit root block
///   lowered        flat buffers, an allocation in a parallel loop, vector accesses
std::span<const Program> programs();

/// The text of one; aborts when there is none of that name.
std::string_view programText(std::string_view name);

/// Parses `text` and aborts with the message when that fails.
ir::Module parsed(std::string_view text);

/// parsed(programText(name))
ir::Module program(std::string_view name);

/// The text of one of them, by chance.
std::string anyProgram(Random &random);
/// The tokens of all their texts.
std::vector<std::string> tokenPool();

} // namespace nestwright::tests
