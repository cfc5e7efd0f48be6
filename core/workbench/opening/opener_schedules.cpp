// SPDX-License-Identifier: Apache-2.0
/// Schedules by name, and the ways of steps that they make.
#include "core/schedule/primitive.h"
#include "core/schedule/script/trace_json.h"
#include "core/session/reuse/own_schedule.h"
#include "core/session/reuse/recipe.h"
#include "core/support/files/input_file.h"
#include "core/workbench/opening/module_names.h"
#include "core/workbench/opening/opener.h"

namespace nestwright::workbench {

using explore::StepPath;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

bool isRecipe(std::string_view schedule) { return schedule.starts_with(recipePrefix); }

/// The recipe that a schedule names.
Result<session::Recipe> recipeOf(std::string_view schedule, const target::Target &target)
{
    return session::findRecipe(schedule.substr(recipePrefix.size()), target);
}

Result<StepPath> pathAlong(const schedule::State &root, const schedule::ScriptRun &run)
{
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : run.steps)
        steps.push_back(each.step);
    return StepPath::along(root, steps);
}

} // namespace

Result<schedule::ScriptRun> Opener::runSchedule(const schedule::State &state, const std::string &schedule)
{
    const auto watched = watch(schedule);
    if (isRecipe(schedule)) {
        const auto recipe = recipeOf(schedule, m_target);
        return recipe ? session::runRecipe(state, *recipe) : std::unexpected(recipe.error());
    }
    const auto text = support::readText(schedule);
    if (!text)
        return std::unexpected(text.error());
    return schedule.ends_with(".json") ? schedule::runTraceJson(state, *text, schedule)
                                       : session::runScriptFor(state, *text, schedule, m_target);
}

Result<StepPath> Opener::pathOf(const schedule::State &root, const std::string &schedule)
{
    if (schedule.empty())
        return StepPath(root);
    const auto run = runSchedule(root, schedule);
    return run ? pathAlong(root, *run) : std::unexpected(run.error());
}

/// The steps of the module's own schedule, or to a session's variant that is taken where no schedule is
/// given.
Result<StepPath> Opener::ownPath(const std::string &module, bool isForSchedule)
{
    if (isSession(module)) {
        const auto session = openSession(module);
        if (!session)
            return fail(session.error());
        const session::VariantTree &tree = session->tree();
        const bool isStart = isForSchedule && sessionAndVariant(module).second.empty();
        return isStart ? StepPath(*tree.root().state) : tree.steps(tree.current().id);
    }
    const auto kernel = openModule(module);
    if (!kernel)
        return fail(kernel.error());
    const auto initial = schedule::makeState(kernel->module);
    if (!initial)
        return fail(initial.error());
    if (kernel->schedules.empty())
        return StepPath(*initial);
    auto own = session::runOwnSchedule(*initial, kernel->schedules.back(), fileAndSchedule(module).first);
    return own.error ? fail(*std::move(own.error)) : pathAlong(*initial, own.run);
}

Result<StepPath> Opener::loadPath(const std::string &module, const std::string &schedule)
{
    auto own = ownPath(module, !schedule.empty());
    if (!own || schedule.empty())
        return own;
    const auto more = pathOf(own->end(), schedule);
    if (!more)
        return fail(more.error());
    std::vector<schedule::Step> steps = own->steps();
    steps.insert(steps.end(), more->steps().begin(), more->steps().end());
    return StepPath::along(own->state(0), steps);
}

Result<WrittenPath> Opener::loadWritten(const std::string &module, const std::string &schedule)
{
    if (schedule.empty() && isSession(module)) {
        const auto session = openSession(module);
        if (!session)
            return fail(session.error());
        const session::VariantTree &tree = session->tree();
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

Result<session::TransferSchedule> Opener::loadSteps(const std::string &schedule)
{
    session::TransferSchedule steps{.name = nameOfSchedule(schedule),
                                    .run = [opener = *this, schedule](const schedule::State &state) mutable {
                                        return opener.runSchedule(state, schedule);
                                    }};
    if (isRecipe(schedule)) {
        auto recipe = recipeOf(schedule, m_target);
        if (!recipe)
            return fail(recipe.error());
        const std::size_t values = schedule.find(':', recipePrefix.size());
        steps.name = recipe->name + (values == std::string::npos ? "" : schedule.substr(values));
        steps.text = std::move(recipe->text);
        return steps;
    }
    auto text = support::readText(schedule);
    if (!text)
        return fail(text.error());
    if (!schedule.ends_with(".json"))
        steps.text = std::move(*text);
    return steps;
}

} // namespace nestwright::workbench
