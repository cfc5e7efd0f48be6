// SPDX-License-Identifier: Apache-2.0
/// Code of calls of intrinsics and of the C mathematical functions.
#pragma once

#include "core/interp/frame.h"
#include "core/ir/node/expr.h"

namespace nestwright::interp {

/// A call whose arguments are all values, compiled in `args`. Extern calls of well-known C functions ("expf")
/// count as the intrinsics they are. Calls that cannot be run become code that stops with
/// "interp.unknown-extern" or "interp.unsupported".
ValueCode makeIntrinsic(const ir::Call &call, std::vector<ValueCode> args, const CodePlace &place);

} // namespace nestwright::interp
