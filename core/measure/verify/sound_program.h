// SPDX-License-Identifier: Apache-2.0
/// Programs whose result is chance, however often it comes out right.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"

#include <string>

namespace nestwright::measure {

/// Refuses the function of that name where iterations of a T.parallel loop may touch the same element
/// ("analysis.parallel-conflict"), where an access certainly leaves its buffer ("analysis.out-of-bounds") or
/// where memory is read that nobody writes ("analysis.unwritten"), with their lines in the program as it is
/// printed.
support::Result<void> requireSound(const ir::Module &module, const std::string &function);

/// Whether it may read what neither it nor its caller has written: memory of its own, or beside its
/// arguments.
bool mayReadUnknown(const ir::PrimFunc &function);

/// Whether it takes memory besides its arguments.
bool hasOwnMemory(const ir::PrimFunc &function);

} // namespace nestwright::measure
