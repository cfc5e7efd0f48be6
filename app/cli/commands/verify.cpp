// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "app/cli/symbolic_sizes.h"
#include "core/measure/measurer.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace nestwright::cli {

namespace {

struct VerifyOptions : CommonOptions {
    std::uint64_t seed = 1;
    double tolerance = 1e-5;
    std::vector<std::string> sizes;
};

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
    std::cout << "verified: the scheduled program gives what the unscheduled one gives (relative tolerance "
              << options.tolerance << ")\n";
    return Done;
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
    return [options] { return verify(*options); };
}

} // namespace nestwright::cli
