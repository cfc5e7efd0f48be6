// SPDX-License-Identifier: Apache-2.0
/// The compact form a function is run in: trees of small objects over numbered slots, and the state they work
/// on.
#pragma once

#include "core/interp/interpreter.h"
#include "core/ir/odd_rounding.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace nestwright::interp {

/// A variable's value: integers (uint64 as its bits) or floating point.
union Slot {
    std::int64_t i;
    double f;
};

/// Sums and products that wrap around instead of overflowing.
inline std::int64_t wrappingAdd(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrappingMul(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// A piece of memory, an argument's or an allocated one.
struct Memory {
    std::byte *data = nullptr;
    std::int64_t bytes = 0;
    bool isPrivate = false;            ///< of one thread of a group
    std::vector<std::uint64_t> own;    ///< behind `data` where the function allocated it
    std::uint8_t *undefined = nullptr; ///< one `Written` (unwritten.h) per byte; null: all is written
    std::vector<std::uint8_t> shadow;  ///< behind `undefined`
};

struct Dimension {
    std::int64_t extent = 0, stride = 0; ///< elements
};

/// A buffer as it stands at run time.
struct View {
    std::byte *data = nullptr;
    std::int64_t capacity = 0; ///< elements from `data` to the end of the memory
    std::int64_t offset = 0;   ///< elements
    std::vector<Dimension> dimensions;
    std::size_t memory = 0;            ///< number of the memory below
    std::uint8_t *undefined = nullptr; ///< as the memory has it, from `data` on
};

struct AccessTarget;

/// A load of an element that nobody wrote, for the value under way.
struct UnwrittenRead {
    const AccessTarget *target = nullptr; ///< null: there was none
    std::int64_t offset = 0;              ///< from the begin of the view's data; elements of single lanes
};

class AccessTracer;
class ThreadGroup;
class RaceFinder;
class IterationRaces;
class UnwrittenFinder;

/// Left of what a run may use; threads of a device use one together.
struct Budget {
    std::int64_t steps = 0;
    std::int64_t bytes = 0;
    std::stop_token stop;
    const std::function<void(std::int64_t)> *progress = nullptr;
    std::int64_t given = 0; ///< of the steps, so far
};

/// Jumps under way: none, to the end of the iteration, or out of the loop.
enum class Jump : std::uint8_t { None, Iteration, Loop };

/// All that changes while a function runs; each thread of a group has its own.
struct Frame {
    std::vector<Slot> slots;
    std::vector<View> views;
    std::vector<Memory> memories;
    int lane = 0;          ///< which lane of a vector expression is being evaluated
    std::int64_t fuel = 0; ///< steps until the next look at the budget
    Budget *budget = nullptr;
    std::int64_t vectorScale = 1;         ///< value of T.vscale()
    ThreadGroup *group = nullptr;         ///< that runs this thread in step with others; null where none does
    std::size_t thread = 0;               ///< number in the group
    RaceFinder *races = nullptr;          ///< null where races are not looked for
    IterationRaces *iterations = nullptr; ///< the same between iterations of parallel loops
    UnwrittenFinder *unwritten = nullptr; ///< null where unwritten memory is not looked for
    UnwrittenRead unwrittenRead;          ///< that the value under way comes from
    AccessTracer *tracer = nullptr;       ///< null where nobody asks for accesses
    Jump jump = Jump::None;               ///< under way

    /// Counts one step.
    void step()
    {
        if (--fuel < 0)
            refuel();
    }

private:
    void refuel();
};

/// An integer or boolean expression; for a vector, its lane `frame.lane`.
class IntCode {
public:
    virtual ~IntCode() = default;
    virtual std::int64_t eval(Frame &frame) const = 0;
};

class FloatCode {
public:
    virtual ~FloatCode() = default;
    /// Already rounded to the expression's type.
    virtual double eval(Frame &frame) const = 0;
};

/// Threads of a group that run a statement, by number, in ascending order.
using ActiveThreads = std::span<const std::size_t>;

class StmtCode {
public:
    virtual ~StmtCode() = default;
    /// For one thread, or where there are none.
    virtual void run(Frame &frame) const = 0;
    /// For these threads: in step where they meet in it, else one after the other.
    void runAll(ThreadGroup &group, ActiveThreads active) const;

    bool meets = false; ///< threads wait for each other in it, exchange values or share memory made in it

protected:
    /// For these threads, each part of it by all before the next part.
    virtual void runInStep(ThreadGroup &group, ActiveThreads active) const;
};

using IntPtr = std::unique_ptr<const IntCode>;
using FloatPtr = std::unique_ptr<const FloatCode>;
using StmtPtr = std::unique_ptr<const StmtCode>;

/// Code of either kind; neither is set for strings and pointers.
struct ValueCode {
    IntPtr i;
    FloatPtr f;

    ValueCode() = default;
    ValueCode(IntPtr code) : i(std::move(code)) {}
    ValueCode(FloatPtr code) : f(std::move(code)) {}

    Slot eval(Frame &frame) const
    {
        Slot slot{.i = 0};
        if (i)
            slot.i = i->eval(frame);
        else
            slot.f = f->eval(frame);
        return slot;
    }
};

/// Origin of a piece of code in the program, for messages.
struct CodePlace {
    support::StmtId stmt;  ///< nearest block, or loop where there is none
    std::string blockName; ///< empty where there is none

    /// "block 'C'", or "the function".
    std::string name() const { return blockName.empty() ? "the function" : "block '" + blockName + '\''; }
};

/// Ends the run with a Diagnostic at `place`.
[[noreturn]] void stopWith(const CodePlace &place, std::string_view code, std::string message,
                           std::string hint = {});

/// Rounding of floating-point results to a type narrower than double.
enum class Precision : std::uint8_t { Double, Single, Half, Brain };

inline double roundTo(Precision precision, double value)
{
    switch (precision) {
    case Precision::Double: return value;
    case Precision::Single: return static_cast<float>(value);
    case Precision::Half: return static_cast<double>(static_cast<_Float16>(value));
    case Precision::Brain: return ir::bfloat16ToFloat(ir::floatToBfloat16(ir::roundedToOdd(value)));
    }
    return value;
}

/// The precision of a floating dtype.
Precision precisionOf(ir::DataType dtype);

} // namespace nestwright::interp
