// SPDX-License-Identifier: Apache-2.0
#include "core/lower/own_memory.h"

#include "core/analysis/thread_conflicts.h"
#include "core/ir/builder.h"
#include "core/ir/equality.h"
#include "core/ir/purity.h"
#include "core/ir/substitute.h"
#include "core/ir/threads.h"
#include "core/ir/walk.h"
#include "core/lower/access_collector.h"
#include "core/support/errors.h"

#include <algorithm>
#include <array>
#include <format>

namespace nestwright::lower {

using analysis::ThreadAccess;
using ir::Expr;
using ir::Stmt;

namespace {

[[noreturn]] void refuse(const ir::Buffer &buffer, const ThreadAccess &read, std::string_view who)
{
    const bool wouldSharedDo = who != "block";
    throw support::UserError(
        support::diagnostic(
            "lower.own-memory",
            std::format(
                "a {0} reads elements of '{1}' that another {0} wrote, but {2} memory is each {0}'s own", who,
                buffer.name(), buffer->scope))
            .withHint(std::string("put it into ") + (wouldSharedDo ? "\"shared\" or " : "")
                      + "\"global\" memory with set_scope, or bind the loops of both stages alike")
            .at(read.place));
}

[[noreturn]] void refuseOrder(const ir::Buffer &buffer, const ThreadAccess &read)
{
    throw support::UserError(
        support::diagnostic(
            "lower.block-order",
            std::format("a block reads elements of '{}' that another block of the same kernel "
                        "writes, but blocks run in any order",
                        buffer.name()))
            .withHint("bind the loops of both stages alike, or make the stage that writes outside of the "
                      "loops that are bound to blocks, so that it is a kernel of its own")
            .at(read.place));
}

[[noreturn]] void refuseUpdateOfThreads(const ir::Buffer &buffer, const ThreadAccess &write)
{
    throw support::UserError(
        support::diagnostic("lower.thread-order",
                            std::format("threads of a block update the same elements of '{}' at once, and no "
                                        "barrier can part them",
                                        buffer.name()))
            .withHint(
                "put it into \"local\" memory with set_scope, or have the threads share out the loops of "
                "that stage: compute it outside of the loops that are bound to threads, and bind its own")
            .at(write.place));
}

[[noreturn]] void refuseUpdateOfBlocks(const ir::Buffer &buffer, const ThreadAccess &write)
{
    throw support::UserError(
        support::diagnostic("lower.block-order",
                            std::format("two blocks of the same kernel update the same elements of '{}', but "
                                        "blocks run in any order",
                                        buffer.name()))
            .withHint(
                "give each block its own with set_scope, as \"shared\" or \"local\" memory, or make the "
                "stage outside of the loops that are bound to blocks, so that it is a kernel of its own")
            .at(write.place));
}

/// Two steps of each axis: what blocks do wrong to each other neighbours do, too.
arith::Domains neighbours(arith::Domains axes)
{
    for (arith::VarRange &axis : axes)
        axis.range.extent = ir::constant(
            static_cast<double>(std::min<std::int64_t>(*ir::asInt(axis.range.extent), 2)), axis.var.dtype());
    return axes;
}

/// Numbers for the sizes that the extents of `axes` hang on: a program is right for all of them or wrong.
void addSizes(const arith::Domains &axes, ir::VarMap<Expr> &sizes)
{
    constexpr std::array<std::int64_t, 4> small{3, 5, 7, 2};
    for (const arith::VarRange &axis : axes) {
        for (const ir::Var &var : ir::variablesOf(axis.range.extent))
            sizes.try_emplace(
                var, ir::constant(static_cast<double>(small[sizes.size() % small.size()]), var.dtype()));
    }
}

arith::Domains withSizes(arith::Domains axes, const ir::VarMap<Expr> &sizes, arith::Analyzer &analyzer)
{
    for (arith::VarRange &axis : axes) {
        axis.range = ir::substitute(axis.range, sizes);
        axis.range.extent = analyzer.simplify(axis.range.extent);
    }
    return axes;
}

std::vector<ThreadAccess> withSizes(std::vector<ThreadAccess> accesses, const ir::VarMap<Expr> &sizes,
                                    arith::Analyzer &analyzer)
{
    for (ThreadAccess &access : accesses) {
        access.loops = withSizes(std::move(access.loops), sizes, analyzer);
        if (access.index)
            access.index = ir::substitute(access.index, sizes);
        if (access.condition)
            access.condition = ir::substitute(access.condition, sizes);
    }
    return accesses;
}

/// The axes of known extent: where another is not known, those are looked at that agree on it.
arith::Domains known(arith::Domains axes)
{
    std::erase_if(axes, [](const arith::VarRange &axis) { return !ir::asInt(axis.range.extent); });
    return axes;
}

/// Whether both touch the same element at the same place and under the same condition, as an update does.
bool isSameElement(const ThreadAccess &a, const ThreadAccess &b)
{
    const auto orTrue = [](const Expr &condition) { return condition ? condition : ir::boolImm(true); };
    return a.index && b.index && a.loops.size() == b.loops.size() && a.place == b.place
           && ir::structurallyEqual(a.index, b.index)
           && ir::structurallyEqual(orTrue(a.condition), orTrue(b.condition));
}

/// Whether it is known that threads update an element in one turn of the loops around: `write`, which is read
/// in the same place.
bool isRacingUpdate(const ThreadAccess &write, const std::vector<ThreadAccess> &reads,
                    const arith::Domains &threads, analysis::ThreadConflicts &amongThreads)
{
    const bool isUpdate =
        std::ranges::any_of(reads, [&](const ThreadAccess &read) { return isSameElement(read, write); });
    const auto isApart = [&](const arith::VarRange &loop) { // its turns are other ones in each thread
        return std::ranges::any_of(threads, [&](const arith::VarRange &axis) {
            return ir::uses(loop.range.min, axis.var) || ir::uses(loop.range.extent, axis.var);
        });
    };
    if (!isUpdate || std::ranges::any_of(write.loops, isApart))
        return false;
    ThreadAccess inOneTurn = write;
    inOneTurn.loops.clear();
    return amongThreads.isKnownToMeetItself(inOneTurn);
}

/// The accesses of all threads together.
std::vector<ThreadAccess> ofAll(std::vector<ThreadAccess> accesses, const arith::Domains &threads)
{
    for (ThreadAccess &access : accesses)
        access.loops.insert(access.loops.begin(), threads.begin(), threads.end());
    return accesses;
}

/// What blocks read and write of the device's memory does not hang on which of them comes first.
void requireNoOrder(const ir::Buffer &buffer, const std::vector<ThreadAccess> &reads,
                    const std::vector<ThreadAccess> &writes, analysis::ThreadConflicts &amongBlocks)
{
    // One write at a time: one block may begin an element that another one goes on with.
    for (const ThreadAccess &read : reads) {
        for (const ThreadAccess &write : writes) {
            const bool isUpdate = isSameElement(read, write);
            if (isUpdate && amongBlocks.isKnownToMeetItself(write))
                refuseUpdateOfBlocks(buffer, write);
            if (!isUpdate && amongBlocks.knownToReadOthers(read, {write}) == true)
                refuseOrder(buffer, read);
        }
    }
}

} // namespace

void requireOwnMemory(const Stmt &kernel, const arith::Domains &blocks, const KernelThreads &kernelThreads,
                      arith::Analyzer &analyzer)
{
    arith::Domains threads = kernelThreads.rows;
    threads.insert(threads.end(), kernelThreads.lanes.begin(), kernelThreads.lanes.end());
    AccessCollector collector;
    collector.stmt(kernel);
    ir::VarMap<Expr> sizes;
    addSizes(blocks, sizes);
    addSizes(threads, sizes);
    const arith::Domains ofBlocks = withSizes(blocks, sizes, analyzer),
                         ofThreads = withSizes(threads, sizes, analyzer),
                         ofRows = withSizes(kernelThreads.rows, sizes, analyzer),
                         ofLanes = withSizes(kernelThreads.lanes, sizes, analyzer);
    analysis::ThreadConflicts amongThreads(known(ofThreads), analyzer), amongRows(known(ofRows), analyzer),
        amongBlocks(known(ofBlocks), analyzer), amongNeighbours(neighbours(known(ofBlocks)), analyzer),
        within({}, analyzer);
    for (const auto &[buffer, accesses] : collector.buffers) {
        const std::vector<ThreadAccess> reads = withSizes(accesses.reads, sizes, analyzer),
                                        writes = withSizes(accesses.writes, sizes, analyzer),
                                        allReads = ofAll(reads, ofThreads),
                                        allWrites = ofAll(writes, ofThreads);
        const ir::MemoryRank rank = ir::memoryRankOf(buffer->scope);
        if (rank == ir::MemoryRank::Device || rank == ir::MemoryRank::Block) {
            for (const ThreadAccess &write : writes) {
                if (isRacingUpdate(write, reads, ofThreads, amongThreads))
                    refuseUpdateOfThreads(buffer, write);
            }
        }
        switch (rank) {
        case ir::MemoryRank::Device: requireNoOrder(buffer, allReads, allWrites, amongNeighbours); continue;
        case ir::MemoryRank::Thread:
            for (const ThreadAccess &read : reads) {
                if (amongThreads.readsOthers(read, writes))
                    refuse(buffer, read, "thread");
            }
            break;
        case ir::MemoryRank::Warp: {
            const std::vector<ThreadAccess> ofRow = ofAll(writes, ofLanes);
            for (const ThreadAccess &read : ofAll(reads, ofLanes)) {
                if (amongRows.readsOthers(read, ofRow))
                    refuse(buffer, read, "warp");
            }
            break;
        }
        case ir::MemoryRank::Block: break;
        }
        for (const ThreadAccess &read : allReads) {
            // Mostly a block writes all that it reads, which is soon seen.
            if (!within.isWritten(read, allWrites) && amongBlocks.readsOthers(read, allWrites))
                refuse(buffer, read, "block");
        }
    }
}

void requireOwnElements(const Stmt &body, const ir::Var &memory, const arith::Domains &threads,
                        arith::Analyzer &analyzer)
{
    AccessCollector collector;
    collector.stmt(body);
    for (const auto &[buffer, accesses] : collector.buffers) {
        for (std::size_t i = 0; buffer->data == memory && i < accesses.writes.size(); ++i) {
            const ThreadAccess &write = accesses.writes[i];
            arith::Domains differing = threads; // in the value that they write
            std::erase_if(differing, [&](const arith::VarRange &axis) {
                return !ir::uses(accesses.written[i], axis.var);
            });
            if (differing.empty() || !analysis::ThreadConflicts(differing, analyzer).conflict(write, write))
                continue;
            throw support::UserError(
                support::diagnostic("lower.own-memory",
                                    std::format("each thread has a '{}' of its own, but {} memory is one for "
                                                "all threads of a block",
                                                buffer.name(), buffer->scope))
                    .withHint("put it into \"local\" memory with set_scope, or make it outside of the loop "
                              "that is bound to threads")
                    .at(write.place));
        }
    }
}

} // namespace nestwright::lower
