// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "app/cli/symbolic_sizes.h"
#include "core/interp/interpreter.h"
#include "core/measure/measurer.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <format>
#include <iostream>

namespace nestwright::cli {

namespace {

struct VerifyOptions : CommonOptions {
    std::uint64_t seed = 1;
    double tolerance = 1e-5;
    std::vector<std::string> sizes;
    bool interpreted = false;
};

int verified(double tolerance)
{
    std::cout << "verified: the scheduled program gives what the unscheduled one gives (relative tolerance "
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

/// Runs both functions by the interpreter on the same inputs and compares all buffers.
support::Result<void> compareInterpreted(const ir::PrimFunc &reference, const ir::PrimFunc &scheduled,
                                         interp::Sizes sizes, const VerifyOptions &options)
{
    const std::vector<std::int64_t> scalars = makeScalars(reference, sizes);
    auto expected = interp::makeArguments(reference, options.seed, sizes);
    if (!expected)
        return std::unexpected(expected.error());
    auto actual = interp::makeArguments(scheduled, options.seed, sizes);
    if (!actual)
        return std::unexpected(actual.error());
    const auto run = [&](const ir::PrimFunc &function, std::vector<ir::NdArray> &arrays) {
        std::vector<ir::NdArray *> pointers;
        for (ir::NdArray &array : arrays)
            pointers.push_back(&array);
        return interp::run(function, pointers, scalars);
    };
    if (!std::ranges::equal(*expected, *actual, [](const ir::NdArray &a, const ir::NdArray &b) {
            return a.shape() == b.shape() && a.dtype() == b.dtype();
        }))
        return support::fail("verify.other-buffers",
                             "the scheduled function takes buffers of other shapes or types");
    for (auto &&[function, arrays] : {std::pair(&reference, &*expected), std::pair(&scheduled, &*actual)}) {
        if (auto done = run(*function, *arrays); !done)
            return done;
    }
    for (std::size_t i = 0; i < expected->size(); ++i) {
        const bool exact = !(*expected)[i].dtype().isFloating();
        const ir::Deviation worst = ir::compare((*expected)[i], (*actual)[i], exact ? 0 : options.tolerance,
                                                exact ? 0 : options.tolerance);
        if (!worst.withinTolerance)
            return support::fail(
                "verify.wrong-result",
                std::format("wrong result: element {} of buffer {} is {}, but the unscheduled "
                            "program gives {}",
                            worst.index, i, worst.actual, worst.expected));
    }
    return {};
}

int verifyInterpreted(const ir::Module &reference, const ir::Module &scheduled, const interp::Sizes &sizes,
                      const VerifyOptions &options)
{
    for (const ir::Module::Entry &entry : reference.functions()) {
        const auto other = std::ranges::find(scheduled.functions(), entry.name, &ir::Module::Entry::name);
        if (other == scheduled.functions().end())
            continue;
        if (const auto same = compareInterpreted(*entry.function, *other->function, sizes, options); !same)
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
    if (options.interpreted)
        return verifyInterpreted(original->module, scheduled->state.module, *sizes, options);
    measure::MeasureJob job;
    job.reference = original->module;
    job.variants = {scheduled->state.module};
    job.target = scheduled->target;
    job.sizes = *sizes;
    job.defaultSize = 128;
    job.seed = options.seed;
    job.verifyOnly = true;
    job.relativeTolerance = options.tolerance;
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
    app.add_flag("--interpreter", options->interpreted,
                 "run both by the reference interpreter: slow, but for thread loops and any function too");
    return [options] { return verify(*options); };
}

} // namespace nestwright::cli
