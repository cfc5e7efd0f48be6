// SPDX-License-Identifier: Apache-2.0
/// The machine code that a library runs, found by looking where the processor is while it works.
#pragma once

#include "core/backend/listing/machine_code.h"
#include "core/measure/peers/peer.h"

#include <filesystem>

namespace nestwright::measure {

/// Runs the call again and again for about a second, on the thread of the caller, and takes out of this
/// process's memory the functions in which it spends its time, the busiest first: those of the library by the
/// names of its symbols, those that it makes as it runs by the files that it writes to `folder`, which
/// becomes the current one. Errors: "peer.no-samples", "peer.symbols" (the busiest function has no name).
support::Result<backend::MachineCode> codeThatRuns(const PeerCall &call, PeerLibrary library,
                                                   const std::filesystem::path &folder);

/// "SkylakeX": the processor whose functions OpenBLAS chose; empty for other libraries.
std::string coreOf(const PeerCall &call, PeerLibrary library);

} // namespace nestwright::measure
