// SPDX-License-Identifier: Apache-2.0
/// The machine that runs the program, as predictions and findings take it.
#pragma once

#include "core/target/machine.h"
#include "core/target/target.h"

namespace nestwright::measure {

/// Threads that a target's parallel loops use on this machine.
int threadsOf(const target::Target &target);

/// This machine: as it was measured for this number of threads, else as wide as its processor says and as
/// fast as is usual.
target::Machine thisMachine(int threads);

/// This machine as code for `target` uses it: with the vectors and registers of the instruction set, which
/// may be those of another processor, and the target's threads.
target::Machine machineOf(const target::Target &target);

} // namespace nestwright::measure
