// SPDX-License-Identifier: Apache-2.0
#include "app/cli/path_options.h"

#include "app/cli/kernel_inputs.h"
#include "app/cli/number_options.h"
#include "app/cli/text/symbolic_sizes.h"
#include "core/support/text/visible.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <unistd.h>

namespace nestwright::cli {

using support::fail;
using support::Result;

void PathOptions::addModuleAndSchedule(CLI::App &app)
{
    addModule(app);
    addSchedule(app);
    addTarget(app);
}

void PathOptions::addRun(CLI::App &app)
{
    app.add_option("--seed", seed, "of the random inputs")->capture_default_str();
    app.add_option("--tolerance", tolerance,
                   "relative difference of floating-point results beyond what rounding explains")
        ->check(relativeTolerance());
    app.add_option("--size", sizes, "a symbolic size, as n=1000")->allow_extra_args(false);
    addKernelInputs(app, inputs);
    addExternLibraries(app);
}

Result<measure::MeasureJob> PathOptions::job() const
{
    auto runsOn = target::parseTarget(target);
    if (!runsOn)
        return fail(runsOn.error());
    const auto original = opener().loadUnscheduled(module);
    if (!original)
        return fail(original.error());
    auto givenSizes = parseSizes(sizes);
    if (!givenSizes)
        return fail(givenSizes.error());
    auto arrays = readInputs(inputs);
    if (!arrays)
        return fail(arrays.error());
    measure::MeasureJob made;
    made.reference = original->module;
    made.target = std::move(*runsOn);
    made.sizes = std::move(*givenSizes);
    made.seed = seed;
    made.relativeTolerance = tolerance;
    made.externs = externs;
    made.inputs = std::move(*arrays);
    return made;
}

ShownPhases::ShownPhases()
    : m_isShown(isatty(STDERR_FILENO) != 0)
    , m_scope([isShown = m_isShown](std::string_view phase) {
        if (isShown)
            std::fprintf(stderr, "\r%-60s", support::visibleName(phase).c_str());
    })
{
}

ShownPhases::~ShownPhases()
{
    if (m_isShown)
        std::fprintf(stderr, "\r%60s\r", "");
}

} // namespace nestwright::cli
