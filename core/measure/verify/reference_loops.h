// SPDX-License-Identifier: Apache-2.0
/// Loop nests of the reference, laid so that they come to their end soon.
#pragma once

#include "core/ir/node/function.h"

namespace nestwright::measure {

/// The module where each nest around one block of a plain form, each element of whose result is written in
/// iterations of its own, runs with the loop along the result's rows innermost and the first loop over the
/// result in parallel: every element is computed by the same operations in the same order, so that results
/// are the same bit by bit. No primitive of the schedules that are to be judged has a part in it. Nests of
/// any other form stay as they are.
ir::Module withQuickLoops(const ir::Module &module);

} // namespace nestwright::measure
