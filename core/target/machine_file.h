// SPDX-License-Identifier: Apache-2.0
/// Machines as JSON: in sessions, and in files that a person edits.
#pragma once

#include "core/support/errors/result.h"
#include "core/support/text/json_fwd.h"
#include "core/target/machine.h"

#include <string>

namespace nestwright::target {

/// "vector_bytes", "vector_registers", "multiply_adds", "latency", "loads" (Machine::Vectors), "threads",
/// "cores" (fastest first: "count", "threads" of each, "speed"), "memory_nodes", "flops" and "caches",
/// nearest first: "name", "bytes", "ways", "sharers", "line_bytes", "bytes_per_second". Rates are left out
/// where they are not known.
support::Json toJson(const Machine &machine);

/// A machine of these members, fitted to them (fitSizes); those that are missing are as in `otherwise`.
/// Error: "machine.value" (names the member).
support::Result<Machine> machineFrom(const support::Json &json, const Machine &otherwise = tunedMachine());

/// The machine that a file describes. Errors: those of reading it; "machine.file" (no JSON of a machine),
/// "machine.value".
support::Result<Machine> readMachine(const std::string &path, const Machine &otherwise = tunedMachine());

} // namespace nestwright::target
