// SPDX-License-Identifier: Apache-2.0
#include "core/interp/warp_code.h"

#include "core/interp/arithmetic.h"
#include "core/interp/codes.h"
#include "core/interp/thread_group.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/threads.h"

#include <utility>

namespace nestwright::interp {

namespace {

enum class Shuffle : std::uint8_t { To, Up, Down };

/// The arguments of a shuffle: the mask says nothing that is not known from the threads that run it.
struct ShuffleCode {
    Shuffle kind;
    ValueCode value;
    IntPtr lane, width;
    CodePlace place;

    Slot eval(Frame &frame) const
    {
        if (!frame.group)
            stopWith(place, codes::unsupported,
                     place.name() + " exchanges values within a warp outside of loops over threads",
                     "bind a loop around it to threadIdx.x");
        ThreadGroup &group = *frame.group;
        const std::size_t from = source(frame);
        if (!group.isActive(from))
            stopWith(place, "interp.inactive-lane",
                     place.name() + " reads in " + group.name(frame.thread) + " the value of "
                         + group.name(from) + ", which does not run the statement",
                     "take the shuffle out of the condition, or ask only threads that fulfil it");
        Frame &other = group.frame(from);
        if (&other == &frame)
            return value.eval(frame);
        const UnwrittenRead outer = std::exchange(other.unwrittenRead, {});
        const Slot result = value.eval(other);
        if (!frame.unwrittenRead.target)
            frame.unwrittenRead = other.unwrittenRead;
        other.unwrittenRead = outer;
        return result;
    }

private:
    /// The thread whose value it is: as CUDA's __shfl_sync, __shfl_up_sync and __shfl_down_sync choose it.
    std::size_t source(Frame &frame) const
    {
        const auto own = static_cast<std::int64_t>(frame.thread) % ir::warpSize;
        const std::int64_t segment = std::clamp<std::int64_t>(width->eval(frame), 1, ir::warpSize);
        const std::int64_t first = own / segment * segment, asked = lane->eval(frame);
        std::int64_t to = kind == Shuffle::To   ? first + ((asked % segment) + segment) % segment
                          : kind == Shuffle::Up ? own - asked
                                                : own + asked;
        if (to < first || to >= first + segment)
            to = own;
        return frame.thread - static_cast<std::size_t>(own) + static_cast<std::size_t>(to);
    }
};

std::optional<Shuffle> shuffleOf(const ir::Callee &callee)
{
    if (callee == ir::intrinsics::tvmWarpShuffle)
        return Shuffle::To;
    if (callee == ir::intrinsics::tvmWarpShuffleUp)
        return Shuffle::Up;
    if (callee == ir::intrinsics::tvmWarpShuffleDown)
        return Shuffle::Down;
    return std::nullopt;
}

/// A bit for each thread of the warp that runs the statement.
std::int64_t activeMask(Frame &frame)
{
    if (!frame.group)
        return 1;
    const std::size_t first = frame.thread / ir::warpSize * ir::warpSize;
    std::int64_t mask = 0;
    for (const std::size_t thread : frame.group->active) {
        if (thread >= first && thread < first + ir::warpSize)
            mask |= std::int64_t{1} << (thread - first);
    }
    return mask;
}

} // namespace

bool isMeeting(const ir::Call &call)
{
    return call.callee == ir::intrinsics::tvmStorageSync || call.callee == ir::intrinsics::tvmWarpActiveMask
           || shuffleOf(call.callee);
}

std::optional<ValueCode> makeWarpIntrinsic(const ir::Call &call, std::vector<ValueCode> &args,
                                           const CodePlace &place)
{
    if (call.callee == ir::intrinsics::tvmWarpActiveMask)
        return intFunction(activeMask);
    const std::optional<Shuffle> kind = shuffleOf(call.callee);
    if (!kind || args.size() < 4 || !args[2].i || !args[3].i || (!args[1].i && !args[1].f))
        return std::nullopt;
    ShuffleCode code{.kind = *kind,
                     .value = std::move(args[1]),
                     .lane = std::move(args[2].i),
                     .width = std::move(args[3].i),
                     .place = place};
    if (code.value.f)
        return floatFunction([code = std::move(code)](Frame &frame) { return code.eval(frame).f; });
    return intFunction([code = std::move(code)](Frame &frame) { return code.eval(frame).i; });
}

} // namespace nestwright::interp
