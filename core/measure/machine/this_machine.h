// SPDX-License-Identifier: Apache-2.0
/// The machine that runs the program, as predictions and findings take it.
#pragma once

#include "core/target/machine.h"
#include "core/target/target.h"

#include <optional>

namespace nestwright::measure {

/// Threads that a target's parallel loops use on this machine.
int threadsOf(const target::Target &target);

/// This machine: as it was measured for this number of threads, else as wide as its processor says and as
/// fast as is usual.
target::Machine thisMachine(int threads);

/// Names a file of a machine (target::readMachine) that takes the place of this one: NESTWRIGHT_MACHINE.
/// Nothing where it is not set. Errors: those of reading it.
support::Result<std::optional<target::Machine>> givenMachine();

/// The machine of givenMachine, else this one, as code for `target` uses it: with the vectors and registers
/// of the instruction set, which may be those of another processor, that processor's caches where it has a
/// name that tells them (target::cachesOf), and the target's threads.
target::Machine machineOf(const target::Target &target);

/// The same without the rates, which differ from one measurement to the next: what schedules are made for.
target::Machine machineToScheduleFor(const target::Target &target);

} // namespace nestwright::measure
