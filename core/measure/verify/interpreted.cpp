// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/interpreted.h"

#include "core/analysis/access/index_inputs.h"
#include "core/analysis/access/unwritten.h"
#include "core/analysis/kernel/allocation_plan.h"
#include "core/analysis/kernel/counts.h"
#include "core/codegen/loops.h"
#include "core/interp/interpreter.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/parameter_layout.h"
#include "core/lower/custom_intrinsics.h"
#include "core/lower/pipeline.h"
#include "core/measure/build/given_inputs.h"
#include "core/measure/build/job_arguments.h"
#include "core/measure/codes.h"
#include "core/measure/verify/comparison.h"
#include "core/measure/verify/error_bounds.h"
#include "core/measure/verify/sound_program.h"
#include "core/measure/worker/kernel_arrays.h"
#include "core/script/printed_places.h"
#include "core/support/errors/codes.h"
#include "core/support/phase.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <format>
#include <functional>
#include <utility>

namespace nestwright::measure {

using support::fail;
using support::Result;

namespace {

/// Numbers for the parameters that are no buffers; `sizes` gets those that stand for symbolic sizes.
std::vector<std::int64_t> makeScalars(const ir::PrimFunc &function, interp::Sizes &sizes)
{
    std::vector<std::int64_t> scalars;
    for (const ir::Param &param : function.params) {
        if (param.buffer)
            continue;
        if (param.var.dtype().isFloating())
            scalars.push_back(std::bit_cast<std::int64_t>(1.25));
        else
            scalars.push_back(
                sizes.try_emplace(param.var.name(), static_cast<std::int64_t>(7 + scalars.size()))
                    .first->second);
    }
    return scalars;
}

using Inputs = std::map<std::string, ir::NdArray>;

/// Random arguments, and those that were given; index inputs lie within bounds.
Result<std::vector<ir::NdArray>> randomArrays(const ir::PrimFunc &function, std::uint64_t seed,
                                              interp::Sizes sizes, const Inputs &inputs)
{
    if (auto bound = bindInputs(function, inputs, sizes); !bound)
        return std::unexpected(bound.error());
    auto arrays = interp::makeArguments(function, seed, sizes);
    if (!arrays)
        return arrays;
    const auto ranges = analysis::indexInputs(function, sizes);
    std::size_t place = 0;
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        const ir::Buffer &buffer = function.params[i].buffer;
        if (!buffer)
            continue;
        ir::NdArray &array = (*arrays)[place++];
        if (auto fits = ir::checkStrides(buffer, array.shape()); !fits)
            return std::unexpected(fits.error());
        if (const auto given = inputs.find(buffer.name()); given != inputs.end()) {
            std::ranges::copy(given->second.bytes(), array.bytes().begin());
        } else if (const auto range = ranges.find(i); range != ranges.end()) {
            BufferSpec spec;
            spec.range = {range->second.low, range->second.high};
            spec.isAscending = range->second.isAscending;
            fillRandomly(array, seed + place, spec);
        }
    }
    return arrays;
}

Result<void> interpret(const ir::PrimFunc &function, std::vector<ir::NdArray> &arrays,
                       const std::vector<std::int64_t> &scalars, const interp::Limits &limits)
{
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : arrays)
        pointers.push_back(&array);
    auto done = interp::run(function, pointers, scalars, limits);
    if (!done && limits.stop.stop_requested())
        return fail(support::codes::cancelled, "verifying was cancelled");
    return done;
}

/// Results of the reference in double precision from the same inputs, with bounds behind them; empty where
/// that is another program.
std::vector<ir::NdArray> boundedResults(const BoundedProgram &program, const std::string &name,
                                        const std::vector<ir::NdArray> &inputs,
                                        const std::vector<std::int64_t> &scalars,
                                        const interp::Limits &limits)
{
    ArgumentSet set;
    for (const ir::NdArray &input : inputs)
        set.buffers.push_back({input.dtype(), input.shape()});
    std::vector<ir::NdArray> arrays = inDouble(inputs, set, program.bounded);
    if (!interpret(*program.module.find(name), arrays, scalars, limits))
        return {};
    return arrays;
}

/// How often the innermost bodies run at most, where the loops' lengths are numbers; other loops count once.
class Iterations : public ir::Visitor {
public:
    double total = 0;
    double steps = 0; ///< of the interpreter: iterations, blocks and stores

    void stmt(const ir::Stmt &s) override
    {
        const auto *loop = s.as<ir::For>();
        const std::int64_t *extent = loop ? ir::asInt(loop->extent) : nullptr;
        const double around = m_times;
        if (extent)
            m_times *= static_cast<double>(*extent);
        if (s.as<ir::BufferStore>() || s.as<ir::Evaluate>())
            total += m_times;
        if (loop || s.as<ir::BufferStore>() || s.as<ir::Block>())
            steps += m_times;
        children(s);
        m_times = around;
    }
    void expr(const ir::Expr &) override {}

private:
    double m_times = 1;
};

double stepsOf(const ir::PrimFunc &function)
{
    Iterations iterations;
    iterations.stmt(function.body);
    return std::max(1.0, iterations.steps);
}

/// Reports the progress of interpreter runs, and the time left at the pace so far.
class Pace {
public:
    explicit Pace(double steps) : m_steps(steps) {}

    /// Progress callback for a run of `steps` in all.
    std::function<void(std::int64_t)> ofRun(double steps)
    {
        const double before = std::exchange(m_begun, m_begun + steps);
        return [this, before, steps](std::int64_t done) {
            tell(before + std::min(static_cast<double>(done), steps));
        };
    }

private:
    using Clock = std::chrono::steady_clock;

    void tell(double done)
    {
        constexpr auto pause = std::chrono::milliseconds(500);
        const Clock::time_point now = Clock::now();
        if (now - m_told < pause || done <= 0)
            return;
        m_told = now;
        const double share = std::min(1.0, done / m_steps),
                     taken = std::chrono::duration<double>(now - m_start).count();
        support::tellPhase(std::format("interpreter: {:.0f} %, some {:.0f} s left", 100 * share,
                                       std::ceil(taken / share * (1 - share))));
    }

    double m_steps, m_begun = 0;
    Clock::time_point m_start = Clock::now(), m_told = m_start;
};

double operationsOf(const ir::PrimFunc &function, const interp::Sizes &sizes)
{
    Iterations iterations;
    iterations.stmt(function.body);
    return std::max(analysis::countsOf(function, sizes).flops, iterations.total);
}

/// The interpreter comes to the end of it within an hour or so, as far as its operations can be counted
/// beforehand.
Result<void> requireToEnd(const ir::PrimFunc &function, const std::string &name, const interp::Sizes &sizes)
{
    constexpr double most = 1e11;
    const double operations = operationsOf(function, sizes);
    if (operations <= most)
        return {};
    if (!std::isfinite(operations))
        return fail(beyondCounting(name));
    return fail(
        support::diagnostic(codes::tooSlow, std::format("'{}' computes {:.1e} operations, for which the "
                                                        "interpreter would take hours",
                                                        name, operations))
            .withHint("verify it compiled, or with smaller sizes (--size)"));
}

/// Adds the place whose thread wrote the wrong element, as a run on `inputs` finds it.
void nameWriter(support::Diagnostic &wrong, const interp::ArgumentElement &element,
                const ir::PrimFunc &lowered, std::vector<ir::NdArray> inputs,
                const std::vector<std::int64_t> &scalars, const interp::Limits &limits)
{
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : inputs)
        pointers.push_back(&array);
    const auto writer = interp::lastWriteTo(element, lowered, pointers, scalars, limits);
    if (!writer)
        return;
    if (!*writer) {
        wrong.message += "; no thread changes it";
        return;
    }
    wrong.message += "; it is written in " + (*writer)->label;
    if ((*writer)->stmt)
        wrong.locations.push_back(**writer);
}

/// Runs the function of `entry` and `lowered`, which is `scheduled` or what became of it, on the same inputs
/// and compares all buffers.
Result<void> compareInterpreted(const ir::Module &module, const ir::Module::Entry &entry,
                                const ir::PrimFunc &scheduled, const ir::PrimFunc &lowered,
                                const MeasureJob &job, interp::Limits limits)
{
    const ir::PrimFunc &reference = *entry.function;
    interp::Sizes sizes = job.sizes;
    const std::vector<std::int64_t> scalars = makeScalars(reference, sizes);
    for (const ir::PrimFunc *function : {&reference, &scheduled}) {
        if (auto ends = requireToEnd(*function, entry.name, sizes); !ends)
            return ends;
    }
    auto begin = randomArrays(reference, job.seed, sizes, job.inputs);
    if (!begin)
        return std::unexpected(begin.error());
    auto other = randomArrays(scheduled, job.seed, sizes, job.inputs);
    if (!other)
        return std::unexpected(other.error());
    if (!std::ranges::equal(*begin, *other, [](const ir::NdArray &a, const ir::NdArray &b) {
            return a.shape() == b.shape() && a.dtype() == b.dtype();
        }))
        return fail("verify.other-buffers", "the scheduled function takes buffers of other shapes or types");
    std::vector<ir::NdArray> expected = *begin, actual = *begin;
    limits.outputs = analysis::pureOutputs(reference);
    if (limits.findRaces)
        limits.ownMemories = analysis::memoriesOfRounds(lowered);
    const auto bounded = withErrorBounds(module, entry.name);
    const double ofReference = stepsOf(reference), ofLowered = stepsOf(lowered),
                 ofBounds = bounded ? stepsOf(*bounded->module.find(entry.name)) : 0;
    Pace pace(ofReference + ofLowered + ofBounds);
    if (auto done = interpret(reference, expected, scalars,
                              {.stop = limits.stop,
                               .progress = pace.ofRun(ofReference),
                               .findUnwritten = limits.findUnwritten,
                               .outputs = limits.outputs});
        !done)
        return done;
    limits.progress = pace.ofRun(ofLowered);
    if (auto done = interpret(lowered, actual, scalars, limits); !done)
        return done;
    limits.progress = {};
    const auto wide = bounded ? boundedResults(*bounded, entry.name, *begin, scalars,
                                               {.stop = limits.stop, .progress = pace.ofRun(ofBounds)})
                              : std::vector<ir::NdArray>();
    if (limits.stop.stop_requested())
        return fail(support::codes::cancelled, "verifying was cancelled");
    const std::span precise(wide.begin(), wide.empty() ? 0 : expected.size());
    const std::span bounds(wide.begin() + std::ssize(precise), wide.end());
    const auto places = bounded ? std::span(bounded->bounded) : std::span<const std::size_t>();
    Telling told;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Expected of = expectedOf(i, expected, precise, bounds, places);
        if (!std::ranges::equal(expected[i].bytes(), (*begin)[i].bytes()))
            told.add(tellingOf(of));
        const double otherwise = of.bounds ? 0 : 1e-5;
        const double relative = job.relativeTolerance.value_or(otherwise);
        const Tolerance tolerance{relative, relative, longestReduction(reference, sizes)};
        if (const auto excess = firstExcess(of, actual[i], tolerance)) {
            const std::string element =
                "buffer " + std::to_string(i) + elementIndices(excess->index, expected[i].shape());
            support::Diagnostic wrong = support::diagnostic(
                codes::wrongResult, describe(*excess, element, expected[i].dtype(), tolerance));
            if (limits.findRaces && job.target.isGpu())
                nameWriter(wrong, {i, excess->index}, lowered, *begin, scalars, limits);
            return fail(std::move(wrong));
        }
    }
    return told.tells() ? Result<void>() : fail(tellNothing());
}

/// Compares likewise all functions that the three modules have by the same name.
Result<void> compareFunctions(const ir::Module &reference, const ir::Module &scheduled,
                              const ir::Module &lowered, const MeasureJob &job, const interp::Limits &limits)
{
    for (const ir::Module::Entry &entry : reference.functions()) {
        const ir::Function before = scheduled.find(entry.name), function = lowered.find(entry.name);
        if (!before || !function)
            continue;
        if (auto same = compareInterpreted(reference, entry, *before, *function, job, limits); !same)
            return same;
    }
    return {};
}

} // namespace

Result<void> verifyByInterpreter(const MeasureJob &job, const ir::Module &scheduled, std::stop_token stop)
{
    if (!job.target.isGpu() && !codegen::requireNoThreads(scheduled)) {
        MeasureJob onThreads = job;
        onThreads.target.kind = target::TargetKind::OpenCl;
        return verifyByInterpreter(onThreads, scheduled, std::move(stop));
    }
    // The interpreter knows a script's own intrinsics by the target's rules for them.
    const auto reference = lower::lowerCustomIntrinsics(job.reference, job.target);
    if (!reference)
        return fail(reference.error());
    const auto known = lower::lowerCustomIntrinsics(scheduled, job.target);
    if (!known)
        return fail(known.error());
    const auto other = job.target.isGpu() ? lower::lowerToThreads(*known, job.target, stop) : known;
    if (!other)
        return fail(other.error());
    for (const ir::Module::Entry &entry : reference->functions()) {
        for (const ir::Module *module : {&*reference, &*known}) {
            if (auto sound = requireSound(*module, entry.name); !sound)
                return sound;
        }
    }
    auto same = compareFunctions(*reference, *known, *other, job,
                                 {.stop = std::move(stop), .findRaces = true, .findUnwritten = true});
    if (!same)
        return fail(script::withPrintedPlaces(same.error(), *known));
    return same;
}

double interpretedOperations(const MeasureJob &job, const ir::Module &scheduled)
{
    double operations = 0;
    for (const ir::Module *module : {&job.reference, &scheduled}) {
        for (const ir::Module::Entry &entry : module->functions())
            operations += operationsOf(*entry.function, job.sizes);
    }
    return operations;
}

bool isQuicklyInterpreted(const MeasureJob &job, const ir::Module &scheduled)
{
    constexpr double most = 1e7;
    return interpretedOperations(job, scheduled) <= most;
}

Result<void> verifyLowered(const MeasureJob &job, const ir::Module &lowered, std::stop_token stop)
{
    return compareFunctions(job.reference, job.reference, lowered, job, {.stop = std::move(stop)});
}

} // namespace nestwright::measure
