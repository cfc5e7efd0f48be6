// SPDX-License-Identifier: Apache-2.0
/// Findings about programs for devices: threads that are not used, and how they meet in memory.
#pragma once

#include "core/analysis/device/warp_accesses.h"
#include "core/schedule/step.h"
#include "core/suggest/loop_nest.h"
#include "core/target/target.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::suggest {

enum class Finding : std::uint8_t {
    NoBlocks,
    NoThreads,    ///< in a block of the device
    BankConflicts ///< of shared memory
};

/// One thing about a program that costs time, with the step that mends it.
struct Advice {
    Finding finding = Finding::NoBlocks;
    StmtId loop;
    std::string title;  ///< "i is bound to no blocks"
    std::string action; ///< "Bind i to blockIdx.x"
    schedule::Step step;
};

/// The first of these that applies to the block with the most iterations and has a legal remedy: the loops
/// around it are bound to no blocks; they are bound to no threads; threads of a warp wait for one bank of
/// shared memory.
std::optional<Advice> deviceAdvice(const LoopNest &nest, const target::Target &target,
                                   const std::stop_token &stop);

/// The accesses of all functions of a module for `target`, which is one of a device. Errors: those of
/// lower::lower.
support::Result<std::vector<analysis::WarpAccess>>
deviceAccesses(const ir::Module &module, const target::Target &target, const std::stop_token &stop = {});

/// "A_shared is read with 8-way bank conflicts", "B: 32 sectors of memory are read where 4 hold as much";
/// empty where nothing is wrong with the access.
std::string accessSentence(const analysis::WarpAccess &access);

} // namespace nestwright::suggest
