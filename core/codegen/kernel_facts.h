// SPDX-License-Identifier: Apache-2.0
/// Facts about kernels that split-host-device left, for those who write their code.
#pragma once

#include "core/ir/build/walk.h"
#include "core/ir/node/stmt.h"
#include "core/ir/threads.h"

#include <array>

namespace nestwright::codegen {

using ThreadExtents = std::array<std::int64_t, ir::threadDimensions>;

/// The memory that a kernel stores to.
ir::VarSet writtenIn(const ir::Stmt &body);

/// The number of threads along each axis of a block; −1 where it is not constant.
ThreadExtents threadsOf(const ir::Stmt &body);

} // namespace nestwright::codegen
