// SPDX-License-Identifier: Apache-2.0
/// Parameters of a function as slots of its program.
#pragma once

#include "core/interp/compiler.h"
#include "core/interp/expr_compiler.h"

namespace nestwright::interp {

/// Symbolic sizes, strides and offsets of the parameters become slots that the arguments fill.
void compileParams(const ir::PrimFunc &function, ExprCompiler &exprs, Program &program);

} // namespace nestwright::interp
