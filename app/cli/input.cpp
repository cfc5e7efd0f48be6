// SPDX-License-Identifier: Apache-2.0
#include "app/cli/input.h"

#include "app/cli/session_input.h"
#include "app/cli/text/reading_time.h"
#include "core/target/kinds.h"

#include "core/frontend/open_kernel.h"
#include "core/schedule/script/trace_json.h"
#include "core/script/print/printer.h"
#include "core/session/files/project_file.h"
#include "core/session/history/script_branch.h"
#include "core/session/model/model.h"
#include "core/session/reuse/own_schedule.h"
#include "core/session/reuse/recipe.h"
#include "core/support/files/input_file.h"
#include "core/support/text/line_difference.h"
#include "core/support/text/near_names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <format>
#include <functional>
#include <iostream>
#include <utility>

namespace nestwright::cli {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {
/// "file:line:column: note: …": nothing that stops anybody.
std::string noteText(const support::Diagnostic &note)
{
    std::string text;
    if (!note.locations.empty())
        text = std::format("{}:{}:{}: ", note.locations[0].file, note.locations[0].line,
                           note.locations[0].column);
    return text + "note: " + note.message;
}

constexpr std::string_view unscheduled = "unscheduled", recipePrefix = "recipe:";

/// The program of a session's current variant, or of that which is named.
Result<schedule::State> loadSession(const std::string &module)
{
    const auto session = openSession(module);
    if (!session)
        return std::unexpected(session.error());
    const session::Variant &current = session->tree().current();
    if (current.edit)
        std::cerr << std::format("note: edited code is left out: the program of \"{}\" is taken\n", module);
    return current.state;
}

Result<schedule::State> loadRoot(const std::string &session)
{
    const auto opened = openSession(session);
    return opened ? opened->tree().root().state : std::unexpected(opened.error());
}

/// Those that a person has named, and the current one; of a session that names a variant that one alone.
Result<std::vector<NamedState>> sessionVariants(const std::string &module)
{
    const auto session = openSession(module);
    if (!session)
        return std::unexpected(session.error());
    const session::VariantTree &tree = session->tree();
    const bool isOne = !sessionAndVariant(module).second.empty();
    std::vector<NamedState> variants;
    for (const session::Variant &each : tree.all()) {
        const bool isCurrent = each.id == tree.current().id;
        if (each.isRoot() || !each.ok() || each.edit || !(isCurrent || (!isOne && !each.name.empty())))
            continue;
        variants.push_back({each.name.empty() ? "as scheduled" : each.name, *each.state});
    }
    variants.insert(variants.begin(), {std::string(unscheduled), *tree.root().state});
    return variants;
}

/// The file and the name of one of its schedules: "gemm.py#s2" gives both.
std::pair<std::string, std::string> withoutVariant(const std::string &module)
{
    const std::size_t mark = module.find(".py#");
    std::error_code unknown; // a folder without rights, a link to itself: opening the file says so
    if (mark == std::string::npos || std::filesystem::exists(module, unknown))
        return {module, {}};
    return {module.substr(0, mark + 3), module.substr(mark + 4)};
}

/// Leaves the schedule called `name` alone; all where none is named.
Result<void> keepNamed(std::vector<te::ScheduleSteps> &schedules, const std::string &name,
                       const std::string &file)
{
    if (name.empty())
        return {};
    if (name == unscheduled) {
        schedules.clear();
        return {};
    }
    const auto found = std::ranges::find(schedules, name, &te::ScheduleSteps::name);
    if (found == schedules.end()) {
        std::vector<std::string_view> known{unscheduled};
        for (const te::ScheduleSteps &each : schedules)
            known.push_back(each.name);
        return fail(
            diagnostic("open.no-variant", std::format("\"{}\" has no schedule named \"{}\"", file, name))
                .withHint(support::didYouMean(name, known)));
    }
    schedules = {std::move(*found)};
    return {};
}

/// Names the kernels of a model where one of them is wanted.
support::Diagnostic wantsKernel(const std::string &path)
{
    const auto model = session::openModel(path);
    if (!model)
        return model.error();
    constexpr std::size_t mostListed = 8;
    std::string names;
    const auto &kernels = model->program.kernels;
    for (std::size_t i = 0; i < std::min(kernels.size(), mostListed); ++i)
        names += (i ? ", " : "") + kernels[i].name;
    if (kernels.size() > mostListed)
        names += ", …";
    return diagnostic("open.model", std::format("\"{}\" is a model; one of its kernels is needed here", path))
        .withHint(kernels.empty() ? "it has none: all of it is known without running it"
                                  : std::format("write {}#{}; its {} kernels: {}", path, kernels.front().name,
                                                kernels.size(), names));
}

/// Opens a module as `frontend::openKernel` does, or a kernel of a model.
Result<frontend::OpenedKernel> openModule(const std::string &module)
{
    const auto [file, variant] = withoutVariant(module);
    if (!variant.empty()) {
        auto kernel = openModule(file);
        const auto kept = kernel ? keepNamed(kernel->schedules, variant, file) : Result<void>();
        return kept ? std::move(kernel) : std::unexpected(kept.error());
    }
    if (const auto ofModel = session::kernelOfModel(module)) {
        auto opened = session::openKernelOfModel(ofModel->first, ofModel->second);
        if (!opened)
            return fail(opened.error());
        frontend::OpenedKernel kernel;
        kernel.name = ofModel->second;
        kernel.module = std::move(*opened);
        return kernel;
    }
    std::error_code unknown;
    if (session::isModelFile(module) && std::filesystem::exists(module, unknown))
        return fail(wantsKernel(module));
    const ReadingTime time(module); // not of models, whose size is that of their weights
    auto kernel = frontend::openKernel(module);
    if (kernel && kernel->kind == frontend::KernelSource::ScheduleScript)
        return fail(diagnostic("open.not-a-kernel", "'" + module + "' is a schedule script, not a module")
                        .withHint("give the module first and the script with --schedule"));
    return kernel;
}

Result<schedule::State> scheduled(const schedule::State &initial, const te::ScheduleSteps &own,
                                  const std::string &module)
{
    schedule::PartialRun partial = session::runOwnSchedule(initial, own, withoutVariant(module).first);
    if (partial.error)
        return fail(std::move(*partial.error));
    return std::move(partial.run.state);
}

/// The program that the schedule `name` of the kernel's file makes; the kernel as it is where that does
/// nothing. Empty where the schedule fails.
std::string programOf(const frontend::OpenedKernel &kernel, const schedule::State &initial,
                      const std::string &name, const std::string &module)
{
    const auto own = std::ranges::find(kernel.schedules, name, &te::ScheduleSteps::name);
    if (own == kernel.schedules.end())
        return script::print(initial.module).text;
    const auto made = scheduled(initial, *own, module);
    return made ? script::print(made->module).text : std::string();
}

/// The differences that the file itself would print.
void showComparisons(const frontend::OpenedKernel &kernel, const schedule::State &initial,
                     const std::string &module)
{
    for (const te::ProgramComparison &each : kernel.comparisons) {
        const std::string before = programOf(kernel, initial, each.before, module);
        const std::string after = programOf(kernel, initial, each.after, module);
        if (before.empty() || after.empty())
            continue;
        std::cerr << noteText(each.note) << "\n--- " << each.before << "\n+++ " << each.after << '\n'
                  << support::lineDifference(before, after);
    }
}
} // namespace

Result<schedule::State> loadState(const std::string &module, bool notes)
{
    if (isSession(module))
        return loadSession(module);
    const auto kernel = openModule(module);
    if (!kernel)
        return std::unexpected(kernel.error());
    if (notes) {
        for (const support::Diagnostic &note : kernel->notes)
            std::cerr << noteText(note) << '\n';
    }
    const ReadingTime time(module);
    auto state = schedule::makeState(kernel->module);
    if (state && notes)
        showComparisons(*kernel, *state, module);
    return !state || kernel->schedules.empty() ? state : scheduled(*state, kernel->schedules.back(), module);
}

Result<std::vector<NamedState>> loadVariants(const std::string &module)
{
    if (isSession(module))
        return sessionVariants(module);
    std::vector<NamedState> variants;
    const auto kernel = openModule(module);
    if (!kernel)
        return std::unexpected(kernel.error());
    const auto state = schedule::makeState(kernel->module);
    if (!state)
        return std::unexpected(state.error());
    variants.push_back({std::string(unscheduled), *state});
    for (const te::ScheduleSteps &own : kernel->schedules) {
        auto made = scheduled(*state, own, module);
        if (!made && &own == &kernel->schedules.back())
            return std::unexpected(made.error());
        if (!made) {
            std::cerr << noteText(made.error()) << '\n';
            continue;
        }
        const bool isOnly = own.name.empty() || kernel->schedules.size() == 1;
        variants.push_back({isOnly ? "as scheduled" : own.name, std::move(*made)});
    }
    return variants;
}

Result<schedule::State> loadUnscheduled(const std::string &module)
{
    if (isSession(module))
        return loadRoot(module);
    const auto kernel = openModule(module);
    const ReadingTime time(module);
    return kernel ? schedule::makeState(kernel->module) : std::unexpected(kernel.error());
}

Result<schedule::State> loadStart(const std::string &module, const std::string &schedule, bool notes)
{
    const bool isBare = isSession(module) && sessionAndVariant(module).second.empty();
    return isBare && !schedule.empty() ? loadRoot(module) : loadState(module, notes);
}

Result<schedule::State> loadScheduled(const std::string &module, const std::string &schedule)
{
    auto state = loadStart(module, schedule);
    if (!state || schedule.empty())
        return state;
    auto run = runSchedule(*state, schedule);
    return run ? Result<schedule::State>(std::move(run->state)) : std::unexpected(run.error());
}

Result<schedule::ScriptRun> runSchedule(const schedule::State &state, const std::string &schedule)
{
    const ReadingTime time(schedule);
    if (schedule.starts_with(recipePrefix)) {
        const auto recipe = session::findRecipe(std::string_view(schedule).substr(recipePrefix.size()));
        return recipe ? session::runRecipe(state, *recipe) : std::unexpected(recipe.error());
    }
    const auto text = support::readText(schedule);
    if (!text)
        return std::unexpected(text.error());
    return schedule.ends_with(".json") ? schedule::runTraceJson(state, *text, schedule)
                                       : schedule::runScheduleScript(state, *text, schedule);
}

namespace {
Result<explore::StepPath> pathAlong(const schedule::State &root, const schedule::ScriptRun &run)
{
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : run.steps)
        steps.push_back(each.step);
    return explore::StepPath::along(root, steps);
}
} // namespace

support::Result<explore::StepPath> pathOf(const schedule::State &root, const std::string &schedule)
{
    if (schedule.empty())
        return explore::StepPath(root);
    const auto run = runSchedule(root, schedule);
    return run ? pathAlong(root, *run) : std::unexpected(run.error());
}

namespace {
/// The steps of the module's own schedule, or to a session's variant that is taken where no schedule is
/// given.
Result<explore::StepPath> ownPath(const std::string &module, bool isForSchedule)
{
    if (isSession(module)) {
        const auto session = openSession(module);
        if (!session)
            return fail(session.error());
        const session::VariantTree &tree = session->tree();
        const bool isStart = isForSchedule && sessionAndVariant(module).second.empty();
        return isStart ? explore::StepPath(*tree.root().state) : tree.steps(tree.current().id);
    }
    const auto kernel = openModule(module);
    if (!kernel)
        return fail(kernel.error());
    const auto initial = schedule::makeState(kernel->module);
    if (!initial)
        return fail(initial.error());
    if (kernel->schedules.empty())
        return explore::StepPath(*initial);
    auto own = session::runOwnSchedule(*initial, kernel->schedules.back(), withoutVariant(module).first);
    return own.error ? fail(*std::move(own.error)) : pathAlong(*initial, own.run);
}
} // namespace

Result<explore::StepPath> loadPath(const std::string &module, const std::string &schedule)
{
    auto own = ownPath(module, !schedule.empty());
    if (!own || schedule.empty())
        return own;
    const auto more = pathOf(own->end(), schedule);
    if (!more)
        return fail(more.error());
    std::vector<schedule::Step> steps = own->steps();
    steps.insert(steps.end(), more->steps().begin(), more->steps().end());
    return explore::StepPath::along(own->state(0), steps);
}

Result<session::VariantId> addBranch(session::Session &session, const std::string &schedule)
{
    const auto run = runSchedule(*session.tree().root().state, schedule);
    if (!run)
        return std::unexpected(run.error());
    return session::addBranch(session, *run);
}

std::string nameOfSchedule(const std::string &schedule)
{
    return schedule.starts_with(recipePrefix) ? schedule.substr(recipePrefix.size())
                                              : std::filesystem::path(schedule).stem().string();
}

namespace {
void addRecipe(CLI::App &app, const std::function<void(std::string)> &take)
{
    app.add_option_function<std::string>(
           "--recipe", [take](const std::string &name) { take(std::string(recipePrefix) + name); },
           "a recipe with values for its parameters, as gemm:rows=6 (nestc list recipes), or its file")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->trigger_on_parse();
}
} // namespace

void addSchedules(CLI::App &app, std::vector<std::string> &schedules, const std::string &description,
                  bool takesSeveral)
{
    app.add_option("--schedule", schedules, description)->allow_extra_args(takesSeveral);
    addRecipe(app, [&schedules](std::string recipe) { schedules.push_back(std::move(recipe)); });
}

Result<ScheduledFor> load(const CommonOptions &options)
{
    auto target = target::parseTarget(options.target);
    if (!target)
        return std::unexpected(target.error());
    auto state = loadScheduled(options.module, options.schedule);
    if (!state)
        return std::unexpected(state.error());
    return ScheduledFor{std::move(*state), std::move(*target)};
}

void CommonOptions::addModule(CLI::App &app)
{
    app.add_option("MODULE", module, "TVMScript or TE script, session, or op:NAME(…)")->required();
    app.add_option_function<std::string>(
           "--variant", [this](const std::string &name) { module += '#' + name; },
           "variant of a session, or schedule of a file that has several; \"unscheduled\" for none")
        ->allow_extra_args(false);
}

void CommonOptions::addSchedule(CLI::App &app)
{
    app.add_option("--schedule", schedule, "schedule script to run on the module, or a trace (.json)");
    addRecipe(app, [this](std::string recipe) { schedule = std::move(recipe); });
}

void CommonOptions::addTarget(CLI::App &app)
{
    app.add_option("--target", target, target::kindNames() + ", with options in quotes")
        ->capture_default_str();
}

void CommonOptions::addDialect(CLI::App &app)
{
    app.add_option("--dialect", dialect, "version of TVM that reads the output")
        ->check(CLI::IsMember(script::dialectNames()))
        ->capture_default_str();
}

void CommonOptions::addStyle(CLI::App &app)
{
    addDialect(app);
    app.add_option("--columns", columns,
                   "lines longer than that behind their indentation go on below; 0: none does")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_flag("--split-grids", splitsGrids, "each loop on a line of its own, none in T.grid");
}

void CommonOptions::addExternLibraries(CLI::App &app)
{
    app.add_option(
           "--extern-library", externs.paths,
           "a shared library whose functions the module may call, if you trust it; without one those of "
           "math.h only")
        ->allow_extra_args(false);
}

} // namespace nestwright::cli
