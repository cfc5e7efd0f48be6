// SPDX-License-Identifier: Apache-2.0
/// Statements that read again what those before them read, as the stages of a normalisation read a row.
#pragma once

#include "core/ir/node/stmt.h"

#include <cstdint>
#include <vector>

namespace nestwright::analysis {

/// Statements of a sequence that read again more than `bytes` of a buffer that one before them read: a
/// compiler that unrolled their loops whole would keep so much from there on. Loops of unknown extents count
/// as short.
std::vector<bool> repeatedReads(const std::vector<ir::Stmt> &sequence, std::int64_t bytes);

} // namespace nestwright::analysis
