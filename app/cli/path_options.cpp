// SPDX-License-Identifier: Apache-2.0
#include "app/cli/path_options.h"

#include "app/cli/kernel_inputs.h"
#include "app/cli/number_options.h"
#include "app/cli/session_input.h"
#include "app/cli/text/symbolic_sizes.h"
#include "core/schedule/primitive.h"
#include "core/support/text/visible.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <unistd.h>

namespace nestwright::cli {

using explore::StepPath;
using support::diagnostic;
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

Result<WrittenPath> PathOptions::loadPath() const
{
    if (schedule.empty() && isSession(module)) {
        const auto project = openSession(module);
        if (!project)
            return fail(project.error());
        const session::VariantTree &tree = project->tree();
        auto path = StepPath::along(*tree.root().state, tree.trace(tree.current().id));
        if (!path)
            return fail(path.error());
        return WrittenPath{.path = std::move(*path),
                           .lines = std::vector<int>(tree.trace(tree.current().id).size())};
    }
    if (schedule.empty())
        return fail(diagnostic("usage.schedule", "there are no steps to look through")
                        .withHint("give a schedule with --schedule or --recipe, or a session"));
    const auto initial = loadStart(module, schedule);
    if (!initial)
        return fail(initial.error());
    const auto run = runSchedule(*initial, schedule);
    if (!run)
        return fail(run.error());
    WrittenPath written{.path = StepPath(*initial), .lines = {}};
    for (const schedule::ScriptStep &each : run->steps) {
        if (each.step.primitive->isQuery)
            continue;
        if (const auto added = written.path.add(each.step); !added)
            return fail(added.error());
        written.lines.push_back(each.line);
    }
    return written;
}

Result<measure::MeasureJob> PathOptions::job() const
{
    auto runsOn = target::parseTarget(target);
    if (!runsOn)
        return fail(runsOn.error());
    const auto original = loadUnscheduled(module);
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
