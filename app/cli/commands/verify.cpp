// SPDX-License-Identifier: Apache-2.0
#include "app/cli/codes.h"
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "app/cli/kernel_inputs.h"
#include "app/cli/symbolic_sizes.h"
#include "core/analysis/counts.h"
#include "core/analysis/index_inputs.h"
#include "core/interp/interpreter.h"
#include "core/ir/builder.h"
#include "core/ir/parameter_layout.h"
#include "core/ir/walk.h"
#include "core/lower/custom_intrinsics.h"
#include "core/measure/comparison.h"
#include "core/measure/double_precision.h"
#include "core/measure/given_inputs.h"
#include "core/measure/job_arguments.h"
#include "core/measure/kernel_arrays.h"
#include "core/measure/measurer.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <format>
#include <iostream>
#include <optional>

namespace nestwright::cli {

namespace {

struct VerifyOptions : CommonOptions {
    std::uint64_t seed = 1;
    double tolerance = 1e-5;
    std::vector<std::string> sizes, inputs;
    bool interpreted = false;
};

int verified(double tolerance)
{
    std::cout
        << "verified: the scheduled program gives the results of the unscheduled one (relative tolerance "
        << tolerance << ")\n";
    return Done;
}

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
support::Result<std::vector<ir::NdArray>> randomArrays(const ir::PrimFunc &function, std::uint64_t seed,
                                                       interp::Sizes sizes, const Inputs &inputs)
{
    if (auto bound = measure::bindInputs(function, inputs, sizes); !bound)
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
            measure::BufferSpec spec;
            spec.range = {range->second.low, range->second.high};
            spec.isAscending = range->second.isAscending;
            measure::fillRandomly(array, seed + place, spec);
        }
    }
    return arrays;
}

support::Result<void> interpret(const ir::PrimFunc &function, std::vector<ir::NdArray> &arrays,
                                const std::vector<std::int64_t> &scalars)
{
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : arrays)
        pointers.push_back(&array);
    return interp::run(function, pointers, scalars);
}

/// Results of the reference in double precision from the same inputs; nothing where that is another program.
std::optional<std::vector<ir::NdArray>> preciseResults(const ir::Module &module, const std::string &name,
                                                       const std::vector<ir::NdArray> &inputs,
                                                       const std::vector<std::int64_t> &scalars)
{
    const auto wide = measure::inDoublePrecision(module, name);
    if (!wide)
        return std::nullopt;
    std::vector<ir::NdArray> arrays;
    for (const ir::NdArray &input : inputs) {
        ir::NdArray &array =
            arrays.emplace_back(measure::typeIn(measure::Precision::Double, input.dtype()), input.shape());
        for (std::int64_t i = 0; i < array.size() * array.dtype().lanes; ++i)
            array.set(i, input.at(i));
    }
    if (!interpret(*wide->find(name), arrays, scalars))
        return std::nullopt;
    return arrays;
}

/// How often the innermost bodies run at most, where the loops' lengths are numbers; other loops count once.
class Iterations : public ir::Visitor {
public:
    double total = 0;

    void stmt(const ir::Stmt &s) override
    {
        const auto *loop = s.as<ir::For>();
        const std::int64_t *extent = loop ? ir::asInt(loop->extent) : nullptr;
        const double around = m_times;
        if (extent)
            m_times *= static_cast<double>(*extent);
        if (s.as<ir::BufferStore>() || s.as<ir::Evaluate>())
            total += m_times;
        children(s);
        m_times = around;
    }
    void expr(const ir::Expr &) override {}

private:
    double m_times = 1;
};

/// The interpreter comes to the end of it within an hour or so, as far as its operations can be counted
/// beforehand.
support::Result<void> requireToEnd(const ir::PrimFunc &function, const std::string &name,
                                   const interp::Sizes &sizes)
{
    constexpr double most = 1e11;
    Iterations iterations;
    iterations.stmt(function.body);
    const double operations = std::max(analysis::countsOf(function, sizes).flops, iterations.total);
    if (operations <= most)
        return {};
    if (!std::isfinite(operations))
        return support::fail(measure::beyondCounting(name));
    return support::fail(
        support::diagnostic("verify.too-slow", std::format("'{}' computes {:.1e} operations, for which the "
                                                           "interpreter would take hours",
                                                           name, operations))
            .withHint("verify it compiled, or with smaller sizes (--size)"));
}

/// Runs both functions by the interpreter on the same inputs and compares all buffers.
support::Result<void> compareInterpreted(const ir::Module &module, const ir::Module::Entry &entry,
                                         const ir::PrimFunc &scheduled, interp::Sizes sizes,
                                         const Inputs &inputs, const VerifyOptions &options)
{
    const ir::PrimFunc &reference = *entry.function;
    const std::vector<std::int64_t> scalars = makeScalars(reference, sizes);
    for (const ir::PrimFunc *function : {&reference, &scheduled}) {
        if (auto ends = requireToEnd(*function, entry.name, sizes); !ends)
            return ends;
    }
    auto begin = randomArrays(reference, options.seed, sizes, inputs);
    if (!begin)
        return std::unexpected(begin.error());
    auto other = randomArrays(scheduled, options.seed, sizes, inputs);
    if (!other)
        return std::unexpected(other.error());
    if (!std::ranges::equal(*begin, *other, [](const ir::NdArray &a, const ir::NdArray &b) {
            return a.shape() == b.shape() && a.dtype() == b.dtype();
        }))
        return support::fail("verify.other-buffers",
                             "the scheduled function takes buffers of other shapes or types");
    std::vector<ir::NdArray> expected = *begin, actual = *begin;
    if (auto done = interpret(reference, expected, scalars); !done)
        return done;
    if (auto done = interpret(scheduled, actual, scalars); !done)
        return done;
    const measure::Tolerance tolerance{options.tolerance, options.tolerance,
                                       measure::longestReduction(reference, sizes)};
    std::optional<std::vector<ir::NdArray>> precise;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        auto excess = measure::firstExcess(expected[i], actual[i], tolerance);
        if (!excess)
            continue;
        if (!precise)
            precise = preciseResults(module, entry.name, *begin, scalars);
        if (precise)
            excess = measure::firstExcess(expected[i], actual[i], tolerance, &(*precise)[i]);
        if (excess) {
            const std::string element =
                "buffer " + std::to_string(i) + measure::elementIndices(excess->index, expected[i].shape());
            return support::fail(codes::wrongResult,
                                 measure::describe(*excess, element, expected[i].dtype(), tolerance));
        }
    }
    return {};
}

int verifyInterpreted(const ir::Module &reference, const ir::Module &scheduled, const interp::Sizes &sizes,
                      const Inputs &inputs, const VerifyOptions &options)
{
    for (const ir::Module::Entry &entry : reference.functions()) {
        const auto other = std::ranges::find(scheduled.functions(), entry.name, &ir::Module::Entry::name);
        if (other == scheduled.functions().end())
            continue;
        if (const auto same = compareInterpreted(reference, entry, *other->function, sizes, inputs, options);
            !same)
            return report(same.error());
    }
    return verified(options.tolerance);
}

int verify(const VerifyOptions &options)
{
    const auto original = loadUnscheduled(options.module);
    if (!original)
        return report(original.error());
    const auto scheduled = load(options);
    if (!scheduled)
        return report(scheduled.error());
    const auto sizes = parseSizes(options.sizes);
    if (!sizes)
        return report(sizes.error());
    auto inputs = readInputs(options.inputs);
    if (!inputs)
        return report(inputs.error());
    if (options.interpreted) {
        // The interpreter knows a script's own intrinsics by the target's rules for them.
        const auto reference = lower::lowerCustomIntrinsics(original->module, scheduled->target);
        const auto other = lower::lowerCustomIntrinsics(scheduled->state.module, scheduled->target);
        if (!reference || !other)
            return report(reference ? other.error() : reference.error());
        return verifyInterpreted(*reference, *other, *sizes, *inputs, options);
    }
    measure::MeasureJob job;
    job.reference = original->module;
    job.variants = {scheduled->state.module};
    job.target = scheduled->target;
    job.sizes = *sizes;
    job.defaultSize = 128;
    job.seed = options.seed;
    job.verifyOnly = true;
    job.relativeTolerance = options.tolerance;
    job.externs = options.externs;
    job.inputs = std::move(*inputs);
    measure::Measurer measurer;
    const auto results = measurer.measure(job, [](const measure::Progress &) {});
    if (!results)
        return report(results.error());
    const measure::Measurement &result = results->front();
    if (result.failure)
        return report(*result.failure);
    return verified(options.tolerance);
}

} // namespace

std::function<int()> declareVerify(CLI::App &app)
{
    auto options = std::make_shared<VerifyOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    app.add_option("--seed", options->seed, "of the random inputs")->capture_default_str();
    app.add_option("--tolerance", options->tolerance, "relative, for floating-point results")
        ->capture_default_str();
    app.add_option("--size", options->sizes, "a symbolic size, as n=1000")->allow_extra_args(false);
    addKernelInputs(app, options->inputs);
    options->addExternLibraries(app);
    app.add_flag("--interpreter", options->interpreted,
                 "run both by the reference interpreter: slow, but for thread loops and any function too");
    return [options] { return verify(*options); };
}

} // namespace nestwright::cli
