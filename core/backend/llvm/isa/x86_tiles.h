// SPDX-License-Identifier: Apache-2.0
/// Tile registers of Intel's processors (AMX).
#pragma once

#include "core/backend/llvm/isa/tile_unit.h"

namespace nestwright::backend {

const TileUnit &x86Tiles();

} // namespace nestwright::backend
