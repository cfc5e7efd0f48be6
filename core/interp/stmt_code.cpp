// SPDX-License-Identifier: Apache-2.0
#include "core/interp/stmt_code.h"

#include "core/interp/codes.h"
#include "core/interp/thread_group.h"
#include "core/interp/watch/iteration_races.h"
#include "core/interp/watch/races.h"
#include "core/interp/watch/unwritten.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nestwright::interp {

void Allocation::run(Frame &frame, const MemorySetups &setups) const
{
    const std::int64_t elementBytes = std::int64_t{dtype.bytes()} * dtype.lanes;
    Memory &out = frame.memories[memory];
    const auto had = static_cast<std::int64_t>(out.own.size() * sizeof(std::uint64_t));
    __int128 bytes = elementBytes;
    for (const Index &extent : extents)
        bytes = std::min<__int128>(
            bytes * std::max<std::int64_t>(decidedIndex(frame, extent, decidesRange), 0), __int128{1} << 62);
    if (bytes - had > frame.budget->bytes) {
        stopWith(place, codes::memoryLimit,
                 "the buffer '" + name + "' needs " + std::to_string(static_cast<std::int64_t>(bytes))
                     + " bytes, but a run may use only " + std::to_string(frame.budget->bytes + had)
                     + " more",
                 "run it with smaller sizes");
    }
    out.bytes = static_cast<std::int64_t>(bytes);
    const std::size_t words =
        (static_cast<std::size_t>(bytes) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    if (words > out.own.size()) {
        out.own.resize(words);
        frame.budget->bytes -= static_cast<std::int64_t>(words * sizeof(std::uint64_t)) - had;
    }
    out.data = reinterpret_cast<std::byte *>(out.own.data());
    out.isPrivate = frame.group && !isShared;
    if (frame.races)
        frame.races->forget(out);
    if (frame.iterations)
        frame.iterations->forget(out.data);
    if (frame.unwritten) {
        out.shadow.assign(static_cast<std::size_t>(bytes), NeverWritten);
        out.undefined = out.shadow.data();
    }
    if (frame.tracer)
        frame.tracer->allocation(memory, out.bytes);
    const int pattern = dtype.isFloating() ? 0xff : dtype.isBool() ? 0x01 : 0x7f; // NaN, true, a large number
    if (bytes > 0)
        std::memset(out.data, pattern, static_cast<std::size_t>(bytes));
    for (const ViewSetup &setup : setups[memory])
        setup.run(frame);
}

void Allocation::runInStep(ThreadGroup &group, ActiveThreads active, const MemorySetups &setups) const
{
    for (const std::size_t thread : active) {
        Frame &frame = group.frame(thread);
        if (!isShared || thread == active.front()) {
            run(frame, setups);
            continue;
        }
        const Memory &first = group.frame(active.front()).memories[memory];
        frame.memories[memory].data = first.data;
        frame.memories[memory].bytes = first.bytes;
        frame.memories[memory].undefined = first.undefined;
        for (const ViewSetup &setup : setups[memory])
            setup.run(frame);
    }
}

void SeqCode::run(Frame &frame) const
{
    for (const StmtPtr &stmt : stmts) {
        stmt->run(frame);
        if (frame.jump != Jump::None)
            return;
    }
}

void SeqCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    std::vector<std::size_t> going(active.begin(), active.end());
    for (const StmtPtr &stmt : stmts) {
        stmt->runAll(group, going);
        std::erase_if(going, [&](std::size_t thread) { return group.frame(thread).jump != Jump::None; });
        if (going.empty())
            return;
    }
}

namespace {

/// Ends the jump at the end of an iteration. Whether the loop goes on.
bool goesOn(Frame &frame) { return std::exchange(frame.jump, Jump::None) != Jump::Loop; }

} // namespace

void JumpCode::run(Frame &frame) const
{
    frame.step();
    frame.jump = jump;
}

void ForCode::run(Frame &frame) const
{
    const std::int64_t first = decidedIndex(frame, min, decidesRange);
    const std::int64_t count = decidedIndex(frame, extent, decidesRange);
    const ParallelRounds rounds(frame.iterations, isParallel ? &name : nullptr);
    for (std::int64_t i = 0; i < count; ++i) {
        frame.step();
        frame.slots[slot].i = wrappingAdd(first, i);
        if (frame.tracer) [[unlikely]]
            frame.tracer->iteration(site, frame.slots[slot].i);
        if (isOfBlocks && frame.races)
            frame.races->beginBlock();
        if (frame.iterations && (isParallel || !own.empty())) [[unlikely]] {
            rounds.begin(wrappingAdd(first, i));
            for (const std::size_t memory : own)
                frame.iterations->forget(frame.memories[memory].data);
        }
        body->run(frame);
        if (!goesOn(frame))
            return;
    }
}

void ForCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    struct Bounds {
        std::int64_t first, count;
    };
    std::vector<Bounds> bounds(group.size());
    for (const std::size_t thread : active)
        bounds[thread] = {decidedIndex(group.frame(thread), min, decidesRange),
                          decidedIndex(group.frame(thread), extent, decidesRange)};
    std::vector<std::size_t> going(active.begin(), active.end());
    for (std::int64_t i = 0;; ++i) {
        std::erase_if(going, [&](std::size_t thread) { return i >= bounds[thread].count; });
        if (going.empty())
            return;
        for (const std::size_t thread : going) {
            Frame &frame = group.frame(thread);
            frame.step();
            frame.slots[slot].i = wrappingAdd(bounds[thread].first, i);
        }
        body->runAll(group, going);
        std::erase_if(going, [&](std::size_t thread) { return !goesOn(group.frame(thread)); });
    }
}

void WhileCode::run(Frame &frame) const
{
    while (decided(frame, *condition, decidesCondition)) {
        frame.step();
        body->run(frame);
        if (!goesOn(frame))
            return;
    }
}

void WhileCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    std::vector<std::size_t> going(active.begin(), active.end());
    while (true) {
        group.active = going;
        std::vector<std::size_t> next;
        for (const std::size_t thread : going) {
            if (decided(group.frame(thread), *condition, decidesCondition))
                next.push_back(thread);
        }
        if (next.empty())
            return;
        going = std::move(next);
        for (const std::size_t thread : going)
            group.frame(thread).step();
        body->runAll(group, going);
        std::erase_if(going, [&](std::size_t thread) { return !goesOn(group.frame(thread)); });
    }
}

void IfCode::run(Frame &frame) const
{
    if (decided(frame, *condition, decidesCondition))
        thenCase->run(frame);
    else if (elseCase)
        elseCase->run(frame);
}

void IfCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    std::vector<std::size_t> yes, no;
    group.active = active;
    for (const std::size_t thread : active)
        (decided(group.frame(thread), *condition, decidesCondition) ? yes : no).push_back(thread);
    if (!yes.empty())
        thenCase->runAll(group, yes);
    if (elseCase && !no.empty())
        elseCase->runAll(group, no);
}

void LetCode::bind(Frame &frame) const
{
    const int outer = frame.lane;
    frame.unwrittenRead = {};
    for (frame.lane = 0; frame.lane < lanes; ++frame.lane)
        frame.slots[slot + static_cast<std::size_t>(frame.lane)] = value.eval(frame);
    frame.lane = outer;
    if (frame.unwrittenRead.target) [[unlikely]]
        frame.unwritten->report(frame, frame.unwrittenRead, "a variable gets its value");
}

void LetCode::run(Frame &frame) const
{
    bind(frame);
    body->run(frame);
}

void LetCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    group.active = active;
    for (const std::size_t thread : active)
        bind(group.frame(thread));
    body->runAll(group, active);
}

void EvaluateCode::run(Frame &frame) const
{
    frame.step();
    if (value.i || value.f)
        value.eval(frame);
}

void AssertCode::check(Frame &frame) const
{
    if (decided(frame, *condition, decidesCondition) == 0)
        stopWith(place, "interp.assertion", "an assertion of the function does not hold: " + message);
}

void AssertCode::run(Frame &frame) const
{
    check(frame);
    body->run(frame);
}

void AssertCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    group.active = active;
    for (const std::size_t thread : active)
        check(group.frame(thread));
    body->runAll(group, active);
}

void AllocateCode::run(Frame &frame) const
{
    allocation.run(frame, *setups);
    body->run(frame);
}

void AllocateCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    allocation.runInStep(group, active, *setups);
    body->runAll(group, active);
}

void DeclareCode::run(Frame &frame) const
{
    setup.run(frame);
    body->run(frame);
}

void DeclareCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    for (const std::size_t thread : active)
        setup.run(group.frame(thread));
    body->runAll(group, active);
}

void Match::run(Frame &frame) const
{
    const View &from = frame.views[source];
    std::int64_t offset = from.offset;
    for (std::size_t i = 0; i < mins.size(); ++i)
        offset = wrappingAdd(
            offset, wrappingMul(decidedIndex(frame, mins[i], decidesAddress), from.dimensions[i].stride));
    for (const auto &[slot, dimension] : shapeSlots)
        frame.slots[slot].i = extents[dimension].eval(frame);
    for (const auto &[slot, dimension] : strideSlots)
        frame.slots[slot].i = from.dimensions[dimension].stride;
    for (std::size_t slot : offsetSlots)
        frame.slots[slot].i = offset;
    View result{.data = from.data,
                .capacity = from.capacity,
                .offset = offset,
                .dimensions = {},
                .memory = from.memory,
                .undefined = from.undefined};
    const std::size_t leading = from.dimensions.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i)
        result.dimensions.push_back(
            {.extent = shape[i].eval(frame), .stride = from.dimensions[leading + i].stride});
    frame.views[view] = std::move(result);
}

void BlockCode::checkDomain(Frame &frame, const Iter &iter, std::int64_t value) const
{
    const std::int64_t min = iter.min.eval(frame), extent = iter.extent.eval(frame);
    const std::int64_t distance = wrappingAdd(value, wrappingMul(-1, min));
    if (value >= min && distance >= 0 && distance < extent)
        return;
    stopWith(place, "interp.out-of-domain",
             place.name() + " runs with '" + iter.name + "' = " + std::to_string(value)
                 + ", outside its domain from " + std::to_string(min) + " to "
                 + std::to_string(wrappingAdd(min, extent - 1)),
             "a predicate must keep the block from running there");
}

BlockCode::Entered BlockCode::enter(Frame &frame) const
{
    frame.step();
    if (predicate && decided(frame, *predicate, decidesCondition) == 0)
        return {};
    bool isFirst = true;
    for (const Iter &iter : iters) {
        const std::int64_t value = decidedIndex(frame, iter.value, decidesRange);
        if (!iter.staysInside)
            checkDomain(frame, iter, value);
        frame.slots[iter.slot].i = value;
        isFirst = isFirst && (!iter.isReduce || value == iter.min.eval(frame));
    }
    return {.runs = true, .isFirst = isFirst};
}

void BlockCode::run(Frame &frame) const
{
    const Entered entered = enter(frame);
    if (!entered.runs)
        return;
    for (const Allocation &allocation : allocations)
        allocation.run(frame, *setups);
    for (const Match &match : matches)
        match.run(frame);
    if (init && entered.isFirst)
        init->run(frame);
    body->run(frame);
}

void BlockCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    std::vector<std::size_t> inside, first;
    for (const std::size_t thread : active) {
        const Entered entered = enter(group.frame(thread));
        if (entered.runs)
            inside.push_back(thread);
        if (entered.isFirst)
            first.push_back(thread);
    }
    if (inside.empty())
        return;
    for (const Allocation &allocation : allocations)
        allocation.runInStep(group, inside, *setups);
    for (const Match &match : matches) {
        for (const std::size_t thread : inside)
            match.run(group.frame(thread));
    }
    if (init && !first.empty())
        init->runAll(group, first);
    body->runAll(group, inside);
}

} // namespace nestwright::interp
