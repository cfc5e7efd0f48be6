// SPDX-License-Identifier: Apache-2.0
/// The passes over graphs; `passes.cpp` lists them.
#pragma once

#include "core/graph/graph.h"
#include "core/target/machine.h"

namespace nestwright::graph {

Function inlineFunctions(const Function &function);
Function simplifyInference(const Function &function);
Function canonicalize(const Function &function);
Function foldConstant(Function function);
Function foldScaleAxis(const Function &function);
Function combineParallelConv2d(const Function &function, const target::Machine &machine);
Function combineParallelDense(const Function &function, const target::Machine &machine);
Function eliminateCommonSubexpr(const Function &function);
Function alterOpLayout(const Function &function, const target::Machine &machine);
Function convertLayout(const Function &function);
Function splitDilatedConv2d(const Function &function);
Function winogradConv2d(const Function &function, const target::Machine &machine);
Function flattenPointwise(const Function &function, const target::Machine &machine);
Function fuseAttention(const Function &function);
Function packDense(Function function, const target::Machine &machine);
Function fuseOps(const Function &function);

} // namespace nestwright::graph
