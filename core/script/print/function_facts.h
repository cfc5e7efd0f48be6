// SPDX-License-Identifier: Apache-2.0
/// Facts about a function that a printer needs before it writes the first line.
#pragma once

#include "core/ir/build/walk.h"
#include "core/ir/node/function.h"

namespace nestwright::script {

struct FunctionFacts {
    /// Variables that nothing defines, and those of let expressions, in the order of their first use:
    /// TVMScript wants `x = T.int32()` for them.
    std::vector<ir::Var> freeVars;
    /// Buffers that are used but declared nowhere, by the pointer they view.
    ir::VarMap<std::vector<ir::Buffer>> undeclared;
    /// Undeclared buffers whose pointer nothing defines either.
    std::vector<ir::Buffer> orphans;
    /// Parameters whose own handle is used, so that they cannot be written as `A: T.Buffer(…)`.
    ir::VarSet usedHandles;
};

FunctionFacts factsOf(const ir::PrimFunc &function);

/// A stride or element offset of `buffer` that is a variable which only this declaration can define.
bool definesInline(const ir::Buffer &buffer, const ir::Expr &e);

} // namespace nestwright::script
