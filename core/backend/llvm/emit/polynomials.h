// SPDX-License-Identifier: Apache-2.0
/// Elementary functions of float32 scalars and vectors as straight-line code, so that loops over them
/// vectorise.
///
/// Relative error at most 2.5e-7 for exp, 5e-7 for the others, over the whole range; overflow, underflow,
/// infinities and NaN as the C library gives them. The polynomials are fits of our own (scripts are
/// not needed to change them: each table's comment names the function and the range).
#pragma once

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace nestwright::backend {

/// Instructions of a machine beyond the arithmetic that all have, on vectors of so many lanes.
struct FloatUnit {
    int lanes = 0; ///< 0: it has none
    /// power · 2ⁿ; NaN stays NaN.
    llvm::Value *(*scaled)(llvm::IRBuilderBase &builder, llvm::Value *power, llvm::Value *n) = nullptr;
    /// x between −bound and bound; the bound for NaN.
    llvm::Value *(*bounded)(llvm::IRBuilderBase &builder, llvm::Value *x, llvm::Value *bound) = nullptr;
};

llvm::Value *emitExp(llvm::IRBuilderBase &builder, llvm::Value *x, FloatUnit unit);
llvm::Value *emitTanh(llvm::IRBuilderBase &builder, llvm::Value *x, FloatUnit unit);
llvm::Value *emitSigmoid(llvm::IRBuilderBase &builder, llvm::Value *x, FloatUnit unit);
llvm::Value *emitErf(llvm::IRBuilderBase &builder, llvm::Value *x);

} // namespace nestwright::backend
