// SPDX-License-Identifier: Apache-2.0
/// Lessons of the course, and what a program reaches of their goals: `nestc course`.
#pragma once

#include "core/course/lesson.h"
#include "core/suggest/loop_nest.h"
#include "core/support/text/json_fwd.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::workbench {

struct GoalVerdict {
    const course::Goal *goal; ///< of the lesson
    std::string_view verdict; ///< "reached", "not reached", "not measured"
    std::string missing;      ///< to reach it; may be empty
};

struct LessonVerdict {
    std::vector<GoalVerdict> goals; ///< all of the lesson
    bool isReached = true;          ///< each of those that were asked for
};

/// `speed`: null where none was asked for, so that goals on it stay open.
LessonVerdict verdictOn(const course::Lesson &lesson, const suggest::LoopNest &nest,
                        const std::optional<course::Speed> *speed, int threads);

/// {"lesson": number, "title", "kernel", "goals": [{"text", "form"}], "hints": how many}
support::OrderedJson toJson(const course::Lesson &lesson);
/// A list of them.
support::OrderedJson toJson(const std::vector<course::Lesson> &lessons);

/// {"lesson": number, "reached", "goals": [{"goal": its text, "form", "verdict", "message"}]}
support::OrderedJson toJson(const course::Lesson &lesson, const LessonVerdict &verdict);

} // namespace nestwright::workbench
