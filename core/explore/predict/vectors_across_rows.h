// SPDX-License-Identifier: Apache-2.0
/// Vectors that go from row to row, in place of those that go beyond their row.
#pragma once

#include "core/ir/node/function.h"

namespace nestwright::explore {

/// Descriptions of processors' instructions load 64 neighbours from row 0 of the 16 x 4 elements that they
/// match, which are one piece of memory. Here such vectors of consecutive elements of a matched buffer,
/// longer than its rows, have the row and column of each lane, so that bounds hold for each dimension.
ir::Module withVectorsAcrossRows(const ir::Module &module);

} // namespace nestwright::explore
