// SPDX-License-Identifier: Apache-2.0
/// Lowering of tensor expressions to a TensorIR function of blocks.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"
#include "core/te/tensor.h"

#include <span>

namespace nestwright::te {

/// A parameter of the function: a tensor, or a scalar (a symbolic size).
struct Argument {
    Tensor tensor;
    Var scalar;

    Argument(Tensor t) : tensor(std::move(t)) {}
    Argument(Var v) : scalar(std::move(v)) {}
};

/// The function that computes `arguments`: one block per computed tensor, named as the tensor (made unique
/// with _1, _2, …), tensors that are no argument allocated at the root, blocks with their read and write
/// regions. Loops and blocks carry no StmtId yet. The same function as TVM's te.create_prim_func gives,
/// except that `init` and `where` of a reduction are kept.
///
/// Errors: "te.no-arguments", "te.missing-argument" (a placeholder that is needed is not among `arguments`),
/// "te.duplicate-argument".
support::Result<ir::Function> createPrimFunc(std::span<const Argument> arguments,
                                             const std::string &name = "main");
inline support::Result<ir::Function> createPrimFunc(std::initializer_list<Argument> arguments,
                                                    const std::string &name = "main")
{
    return createPrimFunc(std::span(arguments.begin(), arguments.size()), name);
}

/// A module of that one function under its name, with ids.
support::Result<ir::Module> createModule(std::span<const Argument> arguments,
                                         const std::string &name = "main");

} // namespace nestwright::te
