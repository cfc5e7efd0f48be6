// SPDX-License-Identifier: Apache-2.0
/// Intrinsics that are short for others: the meaning of those of LLVM, and products of fixed-point numbers;
/// and the one that says no more than its argument.
#pragma once

#include "core/ir/node/expr.h"

#include <optional>
#include <string>

namespace nestwright::ir {

/// The call's value in plainer intrinsics and operators, lane by lane; null where `call` is none that is
/// short for others. Throws support::UserError "type.mismatch" where intrinsicFault names a fault.
Expr meaningOf(const Call &call);

/// The value that `call` (T.tvm_thread_invariant) says to be the same for all threads of a block; null where
/// it says nothing.
Expr threadInvariantOf(const Call &call);

/// The fault in the arguments of an intrinsic of LLVM that is known here, of `reinterpret` and of products of
/// fixed-point numbers, in words; nothing where there is none.
std::optional<std::string> intrinsicFault(const Call &call);

/// Whether it calls an intrinsic of LLVM by the name in its first argument.
bool isLlvmCall(const Call &call);

/// The name that `call` gives to an intrinsic of LLVM, without the types behind it: "llvm.sqrt" for
/// "llvm.sqrt.v4f32". Empty where it calls none by a name.
std::string llvmIntrinsicName(const Call &call);

/// The arguments of that intrinsic: without its name, and without the number of types that older versions
/// give.
std::vector<Expr> llvmArguments(const Call &call);

} // namespace nestwright::ir
