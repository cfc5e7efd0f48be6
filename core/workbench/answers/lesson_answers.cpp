// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/lesson_answers.h"

#include "core/support/text/json.h"

namespace nestwright::workbench {

using course::Lesson;
using support::OrderedJson;

LessonVerdict verdictOn(const Lesson &lesson, const suggest::LoopNest &nest,
                        const std::optional<course::Speed> *speed, int threads)
{
    LessonVerdict all;
    for (const course::Goal &goal : lesson.goals) {
        const bool isOpen = goal.isMeasured() && !speed;
        const course::GoalStatus status =
            course::check(goal, nest, speed ? *speed : std::optional<course::Speed>(), threads);
        all.isReached = all.isReached && (isOpen || status.isReached);
        all.goals.push_back({&goal,
                             isOpen             ? "not measured"
                             : status.isReached ? "reached"
                                                : "not reached",
                             isOpen ? std::string() : status.missing});
    }
    return all;
}

OrderedJson toJson(const Lesson &lesson)
{
    OrderedJson goals = OrderedJson::array();
    for (const course::Goal &goal : lesson.goals)
        goals.push_back({{"text", goal.text}, {"form", goal.form}});
    return {{"lesson", lesson.number},
            {"title", lesson.title},
            {"kernel", lesson.kernel},
            {"goals", std::move(goals)},
            {"hints", lesson.hints.size()}};
}

OrderedJson toJson(const std::vector<Lesson> &lessons)
{
    OrderedJson all = OrderedJson::array();
    for (const Lesson &lesson : lessons)
        all.push_back(toJson(lesson));
    return all;
}

OrderedJson toJson(const Lesson &lesson, const LessonVerdict &verdict)
{
    OrderedJson goals = OrderedJson::array();
    for (const GoalVerdict &each : verdict.goals)
        goals.push_back({{"goal", each.goal->text},
                         {"form", each.goal->form},
                         {"verdict", each.verdict},
                         {"message", each.missing}});
    return {{"lesson", lesson.number}, {"reached", verdict.isReached}, {"goals", std::move(goals)}};
}

} // namespace nestwright::workbench
