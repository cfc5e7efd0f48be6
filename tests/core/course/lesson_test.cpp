// SPDX-License-Identifier: Apache-2.0
/// Every lesson of the course: its start does not reach the goal, its hints and its solution do.
#include "core/course/lesson.h"
#include "core/schedule/primitive.h"
#include "core/script/print/printer.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

using namespace nestwright;
using course::Goal;
using course::Lesson;

namespace {

suggest::LoopNest nestOf(const schedule::State &state) { return {state, script::print(state.module)}; }

/// The goals about loops that are not reached.
QStringList openGoals(const Lesson &lesson, const schedule::State &state)
{
    const suggest::LoopNest nest = nestOf(state);
    QStringList open;
    for (const Goal &goal : lesson.goals) {
        const course::GoalStatus status = course::check(goal, nest, {}, 2);
        if (!goal.isMeasured() && !status.isReached)
            open << QString::fromStdString(goal.form + ": " + status.missing);
    }
    return open;
}

/// Addresses of the help: the terms of the glossary and the primitives.
QSet<QString> helpAddresses()
{
    QSet<QString> addresses;
    for (const schedule::Primitive &primitive : schedule::primitives())
        addresses << "primitive:"
                         + QString::fromUtf8(primitive.name.data(), qsizetype(primitive.name.size()));
    QFile file("resources/help/glossary.md");
    static const QRegularExpression others("[^a-z0-9]+");
    const QString text = file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    for (const QString &line : text.split('\n')) {
        if (line.startsWith("## "))
            addresses << "term:" + line.mid(3).section(" (", 0, 0).toLower().replace(others, "-");
    }
    return addresses;
}

} // namespace

class LessonTest : public QObject {
    Q_OBJECT

    std::vector<Lesson> m_lessons;

    void eachLesson() const
    {
        QTest::addColumn<std::size_t>("at");
        for (std::size_t i = 0; i < m_lessons.size(); ++i)
            QTest::newRow(m_lessons[i].id.c_str()) << i;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const auto read = course::lessons();
        QVERIFY2(read, read ? "" : read.error().render().c_str());
        m_lessons = *read;
        QCOMPARE(m_lessons.size(), 10U);
    }

    void theStartDoesNotReachTheGoal_data() { eachLesson(); }
    void theStartDoesNotReachTheGoal()
    {
        QFETCH(std::size_t, at);
        const auto programs = course::programsOf(m_lessons[at]);
        QVERIFY2(programs, programs ? "" : programs.error().render().c_str());
        QVERIFY(!openGoals(m_lessons[at], programs->start).empty());
    }

    void theSolutionReachesIt_data() { eachLesson(); }
    void theSolutionReachesIt()
    {
        QFETCH(std::size_t, at);
        const auto programs = course::programsOf(m_lessons[at]);
        QVERIFY(programs);
        const auto run = course::solve(m_lessons[at], programs->start);
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        QCOMPARE(openGoals(m_lessons[at], run->state), QStringList());
    }

    /// Each hint's steps are legal after those before, and all of them reach the goal.
    void theHintsLeadToIt_data() { eachLesson(); }
    void theHintsLeadToIt()
    {
        QFETCH(std::size_t, at);
        const Lesson &lesson = m_lessons[at];
        const auto programs = course::programsOf(lesson);
        QVERIFY(programs);
        QVERIFY(lesson.hints.size() >= 2);
        QVERIFY(!lesson.hints.back().steps.empty()); // the last one shows the step itself
        std::string script;
        schedule::State state = programs->start;
        for (const course::Hint &hint : lesson.hints) {
            QVERIFY(!hint.text.empty());
            script += hint.steps + '\n';
            const auto run = schedule::runScheduleScript(programs->start, script, lesson.id);
            QVERIFY2(run, run ? "" : (script + run.error().render()).c_str());
            state = run->state;
        }
        QCOMPARE(openGoals(lesson, state), QStringList());
    }

    void everyLinkLeadsToTheHelp_data() { eachLesson(); }
    void everyLinkLeadsToTheHelp()
    {
        QFETCH(std::size_t, at);
        const Lesson &lesson = m_lessons[at];
        const QSet<QString> known = helpAddresses();
        QString text = QString::fromStdString(lesson.text + lesson.learned);
        for (const course::Hint &hint : lesson.hints)
            text += QString::fromStdString(hint.text);
        static const QRegularExpression link(R"(\]\(([^)]*)\))");
        int count = 0;
        for (auto found = link.globalMatch(text); found.hasNext(); ++count) {
            const QString address = found.next().captured(1);
            QVERIFY2(known.contains(address), qPrintable(address));
        }
        QVERIFY(count >= 2);
    }

    void everyLessonHasItsParts_data() { eachLesson(); }
    void everyLessonHasItsParts()
    {
        QFETCH(std::size_t, at);
        const Lesson &lesson = m_lessons[at];
        QCOMPARE(lesson.number, int(at) + 1);
        QVERIFY(lesson.text.contains("```") && !lesson.learned.empty());
        for (const Goal &goal : lesson.goals)
            QVERIFY2(goal.text.ends_with('.'), goal.text.c_str());
        const bool isTimed = std::ranges::any_of(lesson.goals, &Goal::isMeasured);
        QCOMPARE(isTimed, lesson.target.empty()); // only that of a GPU is judged by its loops alone
    }

    /// NESTWRIGHT_MEASURE_COURSE=1: how much faster each solution is than its start. Nothing is asked of it.
    void howFastTheSolutionsAre()
    {
        if (!qEnvironmentVariableIsSet("NESTWRIGHT_MEASURE_COURSE"))
            QSKIP("NESTWRIGHT_MEASURE_COURSE=1 measures the solutions");
        measure::Measurer measurer;
        for (const Lesson &lesson : m_lessons) {
            if (!lesson.target.empty())
                continue;
            const auto programs = course::programsOf(lesson);
            const auto run = course::solve(lesson, programs->start);
            const auto timed =
                measurer.measure(course::speedJob(*programs, run->state.module, *target::parseTarget("llvm")),
                                 [](const measure::Progress &) {});
            const course::Speed speed = course::speedOf(timed);
            QVERIFY2(speed.isVerified, speed.failure.c_str());
            for (const Goal &goal : lesson.goals) {
                const course::GoalStatus status = course::check(goal, nestOf(run->state), speed, 2);
                qInfo("%s, %s: %s %s", lesson.id.c_str(), goal.form.c_str(),
                      status.isReached ? "reached" : "open", status.missing.c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(LessonTest)
#include "lesson_test.moc"
