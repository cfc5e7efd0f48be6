// SPDX-License-Identifier: Apache-2.0
/// The passes over graphs; `passes.cpp` lists them.
#pragma once

#include "core/graph/graph.h"

namespace nestwright::graph {

Function inlineFunctions(const Function &function);
Function simplifyInference(const Function &function);
Function canonicalize(const Function &function);
Function foldConstant(Function function);
Function foldScaleAxis(const Function &function);
Function combineParallelConv2d(const Function &function);
Function combineParallelDense(const Function &function);
Function eliminateCommonSubexpr(const Function &function);
Function alterOpLayout(const Function &function);
Function convertLayout(const Function &function);
Function splitDilatedConv2d(const Function &function);
Function winogradConv2d(const Function &function);
Function flattenPointwise(const Function &function);
Function fuseAttention(const Function &function);
Function packDense(Function function);
Function fuseOps(const Function &function);

} // namespace nestwright::graph
