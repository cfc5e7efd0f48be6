// SPDX-License-Identifier: Apache-2.0
#include "core/course/lesson.h"

#include "core/frontend/open_kernel.h"
#include "core/session/reuse/machine_parameters.h"
#include "core/session/reuse/own_schedule.h"
#include "core/support/files/examples_folder.h"
#include "core/support/files/input_file.h"

#include <algorithm>
#include <filesystem>
#include <format>

namespace nestwright::course {

namespace fs = std::filesystem;
using support::fail;

Result<std::vector<Lesson>> lessons()
{
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(support::examplesFolder() / "course", error)) {
        if (entry.path().extension() == ".md")
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    std::vector<Lesson> all;
    for (const fs::path &file : files) {
        const auto text = support::readText(file.string());
        if (!text)
            return fail(text.error());
        auto lesson = readLesson(*text, file.string());
        if (!lesson)
            return fail(lesson.error());
        lesson->number = static_cast<int>(all.size()) + 1;
        all.push_back(std::move(*lesson));
    }
    return all;
}

Result<LessonPrograms> programsOf(const Lesson &lesson)
{
    const auto kernel = frontend::openKernel(lesson.kernel);
    if (!kernel)
        return fail(kernel.error());
    auto state = schedule::makeState(kernel->module);
    if (!state)
        return fail(state.error());
    LessonPrograms programs{*state, *state};
    if (!kernel->schedules.empty()) {
        schedule::PartialRun run = session::runOwnSchedule(*state, kernel->schedules.back(), kernel->name);
        if (run.error)
            return fail(*run.error);
        programs.start = std::move(run.run.state);
    }
    return programs;
}

Result<schedule::ScriptRun> solve(const Lesson &lesson, const schedule::State &start,
                                  const target::Target &target)
{
    return session::runScriptFor(start, lesson.solution, lesson.id + ".md, solution", target);
}

measure::MeasureJob speedJob(const LessonPrograms &programs, const ir::Module &program,
                             const target::Target &target)
{
    measure::MeasureJob job;
    job.reference = programs.unscheduled.module;
    job.variants = {programs.start.module, program};
    job.target = target;
    job.wantPeak = false;
    return job;
}

Speed speedOf(const Result<std::vector<measure::Measurement>> &run)
{
    Speed speed;
    if (!run || run->empty()) {
        speed.failure = run ? "Nothing was measured." : run.error().message + '.';
        return speed;
    }
    const measure::Measurement &program = run->back();
    if (!program.ok()) {
        speed.failure = (program.failure ? program.failure->message : "it was not measured") + '.';
        return speed;
    }
    speed.isVerified = program.isVerified();
    speed.overStart = program.speedup;
    speed.isDisturbed = std::ranges::any_of(*run, &measure::Measurement::disturbed);
    return speed;
}

} // namespace nestwright::course
