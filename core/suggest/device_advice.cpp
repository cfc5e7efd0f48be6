// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/device_advice.h"

#include "core/ir/threads.h"
#include "core/lower/pipeline.h"
#include "core/schedule/apply.h"

#include <algorithm>
#include <array>

namespace nestwright::suggest {

using analysis::WarpAccess;
using support::fail;
using support::Result;

namespace {

/// The block that runs most often; none where no size is known.
StmtId busiestBlock(const LoopNest &nest)
{
    StmtId busiest;
    double most = 1;
    for (const StmtId id : nest.all()) {
        if (!nest.block(id))
            continue;
        double runs = 1;
        for (const StmtId loop : nest.loopsTo(id))
            runs *= static_cast<double>(std::max<std::int64_t>(1, nest.iterations(loop).value_or(1)));
        if (runs > most) {
            most = runs;
            busiest = id;
        }
    }
    return busiest;
}

constexpr std::int64_t mostThreads = 1024, usualThreads = 256;

bool isBound(const LoopNest &nest, StmtId id, ir::ThreadRank rank)
{
    const ir::For *loop = nest.loop(id);
    return loop && ir::isBoundTo(*loop, rank);
}

bool isSerialSpatial(const LoopNest &nest, StmtId id)
{
    const ir::For *loop = nest.loop(id);
    const analysis::LoopAxis *axis = nest.axis(id);
    return loop && loop->forKind == ir::ForKind::Serial && axis && axis->spatial && !axis->reduce
           && !axis->opaque;
}

std::optional<Advice> binding(const LoopNest &nest, Finding finding, StmtId loop, std::string title,
                              const std::string &axis)
{
    const auto step = schedule::makeStep("bind", {{"loop", loop}, {"thread_axis", axis}});
    if (!step || !schedule::check(nest.state(), *step))
        return {};
    return Advice{finding, loop, std::move(title), "Bind " + nest.name(loop) + " to " + axis, *step};
}

std::optional<Advice> noBlocks(const LoopNest &nest, const std::vector<StmtId> &loops)
{
    const auto isOfDevice = [&](StmtId id) {
        return isBound(nest, id, ir::ThreadRank::Block) || isBound(nest, id, ir::ThreadRank::Thread);
    };
    const auto first = std::ranges::find_if(loops, [&](StmtId id) { return isSerialSpatial(nest, id); });
    if (first == loops.end() || std::ranges::any_of(loops, isOfDevice))
        return {};
    return binding(nest, Finding::NoBlocks, *first, "One thread of the device does all the work",
                   "blockIdx.x");
}

/// Neighbours along the last spatial loop are most often neighbours in memory.
std::optional<Advice> noThreads(const LoopNest &nest, const std::vector<StmtId> &loops)
{
    const auto last = std::ranges::find_if(loops.rbegin(), loops.rend(), [&](StmtId id) {
        return isSerialSpatial(nest, id) && nest.iterations(id) != 1;
    });
    const auto isThread = [&](StmtId id) { return isBound(nest, id, ir::ThreadRank::Thread); };
    if (last == loops.rend() || std::ranges::any_of(loops, isThread))
        return {};
    constexpr const char *title = "Each block has one thread";
    if (nest.iterations(*last).value_or(0) <= mostThreads)
        return binding(nest, Finding::NoThreads, *last, title, "threadIdx.x");
    const auto step =
        schedule::makeStep("split", {{"loop", *last}, {"factors", schedule::ArgList{{}, usualThreads}}});
    if (!step || !schedule::check(nest.state(), *step))
        return {};
    return Advice{Finding::NoThreads, *last, title,
                  "Split " + nest.name(*last) + " by " + std::to_string(usualThreads), *step};
}

/// The turns that a warp waits for banks because of an access.
double waitsOf(const WarpAccess &access) { return (access.conflictDegree - 1) * access.times; }

const WarpAccess *worstConflict(const std::vector<WarpAccess> &accesses)
{
    const auto worst = std::ranges::max_element(accesses, {}, waitsOf);
    return worst == accesses.end() || waitsOf(*worst) <= 0 ? nullptr : &*worst;
}

/// Turns that warps wait because of all accesses to one buffer.
double waitsFor(const std::vector<WarpAccess> &accesses, const std::string &buffer)
{
    double waits = 0;
    for (const WarpAccess &access : accesses)
        waits += access.buffer.name() == buffer ? waitsOf(access) : 0;
    return waits;
}

/// The block that writes the buffer, and which of its buffers it is.
struct Writer {
    StmtId block;
    std::int64_t buffer = 0;
    int rank = 0;
};

std::optional<Writer> writerOf(const LoopNest &nest, const ir::Buffer &buffer)
{
    for (const StmtId id : nest.all()) {
        const ir::Block *block = nest.block(id);
        for (std::size_t i = 0; block && i < block->writes.size(); ++i) {
            const ir::Buffer &written = block->writes[i].buffer;
            if (written->scope == buffer->scope && written.name() == buffer.name())
                return Writer{id, static_cast<std::int64_t>(i), static_cast<int>(written.shape().size())};
        }
    }
    return std::nullopt;
}

std::optional<Advice> bankConflicts(const LoopNest &nest, const target::Target &target,
                                    const std::stop_token &stop)
{
    const auto accesses = deviceAccesses(nest.state().module, target, stop);
    const WarpAccess *worst = accesses ? worstConflict(*accesses) : nullptr;
    const auto writer = worst ? writerOf(nest, worst->buffer) : std::nullopt;
    if (!writer || writer->rank < 2)
        return {};
    constexpr std::int64_t bytesOfAllBanks = 128;
    const std::int64_t bytes = std::max(1, worst->buffer.dtype().bytes());
    double least = waitsFor(*accesses, worst->buffer.name());
    std::optional<Advice> best;
    for (const std::int64_t offset : {std::max<std::int64_t>(1, 16 / bytes), std::int64_t{1}, 8 / bytes}) {
        if (offset < 1 || stop.stop_requested())
            continue;
        const auto step = schedule::makeStep("storage_align", {{"block", writer->block},
                                                               {"buffer_index", writer->buffer},
                                                               {"axis", std::int64_t{-2}},
                                                               {"factor", bytesOfAllBanks / bytes},
                                                               {"offset", offset}});
        const auto applied = step ? schedule::apply(nest.state(), *step) : fail("none", "");
        const auto after = applied ? deviceAccesses(applied->state.module, target, stop) : accesses;
        const double waits = after ? waitsFor(*after, worst->buffer.name()) : least;
        if (!applied || waits >= least)
            continue;
        least = waits;
        best = Advice{Finding::BankConflicts, worst->place, accessSentence(*worst),
                      "Space the rows of " + worst->buffer.name(), *step};
    }
    return best;
}

} // namespace

Result<std::vector<WarpAccess>> deviceAccesses(const ir::Module &module, const target::Target &target,
                                               const std::stop_token &stop)
{
    const auto threads = lower::lowerToThreads(module, target, stop);
    if (!threads)
        return fail(threads.error());
    std::vector<WarpAccess> all;
    for (const ir::Module::Entry &entry : threads->functions()) {
        for (WarpAccess &access : analysis::warpAccesses(*entry.function))
            all.push_back(std::move(access));
    }
    return all;
}

std::string accessSentence(const WarpAccess &access)
{
    const std::string done = access.isStore ? "written" : "read";
    if (access.conflictDegree > 1)
        return access.buffer.name() + " is " + done + " with " + std::to_string(access.conflictDegree)
               + "-way bank conflicts";
    constexpr int few = 4; // as of a broadcast, or at an edge
    if (access.sectors.touched >= few && access.sectors.touched >= 2 * access.sectors.fewest)
        return access.buffer.name() + ": a warp has " + std::to_string(access.sectors.touched)
               + " sectors of memory " + done + " where " + std::to_string(access.sectors.fewest)
               + (access.sectors.fewest == 1 ? " holds as much" : " hold as much");
    return {};
}

std::optional<Advice> deviceAdvice(const LoopNest &nest, const target::Target &target,
                                   const std::stop_token &stop)
{
    const std::vector<StmtId> loops = nest.loopsTo(busiestBlock(nest));
    if (loops.empty() || stop.stop_requested())
        return {};
    if (auto advice = noBlocks(nest, loops))
        return advice;
    if (auto advice = noThreads(nest, loops))
        return advice;
    return bankConflicts(nest, target, stop);
}

} // namespace nestwright::suggest
