// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/device/shared_layout.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/threads.h"
#include "core/lower/kernel_launch.h"
#include "core/lower/passes/declarations.h"
#include "core/support/errors/errors.h"
#include "core/target/kinds.h"
#include "core/target/multiprocessor.h"

#include <array>
#include <limits>
#include <vector>

namespace nestwright::lower {

namespace {

/// Limits of all devices that CUDA runs on, from NVIDIA's CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability".
constexpr std::int64_t mostThreads = 1024;
using Extents = std::array<std::int64_t, ir::threadDimensions>;
constexpr Extents mostThreadsAlong{1024, 1024, 64};
constexpr Extents mostBlocksAlong{std::numeric_limits<std::int32_t>::max(), 65535, 65535};

struct Counted {
    std::string name;
    std::int64_t count;
};

std::string listed(const std::vector<Counted> &parts)
{
    std::string text;
    for (const Counted &part : parts)
        text += (text.empty() ? "" : ", ") + part.name + ' ' + std::to_string(part.count);
    return text;
}

[[noreturn]] void refuse(std::string message, std::string hint, support::StmtId place = {})
{
    auto refusal = support::diagnostic("lower.device-limit", std::move(message)).withHint(std::move(hint));
    throw support::UserError(place ? std::move(refusal).at(place) : std::move(refusal));
}

void checkThreads(const std::string &kernel, const ir::Stmt &body)
{
    std::vector<Counted> loops;
    std::int64_t threads = 1;
    support::StmtId innermost;
    ir::forEachStmt(body, [&](const ir::Stmt &s) {
        const auto *loop = s.as<ir::For>();
        const auto axis = loop ? ir::threadAxisOf(*loop) : std::nullopt;
        const std::int64_t *extent = axis ? ir::asInt(loop->extent) : nullptr;
        if (!extent || axis->rank == ir::ThreadRank::Virtual)
            return true;
        const bool isThread = axis->rank == ir::ThreadRank::Thread;
        const std::int64_t most = (isThread ? mostThreadsAlong : mostBlocksAlong)[axis->dimension];
        if (*extent > most)
            refuse("the loop '" + loop->var.name() + "' has " + std::to_string(*extent) + " iterations along "
                       + loop->thread + ", and a GPU has at most " + std::to_string(most) + " of them there",
                   isThread ? "split the loop and bind the inner part"
                            : "bind the longer loop to blockIdx.x, or split this one",
                   loop->id);
        if (isThread) {
            loops.push_back({loop->thread, *extent});
            threads *= *extent;
            innermost = loop->id;
        }
        return true;
    });
    if (threads > mostThreads)
        refuse("a block of '" + kernel + "' has " + std::to_string(threads) + " threads (" + listed(loops)
                   + "), and a GPU runs at most " + std::to_string(mostThreads) + " in one",
               "split the loops that are bound to threads so that the product of their extents is at most "
                   + std::to_string(mostThreads),
               innermost);
}

/// An array of a size that is not constant is refused where it is made.
void checkShared(const std::string &kernel, const ir::Stmt &body, const target::Target &target)
{
    const target::Multiprocessor *multiprocessor = target::multiprocessorOf(target.arch);
    const std::int64_t most = multiprocessor ? multiprocessor->sharedOfBlock : target::sharedOfKernel;
    const analysis::SharedLayout layout = analysis::sharedLayoutOf(body);
    if (layout.bytes <= most)
        return;
    std::vector<Counted> arrays;
    for (const analysis::SharedArray &array : layout.arrays)
        arrays.push_back({array.data.name(), array.bytes});
    refuse(
        "a block of '" + kernel + "' needs " + std::to_string(layout.bytes) + " bytes of shared memory ("
            + listed(arrays) + "), " + std::to_string(layout.bytes - most) + " more than the "
            + std::to_string(most) + " that it may have"
            + (multiprocessor ? " on " + std::string(multiprocessor->architecture) : ""),
        multiprocessor
            ? "copy smaller parts: split the loops of the tile, or compute the copies at a loop further in"
            : "copy smaller parts, or choose an architecture of the GPU, which may have more: -arch=sm_90");
}

} // namespace

ir::Module verifyGpuCode(const ir::Module &module, const target::Context &context)
{
    if (!target::kindOf(context.target.kind)
             .hasArchitectures()) // an OpenCL device has limits that its driver tells
        return module;
    for (const ir::Module::Entry &entry : module.functions()) {
        if (!isKernel(*entry.function))
            continue;
        checkThreads(entry.name, entry.function->body);
        checkShared(entry.name, entry.function->body, context.target);
    }
    return module;
}

} // namespace nestwright::lower
