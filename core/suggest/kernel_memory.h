// SPDX-License-Identifier: Apache-2.0
/// Memory of blocks and threads that kernels take, buffer by buffer.
#pragma once

#include "core/ir/node/function.h"
#include "core/ir/threads.h"
#include "core/target/target.h"

#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::suggest {

/// A buffer of one block of threads, or of one thread.
struct BufferMemory {
    std::string buffer;
    std::string scope;      ///< "shared", "local"
    std::int64_t bytes = 0; ///< as lowered: of the region that is in use at one time
    bool isOfThread = false;

    /// Registers of 32 bits that the buffer takes where all elements of a thread are in registers.
    std::int64_t registers() const { return isOfThread ? (bytes + 3) / 4 : 0; }
};

/// The buffers that the kernels of `module` make, in the order of the lowered program; of several of one name
/// the largest. Errors: those of lower::lower.
support::Result<std::vector<BufferMemory>>
kernelMemory(const ir::Module &module, const target::Target &target, const std::stop_token &stop = {});

/// "A_shared takes 4096 bytes of shared memory of each block", "C_local takes 128 bytes of each thread: 32
/// registers".
std::string memorySentence(const BufferMemory &memory);

} // namespace nestwright::suggest
