// SPDX-License-Identifier: Apache-2.0
/// The runtime that generated code calls: parallel loops on a persistent pool of pinned threads, and aligned
/// memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" {
/// Runs `body` over [0, count) in pieces on all threads of the pool; the caller takes part. A thread begins
/// with the part that it has in every loop of so many iterations, and then takes what others have left of
/// theirs. Gives a code other than 0 that a piece returned. Called within a body it runs serially.
int nestwright_parallel_for(int (*body)(void *context, std::int64_t begin, std::int64_t end), void *context,
                            std::int64_t count);
/// `bytes` aligned to 64, or null.
void *nestwright_alloc(std::uint64_t bytes);
void nestwright_free(void *memory);
/// Memory that is given from now on has this in every byte; -1: whatever is there. Not while kernels run.
void nestwright_set_filling(int byte);
/// Threads of parallel loops from now on; 0: one per core that this process may use.
void nestwright_set_threads(int count);
int nestwright_threads(void);
/// Whether the system lets this process use tile registers (Intel AMX). The first call asks for them.
int nestwright_has_tiles(void);
}

namespace nestwright::backend {

/// Return codes of a kernel.
enum class KernelCode : std::int32_t {
    Done = 0,
    DivisionByZero = 1,
    OutOfMemory = 2,
    AssertionFailed = 3,
    NullArgument = 4,   ///< from the packed function only
    ProcessorLacks = 5, ///< from exported functions only
};

/// One sentence for a person.
std::string describeKernelCode(std::int32_t code);

/// Name and address of each function above, for a linker.
std::vector<std::pair<std::string, void *>> runtimeSymbols();

/// The runtime as one C file, for exports that must stand alone.
std::string_view runtimeSource();

/// The C++ that stands before CUDA's text where this processor runs it.
std::string_view emulationSource();

} // namespace nestwright::backend
