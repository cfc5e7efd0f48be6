// SPDX-License-Identifier: Apache-2.0
/// Lessons of the course: a text, a kernel with the schedule to start from, goals, hints and a solution.
#pragma once

#include "core/course/goal.h"
#include "core/measure/measurer.h"
#include "core/schedule/script/reader.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::course {

struct Hint {
    std::string text;    ///< Markdown
    std::string steps{}; ///< lines of a schedule script that follow those of the hints before; may be empty
};

/// A lesson, read from its file in examples/course. Texts are Markdown whose links lead to the help:
/// "term:tile", "primitive:split".
struct Lesson {
    int number = 0;
    std::string id;     ///< the name of its file: "02_tile"
    std::string title;  ///< "Tile"
    std::string kernel; ///< path of the program that it opens; the schedule in there makes the start
    std::string target; ///< that it is about; empty: this machine
    std::string text;
    std::vector<Goal> goals;
    std::vector<Hint> hints;
    std::string solution; ///< a schedule script that runs on the start
    std::string learned;
};

/// All lessons in their order; empty where the folder of examples is missing. Errors: those of readLesson.
Result<std::vector<Lesson>> lessons();
/// Reads the text of a lesson; `file` is its path. Errors: "course.lesson", "course.goal", with the line.
Result<Lesson> readLesson(std::string_view text, const std::string &file);

/// The programs of a lesson.
struct LessonPrograms {
    schedule::State unscheduled, start;
};
Result<LessonPrograms> programsOf(const Lesson &lesson);
/// The solution's steps, from the start on.
Result<schedule::ScriptRun> solve(const Lesson &lesson, const schedule::State &start,
                                  const target::Target &target = {});

/// Times `program` in turns with the start.
measure::MeasureJob speedJob(const LessonPrograms &programs, const ir::Module &program,
                             const target::Target &target);
/// Speed that a run of that job found.
Speed speedOf(const Result<std::vector<measure::Measurement>> &run);

} // namespace nestwright::course
