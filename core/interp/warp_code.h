// SPDX-License-Identifier: Apache-2.0
/// Code of the intrinsics that exchange values between the threads of a warp.
#pragma once

#include "core/interp/frame.h"
#include "core/ir/node/expr.h"

#include <optional>

namespace nestwright::interp {

/// Whether threads meet in the call: a barrier, a shuffle, or a look at who is active.
bool isMeeting(const ir::Call &call);

/// Code of T.tvm_warp_shuffle(mask, value, lane, width, warp size), the same up and down by so many lanes,
/// and T.tvm_warp_activemask; nothing for other calls. Code: "interp.inactive-lane" where the thread asked
/// does not run the statement.
std::optional<ValueCode> makeWarpIntrinsic(const ir::Call &call, std::vector<ValueCode> &args,
                                           const CodePlace &place);

} // namespace nestwright::interp
