// SPDX-License-Identifier: Apache-2.0
#include "core/interp/access.h"

#include "core/interp/access_tracer.h"
#include "core/interp/codes.h"
#include "core/interp/thread_group.h"
#include "core/interp/watch/iteration_races.h"
#include "core/interp/watch/races.h"
#include "core/interp/watch/unwritten.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace nestwright::interp {

using ir::DataType;
using ir::TypeCode;

namespace {

struct Half {
    std::uint16_t bits;
};
struct Brain {
    std::uint16_t bits;
};

double toValue(Half x) { return ir::halfToFloat(x.bits); }
double toValue(Brain x) { return ir::bfloat16ToFloat(x.bits); }
double toValue(float x) { return x; }
double toValue(double x) { return x; }
template <class T> std::int64_t toValue(T x) { return static_cast<std::int64_t>(x); }

template <class T> constexpr bool isFloating = std::is_same_v<decltype(toValue(T{})), double>;

template <class T> T fromSlot(Slot value)
{
    if constexpr (std::is_same_v<T, Half>)
        return {std::bit_cast<std::uint16_t>(static_cast<_Float16>(value.f))};
    else if constexpr (std::is_same_v<T, Brain>)
        return {ir::floatToBfloat16(static_cast<float>(value.f))};
    else if constexpr (isFloating<T>)
        return static_cast<T>(value.f);
    else if constexpr (std::is_same_v<T, bool>)
        return value.i != 0;
    else
        return static_cast<T>(value.i);
}

/// "A[3, 128]"
std::string elementText(Frame &frame, const AccessTarget &target)
{
    std::string text = target.buffer.name() + '[';
    for (std::size_t i = 0; i < target.indices.size(); ++i)
        text += (i ? ", " : "") + std::to_string(target.indices[i].eval(frame));
    return text + ']';
}

[[noreturn]] void outOfBounds(Frame &frame, const AccessTarget &target, Verb verb, std::size_t dimension,
                              std::int64_t extent)
{
    stopWith(target.place, codes::outOfBounds,
             target.place.name() + ' ' + spelling(verb) + " '" + elementText(frame, target)
                 + "', but dimension " + std::to_string(dimension) + " of '" + target.buffer.name()
                 + "' has the extent " + std::to_string(extent),
             "indices go from 0 to " + std::to_string(extent - 1)
                 + "; guard the access or see why the index goes beyond");
}

[[noreturn]] void outOfMemory(Frame &frame, const AccessTarget &target, Verb verb, std::int64_t offset,
                              std::int64_t capacity)
{
    stopWith(target.place, codes::outOfBounds,
             target.place.name() + ' ' + spelling(verb) + " '" + elementText(frame, target)
                 + "', which is element " + std::to_string(offset) + " of memory for "
                 + std::to_string(capacity) + " elements",
             "see the strides and offset of '" + target.buffer.name() + '\'');
}

/// The offset in elements, within the buffer.
std::int64_t offsetOf(Frame &frame, const AccessTarget &target, const View &view, Verb verb)
{
    std::int64_t offset = view.offset;
    const Dimension *dimension = view.dimensions.data();
    for (const Index &code : target.indices) {
        const std::int64_t index = decidedIndex(frame, code, decidesAddress);
        if (static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(dimension->extent)) [[unlikely]]
            outOfBounds(frame, target, verb, static_cast<std::size_t>(dimension - view.dimensions.data()),
                        dimension->extent);
        offset = wrappingAdd(offset, wrappingMul(index, dimension->stride));
        ++dimension;
    }
    if (static_cast<std::uint64_t>(offset) >= static_cast<std::uint64_t>(view.capacity)) [[unlikely]]
        outOfMemory(frame, target, verb, offset, view.capacity);
    return offset;
}

/// The element's address for the current lane.
std::byte *locate(Frame &frame, const AccessTarget &target, std::size_t bytes, Verb verb)
{
    const View &view = frame.views[target.view];
    if (target.bufferLanes == 1)
        return view.data + static_cast<std::size_t>(offsetOf(frame, target, view, verb)) * bytes;
    const int lane = frame.lane;
    frame.lane = lane / target.bufferLanes;
    const auto first = static_cast<std::size_t>(offsetOf(frame, target, view, verb) * target.bufferLanes);
    frame.lane = lane;
    return view.data + (first + static_cast<std::size_t>(lane % target.bufferLanes)) * bytes;
}

/// Looks for races, where they are looked for.
void note(Frame &frame, const AccessTarget &target, const std::byte *data, std::size_t bytes, Verb verb,
          bool changes = true)
{
    if (!frame.races) [[likely]]
        return;
    frame.races->note(frame,
                      {.memory = frame.memories[frame.views[target.view].memory],
                       .data = data,
                       .bytes = bytes,
                       .verb = verb,
                       .place = target.place,
                       .changes = changes},
                      [&] { return elementText(frame, target); });
}

/// The same between iterations of parallel loops.
void noteIteration(Frame &frame, const AccessTarget &target, const std::byte *data, std::size_t bytes,
                   Verb verb, bool changes = true)
{
    if (!target.isWatched || !frame.iterations || frame.group) [[likely]]
        return;
    frame.iterations->note({.memory = frame.memories[frame.views[target.view].memory],
                            .data = data,
                            .bytes = bytes,
                            .verb = verb,
                            .place = target.place,
                            .changes = changes},
                           [&] { return elementText(frame, target); });
}

/// Notes the origin of a value from an element that was never written.
template <class T> void noteUnwritten(Frame &frame, const AccessTarget &target, const std::byte *address)
{
    const View &view = frame.views[target.view];
    if (!view.undefined || frame.unwrittenRead.target)
        return;
    const std::uint8_t *shadow = view.undefined + (address - view.data);
    std::uint8_t found = IsWritten;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        found |= shadow[i];
    if (found != IsWritten) [[unlikely]]
        frame.unwrittenRead = {.target = &target,
                               .offset = (address - view.data) / static_cast<std::ptrdiff_t>(sizeof(T))};
}

/// Reports the access to the tracer, if there is one.
void tell(Frame &frame, const AccessTarget &target, const std::byte *data)
{
    if (!frame.tracer) [[likely]]
        return;
    const std::size_t memory = frame.views[target.view].memory;
    frame.tracer->access(target.site, memory, data - frame.memories[memory].data);
}

template <class T> T loaded(Frame &frame, const AccessTarget &target)
{
    const std::byte *address = locate(frame, target, sizeof(T), Verb::Reads);
    note(frame, target, address, sizeof(T), Verb::Reads);
    noteIteration(frame, target, address, sizeof(T), Verb::Reads);
    noteUnwritten<T>(frame, target, address);
    tell(frame, target, address);
    return *reinterpret_cast<const T *>(address);
}

/// A value and its place, which is written once all others are known.
template <class T> struct Write {
    Frame *frame = nullptr;
    int lane = 0;
    T *address = nullptr;
    T value{};
    UnwrittenRead source{}; ///< where the value comes from memory that nobody wrote
};

/// Marks what is written, and whether its value was.
template <class T> void mark(const Write<T> &write, const AccessTarget &target)
{
    Frame &frame = *write.frame;
    const View &view = frame.views[target.view];
    if (!write.source.target && !view.undefined) [[likely]]
        return;
    if (write.source.target && !view.undefined)
        frame.unwritten->report(frame, write.source,
                                "stores a value of it in '" + target.buffer.name() + '\'');
    const auto *address = reinterpret_cast<const std::byte *>(write.address);
    std::memset(view.undefined + (address - view.data), write.source.target ? HoldsUnwritten : IsWritten,
                sizeof(T));
    if (write.source.target)
        frame.unwritten->pass(frame, write.source, frame.memories[view.memory]);
}

template <class T> void write(const Write<T> &write, const AccessTarget &target)
{
    if (write.frame->races || write.frame->iterations) [[unlikely]] {
        const int outer = std::exchange(write.frame->lane, write.lane);
        const auto *address = reinterpret_cast<const std::byte *>(write.address);
        const bool changes = // in any bit: of zeros and NaN, too
            !std::ranges::equal(std::span(address, sizeof(T)), std::as_bytes(std::span(&write.value, 1)));
        note(*write.frame, target, address, sizeof(T), Verb::Writes, changes);
        noteIteration(*write.frame, target, address, sizeof(T), Verb::Writes, changes);
        write.frame->lane = outer;
    }
    mark(write, target);
    tell(*write.frame, target, reinterpret_cast<const std::byte *>(write.address));
    *write.address = write.value;
}

template <class T> class IntLoad final : public IntCode {
public:
    IntLoad(AccessTarget target, IntPtr mask) : m_target(std::move(target)), m_mask(std::move(mask)) {}
    std::int64_t eval(Frame &frame) const override
    {
        if (m_mask && m_mask->eval(frame) == 0)
            return 0;
        return toValue(loaded<T>(frame, m_target));
    }

private:
    AccessTarget m_target;
    IntPtr m_mask;
};

template <class T> class FloatLoad final : public FloatCode {
public:
    FloatLoad(AccessTarget target, IntPtr mask) : m_target(std::move(target)), m_mask(std::move(mask)) {}
    double eval(Frame &frame) const override
    {
        if (m_mask && m_mask->eval(frame) == 0)
            return 0;
        return toValue(loaded<T>(frame, m_target));
    }

private:
    AccessTarget m_target;
    IntPtr m_mask;
};

template <class T> class ScalarStore final : public StmtCode {
public:
    ScalarStore(AccessTarget target, ValueCode value, IntPtr mask)
        : m_target(std::move(target))
        , m_value(std::move(value))
        , m_mask(std::move(mask))
    {
    }
    void run(Frame &frame) const override
    {
        frame.step();
        if (m_mask && decided(frame, *m_mask, decidesCondition) == 0)
            return;
        write(prepared(frame), m_target);
    }

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override
    {
        group.active = active;
        std::vector<Write<T>> writes;
        for (const std::size_t thread : active) {
            Frame &frame = group.frame(thread);
            frame.step();
            if (!m_mask || decided(frame, *m_mask, decidesCondition) != 0)
                writes.push_back(prepared(frame));
        }
        for (const Write<T> &each : writes)
            write(each, m_target);
    }

private:
    Write<T> prepared(Frame &frame) const
    {
        frame.unwrittenRead = {};
        const T value = fromSlot<T>(m_value.eval(frame));
        const UnwrittenRead source = frame.unwrittenRead;
        return {&frame, frame.lane, reinterpret_cast<T *>(locate(frame, m_target, sizeof(T), Verb::Writes)),
                value, source};
    }

    AccessTarget m_target;
    ValueCode m_value;
    IntPtr m_mask;
};

template <class T> class VectorStore final : public StmtCode {
public:
    VectorStore(AccessTarget target, ValueCode value, int lanes, IntPtr mask)
        : m_target(std::move(target))
        , m_value(std::move(value))
        , m_lanes(lanes)
        , m_mask(std::move(mask))
    {
    }
    void run(Frame &frame) const override
    {
        Writes writes;
        writes.reserve(static_cast<std::size_t>(m_lanes));
        collect(frame, writes);
        for (const Write<T> &each : writes)
            write(each, m_target);
    }

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override
    {
        group.active = active;
        Writes writes;
        for (const std::size_t thread : active)
            collect(group.frame(thread), writes);
        for (const Write<T> &each : writes)
            write(each, m_target);
    }

private:
    using Writes = std::vector<Write<T>>;

    void collect(Frame &frame, Writes &writes) const
    {
        const int outer = frame.lane;
        for (frame.lane = 0; frame.lane < m_lanes; ++frame.lane) {
            frame.step();
            if (m_mask && decided(frame, *m_mask, decidesCondition) == 0)
                continue;
            frame.unwrittenRead = {};
            const T value = fromSlot<T>(m_value.eval(frame));
            const UnwrittenRead source = frame.unwrittenRead;
            writes.push_back({&frame, frame.lane,
                              reinterpret_cast<T *>(locate(frame, m_target, sizeof(T), Verb::Writes)), value,
                              source});
        }
        frame.lane = outer;
    }

    AccessTarget m_target;
    ValueCode m_value;
    int m_lanes;
    IntPtr m_mask;
};

/// Calls `f` with a T{} of the element type in memory.
template <class F> auto withElement(DataType dtype, F &&f)
{
    switch (dtype.code) {
    case TypeCode::Int:
        switch (dtype.bits) {
        case 8: return f(std::int8_t{});
        case 16: return f(std::int16_t{});
        case 32: return f(std::int32_t{});
        default: return f(std::int64_t{});
        }
    case TypeCode::UInt:
        switch (dtype.bits) {
        case 8: return f(std::uint8_t{});
        case 16: return f(std::uint16_t{});
        case 32: return f(std::uint32_t{});
        default: return f(std::uint64_t{});
        }
    case TypeCode::Float:
        switch (dtype.bits) {
        case 16: return f(Half{});
        case 32: return f(float{});
        default: return f(double{});
        }
    case TypeCode::BFloat: return f(Brain{});
    case TypeCode::Bool: return f(bool{});
    case TypeCode::Handle:
    case TypeCode::Narrow:
    case TypeCode::Void: break;
    }
    support::internalError(__FILE__, __LINE__, "element type", dtype.str());
}

} // namespace

ValueCode makeLoad(AccessTarget target, IntPtr mask)
{
    return withElement(target.elements, [&]<class T>(T) -> ValueCode {
        if constexpr (isFloating<T>)
            return FloatPtr(std::make_unique<FloatLoad<T>>(std::move(target), std::move(mask)));
        else
            return IntPtr(std::make_unique<IntLoad<T>>(std::move(target), std::move(mask)));
    });
}

std::unique_ptr<StmtCode> makeStore(AccessTarget target, ValueCode value, int lanes, IntPtr mask)
{
    return withElement(target.elements, [&]<class T>(T) -> std::unique_ptr<StmtCode> {
        if (lanes > 1)
            return std::make_unique<VectorStore<T>>(std::move(target), std::move(value), lanes,
                                                    std::move(mask));
        return std::make_unique<ScalarStore<T>>(std::move(target), std::move(value), std::move(mask));
    });
}

} // namespace nestwright::interp
