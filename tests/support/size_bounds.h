// SPDX-License-Identifier: Apache-2.0
/// Upper bounds of the loops, copies and elements of a program, to leave out those that take too long to run.
#pragma once

#include "core/ir/node/function.h"

namespace nestwright::tests {

/// How often the loop nest runs that runs most often, loops of unknown length once.
double mostIterations(const ir::Module &module);
/// Upper bound of the copies of a statement that unrolled and vectorized loops make.
double mostCopies(const ir::Module &module);
/// The most elements of a buffer that a block allocates or a function takes; symbolic sizes count as 1.
double mostElements(const ir::Module &module);

} // namespace nestwright::tests
