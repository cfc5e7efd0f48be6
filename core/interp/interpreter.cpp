// SPDX-License-Identifier: Apache-2.0
#include "core/interp/interpreter.h"

#include "core/interp/codes.h"
#include "core/interp/compiler.h"
#include "core/interp/watch/iteration_races.h"
#include "core/interp/watch/races.h"
#include "core/interp/watch/unwritten.h"
#include "core/support/errors/errors.h"

#include <bit>
#include <new>

namespace nestwright::interp {

using ir::NdArray;
using support::Result;

namespace {

[[noreturn]] void badArgument(std::string message, std::string hint = {})
{
    stopWith({}, codes::argument, std::move(message), std::move(hint));
}

std::string shapeText(const std::vector<std::int64_t> &shape)
{
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + ')';
}

void checkCounts(const Program &program, std::size_t buffers, std::size_t scalars)
{
    if (buffers != program.arguments.size()) {
        badArgument("the function takes " + std::to_string(program.arguments.size()) + " buffers, but "
                    + std::to_string(buffers) + " arrays were given");
    }
    if (scalars != program.scalars.size()) {
        badArgument("the function takes " + std::to_string(program.scalars.size()) + " scalars, but "
                    + std::to_string(scalars) + " were given");
    }
}

/// A flat buffer, as lowering makes them, takes an array of any shape.
std::vector<std::int64_t> shapeFor(const Program::Argument &argument, const NdArray &array)
{
    const bool flat = argument.buffer.shape().size() == 1 && array.shape().size() != 1;
    return flat ? std::vector{array.size()} : array.shape();
}

/// A stride that several arrays share must be that of each of them.
void setStride(const Program::Argument &argument, std::size_t dimension, std::int64_t stride, Frame &frame)
{
    Slot &slot = frame.slots[argument.strideSlots[dimension]];
    if (slot.i != 0 && slot.i != stride)
        badArgument("the stride '" + ir::Var::from(argument.buffer->strides[dimension]).name()
                        + "' of the buffer '" + argument.buffer.name() + "' is " + std::to_string(stride)
                        + ", but that of another buffer by the same variable " + std::to_string(slot.i),
                    "give each buffer strides of its own");
    slot.i = stride;
}

void bindMemory(const Program::Argument &argument, NdArray &array, Frame &frame)
{
    const ir::Buffer &buffer = argument.buffer;
    if (array.dtype() != argument.elements) {
        badArgument("the buffer '" + buffer.name() + "' is of type '" + argument.elements.str()
                    + "', but the array given for it of type '" + array.dtype().str() + '\'');
    }
    const std::vector<std::int64_t> shape = shapeFor(argument, array);
    if (shape.size() != buffer.shape().size()) {
        badArgument("the buffer '" + buffer.name() + "' has " + std::to_string(buffer.shape().size())
                    + " dimensions, but the array given for it has the shape " + shapeText(array.shape()));
    }
    Memory &memory = frame.memories[argument.memory];
    memory.data = array.bytes().data();
    memory.bytes = static_cast<std::int64_t>(array.bytes().size());
    std::int64_t compact = 1;
    for (std::size_t i = argument.strideSlots.size(); i-- > 0;) {
        if (argument.strideSlots[i] != Program::npos)
            setStride(argument, i, compact, frame);
        compact *= shape[i];
    }
    for (std::size_t slot : argument.offsetSlots)
        frame.slots[slot].i = 0;
}

/// Sets up the view of an argument once sizes are known, and checks that the array has the shape it must
/// have.
void bindView(const Program::Argument &argument, const NdArray &array, Frame &frame)
{
    argument.setup.run(frame);
    std::vector<std::int64_t> shape;
    for (const Dimension &dimension : frame.views[argument.setup.view].dimensions)
        shape.push_back(dimension.extent);
    if (shape != shapeFor(argument, array)) {
        badArgument("the buffer '" + argument.buffer.name() + "' has the shape " + shapeText(shape)
                        + ", but the array given for it the shape " + shapeText(array.shape()),
                    "sizes with the same name must be the same in all arrays");
    }
}

void bindArguments(const Program &program, std::span<NdArray *const> buffers,
                   std::span<const std::int64_t> scalars, Frame &frame)
{
    checkCounts(program, buffers.size(), scalars.size());
    for (std::size_t i = 0; i < buffers.size(); ++i)
        bindMemory(program.arguments[i], *buffers[i], frame);
    for (const Program::Symbol &symbol : program.symbols)
        frame.slots[symbol.slot].i =
            shapeFor(program.arguments[symbol.argument], *buffers[symbol.argument])[symbol.dimension];
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        Slot &slot = frame.slots[program.scalarSlots[i]];
        if (program.scalars[i].dtype().isFloating())
            slot.f = std::bit_cast<double>(scalars[i]);
        else
            slot.i = scalars[i];
    }
    for (std::size_t i = 0; i < buffers.size(); ++i)
        bindView(program.arguments[i], *buffers[i], frame);
    for (const auto &setups : *program.setups) {
        for (const ViewSetup &setup : setups) {
            if (frame.memories[setup.memory].data)
                setup.run(frame); // another buffer over a parameter's memory
        }
    }
}

/// Runs the program to its end, or until the listener ends it.
void runTraced(const Program &program, Frame &frame, TraceListener &listener)
try {
    AccessTracer tracer(listener);
    listener.begin(program.sites);
    frame.tracer = &tracer;
    program.body->run(frame);
    tracer.flush();
} catch (const AccessTracer::Ended &) {
    frame.tracer = nullptr;
}

/// `after` gets what was found about races, while the places in it stand. `listener` may be null.
template <class After>
Result<void> runThen(const ir::PrimFunc &function, std::span<NdArray *const> buffers,
                     std::span<const std::int64_t> scalars, const Limits &limits, const After &after,
                     TraceListener *listener = nullptr)
try {
    const Program program = compileProgram(function, limits);
    Frame frame;
    frame.slots.resize(program.slotCount, Slot{.i = 0});
    frame.views.resize(program.viewCount);
    frame.memories.resize(program.setups->size());
    Budget budget{
        .steps = limits.steps, .bytes = limits.bytes, .stop = limits.stop, .progress = &limits.progress};
    frame.budget = &budget;
    frame.vectorScale = limits.vectorScale;
    RaceFinder races;
    IterationRaces iterations;
    UnwrittenFinder unwritten;
    if (limits.findRaces) {
        frame.races = &races;
        frame.iterations = &iterations;
    }
    if (limits.findUnwritten)
        frame.unwritten = &unwritten;
    for (const std::size_t output : limits.findUnwritten ? limits.outputs : std::vector<std::size_t>()) {
        Memory &memory = frame.memories[program.arguments.at(output).memory];
        memory.shadow.assign(buffers[output]->bytes().size(), NeverWritten);
        memory.undefined = memory.shadow.data();
    }
    bindArguments(program, buffers, scalars, frame);
    if (listener)
        runTraced(program, frame, *listener);
    else
        program.body->run(frame);
    for (const Program::Argument &argument : program.arguments) {
        if (const Memory &memory = frame.memories[argument.memory]; memory.undefined)
            unwritten.checkOutput(memory, argument.buffer.name());
    }
    after(races);
    return {};
} catch (const support::UserError &error) {
    return support::fail(error.diagnostic());
} catch (const std::bad_alloc &) {
    return support::fail(
        support::diagnostic(codes::memoryLimit, "there is not enough memory to run the function")
            .withHint("run it with smaller sizes"));
}

} // namespace

Result<void> run(const ir::PrimFunc &function, std::span<NdArray *const> buffers,
                 std::span<const std::int64_t> scalars, const Limits &limits)
{
    return runThen(function, buffers, scalars, limits, [](const RaceFinder &) {});
}

Result<void> trace(const ir::PrimFunc &function, std::span<NdArray *const> buffers, TraceListener &listener,
                   const Limits &limits)
{
    return runThen(function, buffers, {}, limits, [](const RaceFinder &) {}, &listener);
}

Result<std::optional<support::Location>> lastWriteTo(const ArgumentElement &element,
                                                     const ir::PrimFunc &function,
                                                     std::span<NdArray *const> buffers,
                                                     std::span<const std::int64_t> scalars, Limits limits)
{
    limits.findRaces = true;
    std::optional<support::Location> found;
    const auto look = [&](const RaceFinder &races) {
        const NdArray &array = *buffers[element.buffer];
        const std::size_t bytes = array.bytes().size() / static_cast<std::size_t>(array.size());
        const std::byte *data = array.bytes().data();
        if (const CodePlace *place = races.lastWrite(data, static_cast<std::size_t>(element.index) * bytes))
            found = support::Location{.file = {}, .stmt = place->stmt, .label = place->name()};
    };
    if (auto done = runThen(function, buffers, scalars, limits, look); !done)
        return std::unexpected(done.error());
    return found;
}

} // namespace nestwright::interp
