// SPDX-License-Identifier: Apache-2.0
/// The time of straight code that runs again and again, by LLVM's models of processors.
#pragma once

#include "core/backend/llvm/machine.h"
#include "core/backend/llvm/read/assembly_loops.h"
#include "core/backend/vector_unit.h"

#include <vector>

namespace llvm {
class MCInst;
}

namespace nestwright::backend {

/// Adds to the loop what the instructions tell by themselves (loads, stores, branches, calls) and, where no
/// loop lies within it, its time. The method is that of llvm-mca: the instructions pass through a simulation
/// of the processor, many iterations in a row. Both arms of a branch count.
void addThroughput(AssemblyLoop &loop, const Machine &machine);

/// The same of a loop whose instructions are known as LLVM has them, without those of loops within it.
void addThroughput(LoopCode &loop, const std::vector<llvm::MCInst> &instructions, const Machine &machine);

/// Sets how fast the processor multiplies, adds and loads vectors, as it does many of them, and one after the
/// other; nothing where LLVM has no model of it.
void addVectorRates(VectorUnit &unit, const Machine &machine);

} // namespace nestwright::backend
