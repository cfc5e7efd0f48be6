// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/kernel_memory.h"

#include "core/analysis/device/shared_layout.h"
#include "core/ir/build/walk.h"
#include "core/lower/pipeline.h"

#include <algorithm>

namespace nestwright::suggest {

support::Result<std::vector<BufferMemory>>
kernelMemory(const ir::Module &module, const target::Target &target, const std::stop_token &stop)
{
    const auto threads = lower::lowerToThreads(module, target, stop);
    if (!threads)
        return support::fail(threads.error());
    std::vector<BufferMemory> found;
    const auto add = [&](const ir::Allocate &node) {
        const ir::MemoryRank rank = ir::memoryRankOf(node.scope);
        const auto bytes = analysis::constantBytes(node);
        if (rank == ir::MemoryRank::Device || !bytes)
            return;
        const auto known = std::ranges::find(found, node.data.name(), &BufferMemory::buffer);
        if (known == found.end())
            found.push_back({node.data.name(), node.scope, *bytes, rank != ir::MemoryRank::Block});
        else
            known->bytes = std::max(known->bytes, *bytes);
    };
    for (const ir::Module::Entry &entry : threads->functions()) {
        ir::forEachStmt(entry.function->body, [&](const ir::Stmt &s) {
            if (const auto *node = s.as<ir::Allocate>())
                add(*node);
            return true;
        });
    }
    return found;
}

std::string memorySentence(const BufferMemory &memory)
{
    std::string sentence = memory.buffer + " takes " + std::to_string(memory.bytes) + " bytes of ";
    if (!memory.isOfThread)
        return sentence + memory.scope + " memory of each block";
    return sentence + "each thread: " + std::to_string(memory.registers()) + " registers";
}

} // namespace nestwright::suggest
