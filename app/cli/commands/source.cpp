// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/edited_code.h"
#include "app/cli/input.h"
#include "app/cli/model.h"
#include "core/backend/backend.h"
#include "core/backend/link/export.h"
#include "core/graph/program/export_model.h"
#include "core/session/history/code_edit.h"
#include "core/session/model/model.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

namespace nestwright::cli {

using support::diagnostic;

namespace {

/// The machine that code is made for.
struct Machine {
    std::string mcpu, mattr, arch;

    void addTo(CLI::App &app)
    {
        app.add_option("--mcpu", mcpu, "processor to generate code for: haswell (default: this one)");
        app.add_option("--mattr", mattr, "what it has or lacks beside: +avx2,-fma");
        app.add_option("--arch", arch, "architecture of the GPU to generate code for: sm_90");
    }
    /// `target` with what is named here in place of its own.
    target::Target applied(target::Target target) const
    {
        if (!mcpu.empty())
            target.mcpu = mcpu;
        if (!mattr.empty())
            target.mattr = mattr;
        if (!arch.empty())
            target.arch = arch;
        return target;
    }
};

std::string formatNames()
{
    std::string names;
    for (const backend::SourceFormat &format : backend::sourceFormats())
        names += (names.empty() ? "" : ", ") + std::string(format.name);
    return names;
}

struct SourceOptions : CommonOptions {
    std::string output, carried, from;
    bool isEditable = false;
    Machine machine;
};

/// The edited file on the code of this schedule, where `from` is the schedule that it was edited on.
/// Conflicts are an answer.
int printCarried(const SourceOptions &options, const schedule::State &onto, const target::Target &target)
{
    auto code = readEdited(options.carried);
    if (!code)
        return report(code.error());
    const auto before = opener().loadScheduled(options.module, options.from);
    if (!before)
        return report(before.error());
    auto edit = session::beginEdit(*before, target, code->kind);
    if (!edit)
        return report(edit.error());
    edit->text = std::move(code->text);
    const auto moved = session::carried(*edit, onto, target);
    if (!moved)
        return report(moved.error());
    if (const int status = writeOutput(options.output, moved->text); status != Done)
        return status;
    if (const int conflicts = moved->conflicts()) {
        std::cerr << options.carried << ": " << conflicts << (conflicts == 1 ? " conflict" : " conflicts")
                  << " with the new schedule; both sides stand in the text\n";
        return No;
    }
    return Done;
}

int printSource(const SourceOptions &options)
{
    const backend::SourceFormat *format = backend::findSourceFormat(options.target);
    if (!format)
        return report(diagnostic("source.format", "there is no source format '" + options.target + "'")
                          .withHint("one of " + formatNames()));
    const auto target = backend::exportTarget(format->name, options.machine.applied({}));
    if (!target)
        return report(target.error());
    opener().setTarget(*target); // which a format names by another word
    const auto state = opener().loadScheduled(options.module, options.schedule);
    if (!state)
        return report(state.error());
    if (!options.carried.empty())
        return printCarried(options, *state, *target);
    const auto source = options.isEditable ? backend::editableSource(state->module, *target, format->kind)
                                           : backend::source(state->module, *target, format->kind);
    if (!source)
        return report(source.error());
    return writeOutput(options.output, source->text);
}

struct ExportOptions : CommonOptions {
    std::string format, output;
    Machine machine;
    std::vector<std::string> schedules; ///< one of a module, any number of a model's kernels
    ModelOptions model;                 ///< where a model is exported
};

int writeFiles(const std::string &output, const support::Result<std::vector<backend::ExportFile>> &files)
{
    if (!files)
        return report(files.error());
    const std::vector<std::filesystem::path> places = backend::placesOf(*files, output);
    for (std::size_t i = 0; i < files->size(); ++i) {
        if (const int status = writeOutput(places[i].string(), (*files)[i].bytes); status != Done)
            return status;
    }
    return Done;
}

int exportModelFiles(const ExportOptions &options)
{
    auto target = target::parseTarget(options.target);
    if (target)
        target = backend::exportTarget(options.format, options.machine.applied(*std::move(target)));
    if (!target)
        return report(target.error());
    ModelOptions model = options.model;
    model.scheduledFor = *target;
    auto opened = openModel(model);
    if (!opened)
        return report(opened.error());
    auto program = graph::makeProgram(std::move(opened->function), opened->machine);
    if (!program)
        return report(program.error());
    const auto schedules = kernelSchedules(*program, options.schedules, opened->work);
    if (!schedules)
        return report(schedules.error());
    const std::string stem = graph::symbolStem(std::filesystem::path(options.output).stem().string());
    return writeFiles(options.output,
                      graph::exportModel(*std::move(program), *target, options.format, stem, *schedules));
}

int exportFiles(ExportOptions options)
{
    if (session::isModelFile(options.module) || session::isModelProject(options.module)) {
        options.model.model = options.module;
        options.model.request.leavesSizesOpen = false;
        return exportModelFiles(options);
    }
    if (options.schedules.size() > 1)
        return report(diagnostic("usage.schedule", "several schedules are given for one module")
                          .withHint("a schedule for each kernel, as KERNEL=S.py, is for models"));
    if (!options.schedules.empty())
        options.schedule = options.schedules.front();
    auto loaded = load(options);
    if (!loaded)
        return report(loaded.error());
    const std::filesystem::path path(options.output);
    const auto files = backend::exportKernel(loaded->state.module, options.machine.applied(loaded->target),
                                             options.format, path.stem().string(), {}, options.externs);
    return writeFiles(options.output, files);
}

} // namespace

std::function<int()> declareSource(CLI::App &app)
{
    auto options = std::make_shared<SourceOptions>();
    options->target = "llvm";
    options->addModule(app);
    options->addSchedule(app);
    app.add_option("--target", options->target, formatNames())->capture_default_str();
    options->machine.addTo(app);
    app.add_flag("--editable", options->isEditable,
                 "complete, to be edited and given to measure --edited: C, LLVM IR, assembly");
    app.add_option(
           "--carry", options->carried,
           "take the edits of this file along from the schedule that --from names; exit status 1 where "
           "there are conflicts")
        ->check(CLI::ExistingFile);
    app.add_option("--from", options->from, "the schedule that the file of --carry was edited on");
    app.add_option("-o", options->output, "where to write the source (default: standard output)");
    return [options] { return printSource(*options); };
}

std::function<int()> declareExport(CLI::App &app)
{
    auto options = std::make_shared<ExportOptions>();
    options->addModule(app);
    addSchedules(
        app, options->schedules,
        "schedule script to run on the module, or a trace (.json); for a kernel of a model: KERNEL=S.py",
        false);
    options->addTarget(app);
    std::string formats;
    for (const std::string_view format : backend::exportFormats())
        formats += (formats.empty() ? "" : ", ") + std::string(format);
    app.add_option("--format", options->format, formats)->required();
    app.add_option("-o", options->output, "the file to write; a C header goes beside it")->required();
    options->machine.addTo(app);
    options->addExternLibraries(app);
    options->model.addSettings(app);
    return [options] { return exportFiles(*options); };
}

} // namespace nestwright::cli
