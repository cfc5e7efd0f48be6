// SPDX-License-Identifier: Apache-2.0
#include "app/cli/input.h"

#include "app/cli/reading_time.h"

#include "core/ops/open_kernel.h"
#include "core/schedule/trace_json.h"
#include "core/session/model.h"
#include "core/session/project_file.h"
#include "core/support/input_file.h"

#include <CLI/CLI.hpp>
#include <format>
#include <iostream>

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

bool isSession(const std::string &module) { return module.ends_with(session::projectExtension); }

/// The unscheduled program of a session.
Result<schedule::State> loadSession(const std::string &file)
{
    const ReadingTime time(file);
    auto project = session::loadProject(file);
    return project ? project->tree().root().state : std::unexpected(project.error());
}

/// What `ops::openKernel` opens, unless it is no module; or a kernel of a model.
Result<ops::LoadedKernel> openModule(const std::string &module)
{
    if (const auto ofModel = session::kernelOfModel(module)) {
        auto opened = session::openKernelOfModel(ofModel->first, ofModel->second);
        if (!opened)
            return fail(opened.error());
        ops::LoadedKernel kernel;
        kernel.name = ofModel->second;
        kernel.module = std::move(*opened);
        return kernel;
    }
    const ReadingTime time(module); // not of models, whose size is that of their weights
    auto kernel = ops::openKernel(module);
    if (kernel && kernel->kind == ops::SourceKind::ScheduleScript)
        return fail(diagnostic("open.not-a-kernel", "'" + module + "' is a schedule script, not a module")
                        .withHint("give the module first and the script with --schedule"));
    return kernel;
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
    if (!state || !kernel->schedule)
        return state;
    auto scheduled = schedule::runScheduleScript(*state, kernel->schedule->script(), kernel->name);
    return scheduled ? Result<schedule::State>(std::move(scheduled->state))
                     : std::unexpected(scheduled.error());
}

Result<schedule::State> loadUnscheduled(const std::string &module)
{
    if (isSession(module))
        return loadSession(module);
    const auto kernel = openModule(module);
    const ReadingTime time(module);
    return kernel ? schedule::makeState(kernel->module) : std::unexpected(kernel.error());
}

Result<schedule::State> loadScheduled(const std::string &module, const std::string &scheduleFile)
{
    auto state = loadState(module);
    if (!state || scheduleFile.empty())
        return state;
    const auto text = support::readText(scheduleFile);
    if (!text)
        return std::unexpected(text.error());
    auto run = runSchedule(*state, *text, scheduleFile);
    return run ? Result<schedule::State>(std::move(run->state)) : std::unexpected(run.error());
}

Result<schedule::ScriptRun> runSchedule(const schedule::State &state, const std::string &text,
                                        const std::string &fileName)
{
    const ReadingTime time(fileName);
    return fileName.ends_with(".json") ? schedule::runTraceJson(state, text, fileName)
                                       : schedule::runScheduleScript(state, text, fileName);
}

Result<ScheduledFor> load(const CommonOptions &options)
{
    auto target = lower::parseTarget(options.target);
    if (!target)
        return std::unexpected(target.error());
    auto state = loadScheduled(options.module, options.schedule);
    if (!state)
        return std::unexpected(state.error());
    return ScheduledFor{std::move(*state), std::move(*target)};
}

void CommonOptions::addModule(CLI::App &app)
{
    app.add_option("MODULE", module, "TVMScript or TE script, or op:NAME(…)")->required();
}

void CommonOptions::addSchedule(CLI::App &app)
{
    app.add_option("--schedule", schedule, "schedule script to run on the module, or a trace (.json)");
}

void CommonOptions::addTarget(CLI::App &app)
{
    app.add_option("--target", target, "llvm, c, opencl or cuda, with options in quotes")
        ->capture_default_str();
}

void CommonOptions::addDialect(CLI::App &app)
{
    app.add_option("--dialect", dialect, "version of TVM that reads what is written")
        ->check(CLI::IsMember(script::dialectNames()))
        ->capture_default_str();
}

} // namespace nestwright::cli
