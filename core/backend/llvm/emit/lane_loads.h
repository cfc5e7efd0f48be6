// SPDX-License-Identifier: Apache-2.0
/// Loads of numbers that lie side by side, each to be broadcast, as loads of whole vectors.
#pragma once

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace nestwright::backend {

/// Adds a pass for processors that multiply by one lane of a vector: floats that a block of code loads one by
/// one from neighbouring places, and uses in all lanes alone, are loaded together. It runs at the end, when
/// loops are unrolled and equal loads are one. `vectorBits`: of a register whose lanes are operands.
void addLaneLoads(llvm::PassBuilder &builder, int vectorBits);

} // namespace nestwright::backend
