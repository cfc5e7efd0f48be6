// SPDX-License-Identifier: Apache-2.0
#include "core/interp/thread_group.h"

#include "core/interp/codes.h"
#include "core/interp/watch/races.h"
#include "core/ir/threads.h"

#include <algorithm>
#include <numeric>

namespace nestwright::interp {

namespace {

constexpr std::int64_t mostThreads = 1024; ///< in a block, of every device that there is

/// A thread's own state: the memories are those of `outer`, not copies.
Frame forked(const Frame &outer)
{
    Frame frame;
    frame.slots = outer.slots;
    frame.views = outer.views;
    frame.memories.reserve(outer.memories.size());
    for (const Memory &memory : outer.memories)
        frame.memories.push_back({.data = memory.data,
                                  .bytes = memory.bytes,
                                  .isPrivate = false,
                                  .own = {},
                                  .undefined = memory.undefined,
                                  .shadow = {}});
    frame.budget = outer.budget;
    frame.vectorScale = outer.vectorScale;
    frame.races = outer.races;
    frame.unwritten = outer.unwritten;
    frame.tracer = outer.tracer;
    return frame;
}

} // namespace

ThreadGroup::ThreadGroup(const Frame &outer, const std::array<std::int64_t, threadAxes> &extents)
    : m_extents(extents)
{
    const std::int64_t threads = extents[0] * extents[1] * extents[2];
    m_frames.reserve(static_cast<std::size_t>(threads));
    for (std::size_t thread = 0; thread < static_cast<std::size_t>(threads); ++thread) {
        Frame &frame = m_frames.emplace_back(forked(outer));
        frame.group = this;
        frame.thread = thread;
    }
}

ThreadGroup::~ThreadGroup()
{
    for (const Frame &frame : m_frames) {
        frame.budget->steps += std::max<std::int64_t>(frame.fuel, 0);
        frame.budget->given -= std::max<std::int64_t>(frame.fuel, 0);
        for (const Memory &memory : frame.memories) {
            frame.budget->bytes += static_cast<std::int64_t>(memory.own.size() * sizeof(std::uint64_t));
            if (frame.races && !memory.own.empty() && !memory.isPrivate)
                frame.races->release(memory);
        }
    }
}

std::int64_t ThreadGroup::index(std::size_t thread, std::size_t axis) const
{
    auto number = static_cast<std::int64_t>(thread);
    for (std::size_t inner = 0; inner < axis; ++inner)
        number /= m_extents[inner];
    return number % m_extents[axis];
}

std::string ThreadGroup::name(std::size_t thread) const
{
    if (m_extents[1] == 1 && m_extents[2] == 1)
        return "thread " + std::to_string(thread);
    return "thread (" + std::to_string(index(thread, 0)) + ", " + std::to_string(index(thread, 1)) + ", "
           + std::to_string(index(thread, 2)) + ')';
}

bool ThreadGroup::isActive(std::size_t thread) const { return std::ranges::binary_search(active, thread); }

void StmtCode::runAll(ThreadGroup &group, ActiveThreads active) const
{
    if (meets) {
        runInStep(group, active);
        return;
    }
    for (const std::size_t thread : active)
        run(group.frame(thread));
}

void StmtCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    group.active = active;
    for (const std::size_t thread : active)
        run(group.frame(thread));
}

void LaunchCode::run(Frame &frame) const
{
    frame.races->beginLaunch();
    body->run(frame);
}

void ThreadsCode::run(Frame &frame) const
{
    std::array<std::int64_t, threadAxes> threads{1, 1, 1};
    std::int64_t all = 1;
    for (std::size_t axis = 0; axis < threadAxes; ++axis) {
        if (extents[axis].empty())
            continue;
        threads[axis] = 0;
        for (const Index &extent : extents[axis])
            threads[axis] = std::max(threads[axis], extent.eval(frame));
        threads[axis] = std::min(threads[axis], mostThreads + 1); // so that the product does not overflow
        all *= threads[axis];
    }
    if (all > mostThreads)
        stopWith(place, codes::unsupported,
                 place.name() + " runs with more than " + std::to_string(mostThreads)
                     + " threads in a block, which is more than any device has",
                 "bind fewer iterations to threadIdx, the others to blockIdx");
    if (all == 0)
        return;
    if (frame.races)
        frame.races->meet(); // all groups of a block run one after the other
    ThreadGroup group(frame, threads);
    std::vector<std::size_t> everyone(group.size());
    std::iota(everyone.begin(), everyone.end(), std::size_t{0});
    body->runAll(group, everyone);
}

bool ThreadAxisCode::enter(Frame &frame) const
{
    const std::int64_t index = frame.group->index(frame.thread, axis);
    if (index >= extent.eval(frame))
        return false;
    frame.step();
    frame.slots[slot].i = wrappingAdd(min.eval(frame), index);
    return true;
}

void ThreadAxisCode::run(Frame &frame) const
{
    if (enter(frame))
        body->run(frame);
}

void ThreadAxisCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    std::vector<std::size_t> inside;
    std::ranges::copy_if(active, std::back_inserter(inside),
                         [&](std::size_t thread) { return enter(group.frame(thread)); });
    body->runAll(group, inside);
}

void BarrierCode::run(Frame &frame) const { frame.step(); }

void BarrierCode::runInStep(ThreadGroup &group, ActiveThreads active) const
{
    RaceFinder *races = active.empty() ? nullptr : group.frame(active.front()).races;
    const std::size_t together = ofWarp ? static_cast<std::size_t>(ir::warpSize) : group.size();
    for (std::size_t first = 0; first < group.size(); first += together) {
        const std::size_t end = std::min(first + together, group.size());
        const auto here = static_cast<std::size_t>(
            std::ranges::count_if(active, [&](std::size_t each) { return each >= first && each < end; }));
        if (ofWarp && here == 0)
            continue;
        if (here == end - first) {
            if (races)
                ofWarp ? races->meetWarp(first / together) : races->meet();
            continue;
        }
        std::size_t missing = first;
        while (std::ranges::binary_search(active, missing))
            ++missing;
        stopWith(place, "interp.divergent-barrier",
                 "only " + std::to_string(here) + " of " + std::to_string(end - first) + " threads "
                     + (ofWarp ? "of a warp " : "") + "reach a barrier in " + place.name() + ", "
                     + group.name(missing) + " does not",
                 "a barrier must be where all threads come by: outside of conditions and loops that only "
                 "some run");
    }
    for (const std::size_t thread : active)
        group.frame(thread).step();
}

} // namespace nestwright::interp
