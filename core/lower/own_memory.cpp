// SPDX-License-Identifier: Apache-2.0
#include "core/lower/own_memory.h"

#include "core/analysis/device/thread_conflicts.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/ir/purity.h"
#include "core/ir/strides.h"
#include "core/ir/threads.h"
#include "core/lower/access_collector.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <array>
#include <format>
#include <numeric>

namespace nestwright::lower {

using analysis::ThreadAccess;
using ir::Expr;
using ir::Stmt;

namespace {

[[noreturn]] void refuse(const ir::Buffer &buffer, const ThreadAccess &read, std::string_view who,
                         bool isKnown)
{
    const bool wouldSharedDo = who != "block";
    throw support::UserError(
        support::diagnostic(
            "lower.own-memory",
            std::format(
                "a {0} {3} elements of '{1}' that another {0} wrote, but {2} memory is each {0}'s own", who,
                buffer.name(), buffer->scope, isKnown ? "reads" : "may read"))
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

[[noreturn]] void refuseValuesOfThreads(const ir::Buffer &buffer, const ThreadAccess &write)
{
    throw support::UserError(
        support::diagnostic("lower.thread-order",
                            std::format("threads of a block write different values to the same elements of "
                                        "'{}' at once, and which of them stays is not known",
                                        buffer.name()))
            .withHint("give each thread elements of its own, or let one of them write under a condition")
            .at(write.place));
}

[[noreturn]] void refuseValuesOfBlocks(const ir::Buffer &buffer, const ThreadAccess &write)
{
    throw support::UserError(
        support::diagnostic("lower.block-order",
                            std::format("two blocks of the same kernel write different values to the same "
                                        "elements of '{}', but blocks run in any order",
                                        buffer.name()))
            .withHint("give each block elements of its own, or let one of them write under a condition")
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
        for (analysis::DataCondition &each : access.onData)
            each.condition = ir::substitute(each.condition, sizes);
    }
    return accesses;
}

std::int64_t bytesOf(const ir::Buffer &buffer)
{
    return static_cast<std::int64_t>(buffer.dtype().bytes()) * buffer.dtype().lanes;
}

using Accesses = AccessCollector::Accesses;

/// An access counted in units of `unit` bytes of the memory; anything of it where the buffer says no such
/// place.
ThreadAccess inUnits(ThreadAccess access, const ir::Buffer &buffer, std::int64_t unit)
{
    const bool isPlain = buffer.hasDefaultOffset() && !ir::isStrided(buffer) && ir::elementsOf(buffer);
    const std::int64_t parts = bytesOf(buffer) / unit;
    if (!access.index || !isPlain)
        access.index = Expr();
    if (!access.index || parts == 1)
        return access;
    const ir::Var part("part", access.index.dtype());
    access.index = access.index * ir::intImm(parts, part.dtype()) + part;
    access.loops.push_back({part, {ir::intImm(0, part.dtype()), ir::intImm(parts, part.dtype())}});
    return access;
}

/// The accesses by memory: those of several buffers of one are compared byte by byte.
ir::BufferMap<Accesses> byMemory(const ir::BufferMap<Accesses> &byBuffer)
{
    ir::VarMap<std::vector<ir::Buffer>> buffers;
    for (const auto &[buffer, accesses] : byBuffer)
        buffers[buffer->data].push_back(buffer);
    ir::BufferMap<Accesses> result;
    for (auto &[memory, views] : buffers) {
        std::ranges::sort(views, {}, &ir::Buffer::name);
        std::int64_t unit = 0;
        for (const ir::Buffer &view : views)
            unit = std::gcd(unit, bytesOf(view));
        Accesses &all = result[views.front()];
        for (const ir::Buffer &view : views) {
            const Accesses &own = byBuffer.at(view);
            const auto add = [&](const std::vector<ThreadAccess> &from, std::vector<ThreadAccess> &to) {
                for (const ThreadAccess &access : from)
                    to.push_back(views.size() > 1 ? inUnits(access, view, unit) : access);
            };
            add(own.reads, all.reads);
            add(own.writes, all.writes);
            all.written.insert(all.written.end(), own.written.begin(), own.written.end());
            all.updates.insert(all.updates.end(), own.updates.begin(), own.updates.end());
        }
    }
    return result;
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

/// Whether a kernel changes one of the memories that `e` is read from, or each thread has its own of it.
bool readsWhatChanges(const Expr &e, const ir::VarSet &changing)
{
    bool isFound = false;
    ir::forEachExpr(e, [&](const Expr &part) {
        const auto *load = part.as<ir::BufferLoad>();
        const auto *call = part.as<ir::Call>();
        const ir::Intrinsic *intrinsic = call ? call->callee.intrinsic() : nullptr;
        const bool isUnknown = call && (!intrinsic || intrinsic->purity != ir::Purity::Pure);
        const bool isChanged = load
                               && (changing.contains(load->buffer->data)
                                   || ir::memoryRankOf(load->buffer->scope) > ir::MemoryRank::Block);
        isFound = isFound || isUnknown || isChanged;
        return !isFound;
    });
    return isFound;
}

/// A write as threads of a block do it in one turn of the loops around.
struct Turn {
    const ThreadAccess &write;
    const Expr &value;     ///< as AccessCollector has it
    bool isUpdate = false; ///< of the element itself
};

/// Whether it is known that threads race to update an element in one turn of the loops around: `write`, which
/// is read in the same place. They do not where the element tells the value, or where data chooses one of
/// them.
bool isRacingUpdate(const Turn &turn, const std::vector<ThreadAccess> &reads, const ir::VarSet &changing,
                    const arith::Domains &threads, analysis::ThreadConflicts &amongThreads)
{
    const bool isRead =
        std::ranges::any_of(reads, [&](const ThreadAccess &read) { return isSameElement(read, turn.write); });
    const auto usesThread = [&](const Expr &e) {
        return std::ranges::any_of(threads,
                                   [&](const arith::VarRange &axis) { return ir::uses(e, axis.var); });
    };
    const auto isApart = [&](const arith::VarRange &loop) { // its turns are other ones in each thread
        return usesThread(loop.range.min) || usesThread(loop.range.extent);
    };
    if (!isRead || std::ranges::any_of(turn.write.loops, isApart))
        return false;
    if (!turn.isUpdate && !usesThread(turn.value) && !readsWhatChanges(turn.value, changing))
        return false;
    ThreadAccess inOneTurn = turn.write;
    inOneTurn.loops.clear();
    std::erase_if(inOneTurn.onData, [&](const analysis::DataCondition &each) {
        return readsWhatChanges(each.condition, changing);
    });
    return amongThreads.isKnownToMeetItself(inOneTurn);
}

/// The accesses of all threads together.
std::vector<ThreadAccess> ofAll(std::vector<ThreadAccess> accesses, const arith::Domains &threads)
{
    for (ThreadAccess &access : accesses)
        access.loops.insert(access.loops.begin(), threads.begin(), threads.end());
    return accesses;
}

/// Refuses accesses of blocks to the device's memory that depend on which block comes first.
void requireNoOrder(const ir::Buffer &buffer, const std::vector<ThreadAccess> &reads,
                    const std::vector<ThreadAccess> &writes, const std::vector<Expr> &written,
                    const ir::VarSet &changing, analysis::ThreadConflicts &amongBlocks)
{
    for (std::size_t i = 0; i < writes.size(); ++i) {
        if (!readsWhatChanges(written[i], changing)
            && amongBlocks.isKnownToWriteDifferently(writes[i], written[i]))
            refuseValuesOfBlocks(buffer, writes[i]);
    }
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

namespace {

/// Refuses `read` of memory that each of `among` (called `who`) has for its own where another one of them
/// wrote what is read.
void requireOwn(const ir::Buffer &buffer, const ThreadAccess &read, const std::vector<ThreadAccess> &writes,
                analysis::ThreadConflicts &among, std::string_view who, std::optional<std::int64_t> elements)
{
    if (among.readsOthers(read, writes, elements))
        refuse(buffer, read, who, among.knownToReadOthers(read, writes) == true);
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
    ir::VarSet changing;
    for (const auto &[buffer, accesses] : collector.buffers) {
        if (!accesses.writes.empty())
            changing.insert(buffer->data);
    }
    for (const auto &[buffer, accesses] : byMemory(collector.buffers)) {
        const bool isAlone =
            std::ranges::count_if(collector.buffers,
                                  [&](const auto &entry) { return entry.first->data == buffer->data; })
            == 1;
        const auto elements = isAlone ? ir::elementsOf(buffer) : std::nullopt;
        const std::vector<ThreadAccess> reads = withSizes(accesses.reads, sizes, analyzer),
                                        writes = withSizes(accesses.writes, sizes, analyzer),
                                        allReads = ofAll(reads, ofThreads),
                                        allWrites = ofAll(writes, ofThreads);
        const ir::MemoryRank rank = ir::memoryRankOf(buffer->scope);
        if (rank == ir::MemoryRank::Device || rank == ir::MemoryRank::Block) {
            for (std::size_t i = 0; i < writes.size(); ++i) {
                const Turn turn{writes[i], accesses.written[i], accesses.updates[i]};
                if (isRacingUpdate(turn, reads, changing, ofThreads, amongThreads))
                    refuseUpdateOfThreads(buffer, writes[i]);
                if (!readsWhatChanges(turn.value, changing)
                    && amongThreads.isKnownToWriteDifferently(writes[i], turn.value))
                    refuseValuesOfThreads(buffer, writes[i]);
            }
        }
        switch (rank) {
        case ir::MemoryRank::Device:
            requireNoOrder(buffer, allReads, allWrites, accesses.written, changing, amongNeighbours);
            continue;
        case ir::MemoryRank::Thread:
            for (const ThreadAccess &read : reads)
                requireOwn(buffer, read, writes, amongThreads, "thread", elements);
            break;
        case ir::MemoryRank::Warp: {
            const std::vector<ThreadAccess> ofRow = ofAll(writes, ofLanes);
            for (const ThreadAccess &read : ofAll(reads, ofLanes))
                requireOwn(buffer, read, ofRow, amongRows, "warp", elements);
            break;
        }
        case ir::MemoryRank::Block: break;
        }
        for (const ThreadAccess &read : allReads) {
            // Mostly a block writes all that it reads, which is soon seen.
            if (!within.isWritten(read, allWrites))
                requireOwn(buffer, read, allWrites, amongBlocks, "block", elements);
        }
    }
}

namespace {

/// Whether threads that do not share the memories that `value` is read from find other values in them.
bool readsOwnMemory(const Expr &value)
{
    bool isFound = false;
    ir::forEachExpr(value, [&](const Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        isFound = isFound || (load && ir::memoryRankOf(load->buffer->scope) > ir::MemoryRank::Block);
        return !isFound;
    });
    return isFound;
}

[[noreturn]] void refuseElements(const ir::Buffer &buffer, const ThreadAccess &write, bool isKnown)
{
    const std::string what =
        isKnown
            ? std::format("each thread has a '{}' of its own, but {} memory is one for all threads of a "
                          "block",
                          buffer.name(), buffer->scope)
            : std::format("each thread has a '{}' of its own in {} memory, which is one for all threads of "
                          "a block, and it is not known that they write different elements of it",
                          buffer.name(), buffer->scope);
    throw support::UserError(
        support::diagnostic("lower.own-memory", what)
            .withHint("put it into \"local\" memory with set_scope, or make it outside of the loop that is "
                      "bound to threads")
            .at(write.place));
}

} // namespace

void requireOwnElements(const Stmt &body, const ir::Var &memory, const SharingThreads &threads,
                        arith::Analyzer &analyzer)
{
    AccessCollector collector;
    collector.stmt(body);
    for (const auto &[buffer, accesses] : collector.buffers) {
        for (std::size_t i = 0; buffer->data == memory && i < accesses.writes.size(); ++i) {
            const Expr &value = accesses.written[i];
            arith::Domains differing, others = threads.within; // in the value that they write
            for (const arith::VarRange &axis : threads.around)
                (ir::uses(value, axis.var) || readsOwnMemory(value) ? differing : others).push_back(axis);
            if (differing.empty())
                continue;
            const ThreadAccess write = ofAll({accesses.writes[i]}, others).front();
            analysis::ThreadConflicts conflicts(differing, analyzer);
            if (conflicts.conflict(write, write))
                refuseElements(buffer, write, conflicts.isKnownToMeetItself(write));
        }
    }
}

} // namespace nestwright::lower
