// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/course/lesson.h"
#include "core/course/plain.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/machine/this_machine.h"
#include "core/script/print/printer.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/lesson_answers.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <format>
#include <iostream>

namespace nestwright::cli {

using course::Lesson;
using support::Result;

namespace {

struct CourseOptions {
    int lesson = 0; ///< 0: the list
    int hints = 0;
    bool solution = false, whole = false, measure = false, json = false;
    std::string schedule, target;
};

Result<Lesson> lessonNumber(const std::vector<Lesson> &lessons, int number)
{
    if (number >= 1 && number <= static_cast<int>(lessons.size()))
        return lessons[static_cast<std::size_t>(number - 1)];
    return support::fail(
        support::diagnostic("course.unknown", std::format("there is no lesson {}", number))
            .withHint(
                lessons.empty()
                    ? std::string("the folder of examples was not found; name it in NESTWRIGHT_EXAMPLES")
                    : std::format("lessons have the numbers 1 to {}", lessons.size())));
}

void printList(const std::vector<Lesson> &lessons, bool json)
{
    if (json)
        std::cout << support::jsonText(workbench::toJson(lessons), 2) << std::endl;
    else
        for (const Lesson &lesson : lessons)
            std::cout << std::format("{:2}  {}\n", lesson.number, lesson.title);
}

void printLesson(const Lesson &lesson, int hints)
{
    std::cout << std::format("{}. {}\nKernel: {}\n\n{}\n\nGoal\n", lesson.number, lesson.title, lesson.kernel,
                             course::plain(lesson.text));
    for (const course::Goal &goal : lesson.goals)
        std::cout << "- " << goal.text << '\n';
    for (int i = 0; i < std::min(hints, static_cast<int>(lesson.hints.size())); ++i) {
        const course::Hint &hint = lesson.hints[static_cast<std::size_t>(i)];
        std::cout << std::format("\nHint {}\n{}\n", i + 1, course::plain(hint.text));
        if (!hint.steps.empty())
            std::cout << '\n' << hint.steps << '\n';
    }
}

Result<course::Speed> timeBesideStart(const course::LessonPrograms &programs, const schedule::State &state,
                                      const target::Target &target)
{
    const auto run = measure::Measurer().measure(course::speedJob(programs, state.module, target),
                                                 [](const measure::Progress &) {});
    if (!run)
        return support::fail(run.error());
    course::Speed speed = course::speedOf(run);
    const auto busiest = std::ranges::max_element(*run, {}, &measure::Measurement::otherLoad);
    if (speed.isDisturbed)
        std::cerr << "note: " << measure::disturbance(busiest->otherLoad) << '\n';
    return speed;
}

/// Status 0 where every goal that was asked for is reached.
int printGoals(const Lesson &lesson, const schedule::State &state, const std::optional<course::Speed> &speed,
               int threads, const CourseOptions &options)
{
    const suggest::LoopNest nest(state, script::print(state.module));
    const workbench::LessonVerdict verdict =
        workbench::verdictOn(lesson, nest, options.measure ? &speed : nullptr, threads);
    if (options.json) {
        std::cout << support::jsonText(workbench::toJson(lesson, verdict), 2) << std::endl;
        return verdict.isReached ? Done : No;
    }
    for (const workbench::GoalVerdict &each : verdict.goals)
        std::cout << std::format("{:<13}{}\n", each.verdict, each.goal->text)
                  << (each.missing.empty() ? "" : "             " + each.missing + '\n');
    if (verdict.isReached && options.measure && !lesson.learned.empty())
        std::cout << '\n' << course::plain(lesson.learned) << '\n';
    return verdict.isReached ? Done : No;
}

int checkSchedule(const Lesson &lesson, const CourseOptions &options)
{
    const auto programs = course::programsOf(lesson);
    if (!programs)
        return report(programs.error());
    const auto target = target::parseTarget(options.target.empty() ? "llvm" : options.target);
    if (!target)
        return report(target.error());
    const auto run =
        opener().runSchedule(options.whole ? programs->unscheduled : programs->start, options.schedule);
    if (!run)
        return report(run.error());
    std::optional<course::Speed> speed;
    if (options.measure && std::ranges::any_of(lesson.goals, &course::Goal::isMeasured)) {
        const auto timed = timeBesideStart(*programs, run->state, *target);
        if (!timed)
            return report(timed.error());
        speed = *timed;
    }
    return printGoals(lesson, run->state, speed, measure::threadsOf(*target), options);
}

int runCourse(const CourseOptions &options)
{
    const auto lessons = course::lessons();
    if (!lessons)
        return report(lessons.error());
    if (options.lesson == 0) {
        printList(*lessons, options.json);
        return Done;
    }
    const auto lesson = lessonNumber(*lessons, options.lesson);
    if (!lesson)
        return report(lesson.error());
    if (!options.schedule.empty())
        return checkSchedule(*lesson, options);
    if (options.solution)
        std::cout << lesson->solution << '\n';
    else if (options.json)
        std::cout << support::jsonText(workbench::toJson(*lesson), 2) << std::endl;
    else
        printLesson(*lesson, options.hints);
    return Done;
}

} // namespace

std::function<int()> declareCourse(CLI::App &app)
{
    auto options = std::make_shared<CourseOptions>();
    auto *lesson = app.add_option("LESSON", options->lesson, "number of a lesson; none lists all");
    app.add_option("--hints", options->hints, "print so many hints as well")->needs(lesson);
    app.add_flag("--solution", options->solution, "print the schedule that reaches the goal")->needs(lesson);
    auto *check =
        app.add_option("--check", options->schedule,
                       "check the goals for this schedule of the program that the lesson starts with");
    check->needs(lesson);
    app.add_flag("--whole", options->whole,
                 "the schedule begins with the unscheduled program, as the window exports it")
        ->needs(check);
    app.add_flag("--measure", options->measure, "measure, too, in turns with the start")->needs(check);
    app.add_option("--target", options->target, "target to measure on (default: llvm)")->needs(check);
    app.add_flag("--json", options->json, "print JSON");
    return [options] { return runCourse(*options); };
}

} // namespace nestwright::cli
