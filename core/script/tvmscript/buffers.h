// SPDX-License-Identifier: Apache-2.0
/// Reading the declarations of buffers: T.Buffer, T.alloc_buffer, T.match_buffer, T.decl_buffer.
#pragma once

#include "core/script/tvmscript/expr.h"

namespace nestwright::script {

/// Takes the arguments that all of them share (shape, dtype, data, strides, …). `source` is the region that a
/// T.match_buffer inside a block matches: shape and type follow from it where they are not given.
ir::Buffer readBuffer(CallArgs &args, const std::string &name, const ir::BufferRegion *source = nullptr);

/// Both of one type: a constant adapts, else the narrower is widened.
void unifyTypes(ir::Expr &a, ir::Expr &b);

} // namespace nestwright::script
