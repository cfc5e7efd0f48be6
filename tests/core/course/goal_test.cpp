// SPDX-License-Identifier: Apache-2.0
/// Goals: their forms, and what is said where one is not reached.
#include "core/course/goal.h"
#include "core/course/lesson.h"
#include "core/course/plain.h"
#include "core/frontend/open_kernel.h"
#include "core/schedule/script/reader.h"
#include "core/script/print/printer.h"

#include <QTest>

using namespace nestwright;

namespace {

/// Answer of a product of 64 × 64 after `steps` to the goal; "reached" where it is.
std::string verdict(const std::string &form, const std::string &steps = {})
{
    const auto kernel = frontend::openKernel("op:matmul(M=64,N=64,K=64)");
    const auto state = schedule::makeState(kernel->module);
    const auto run = schedule::runScheduleScript(*state, "i, j, k = sch.get_loops(\"C\")\n" + steps, "s.py");
    if (!run)
        return run.error().render();
    const auto goal = course::parseGoal("Text.", form);
    if (!goal)
        return goal.error().render();
    const auto status = course::check(*goal, {run->state, script::print(run->state.module)}, {}, 2);
    return status.isReached ? "reached" : status.missing;
}

std::string speedVerdict(const std::string &form, const std::optional<course::Speed> &speed, int threads = 2)
{
    const auto kernel = frontend::openKernel("op:matmul(M=8,N=8,K=8)");
    const auto state = schedule::makeState(kernel->module);
    const auto status = course::check(*course::parseGoal("Text.", form),
                                      {*state, script::print(state->module)}, speed, threads);
    return (status.isReached ? "reached: " : "") + status.missing;
}

course::Speed ratio(double low, double median, double high, bool significant)
{
    course::Speed speed;
    speed.isVerified = true;
    speed.overStart = measure::Speedup{{low, median, high}, significant};
    return speed;
}

} // namespace

class GoalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loops_data()
    {
        QTest::addColumn<QString>("form");
        QTest::addColumn<QString>("steps");
        QTest::addColumn<QString>("said");
        const QString tile = "sch.tile(i, j, 8, 8)\n";
        const auto row = [](const char *form, const QString &steps, const char *said) {
            QTest::newRow(form + steps.toUtf8()) << form << steps << said;
        };
        row("loops C >= 4", "", "C stands in 3 loops; 4 are needed.");
        row("loops C >= 4", "sch.split(i, [None, 4])", "reached");
        row("loops D >= 4", "", "There is no block D in this program.");
        row("tiled C", tile, "reached");
        row("tiled C", "sch.split(i, [None, 4])",
            "Fewer than two axes of C have an outer and an inner loop.");
        row("tiled C", "sch.split(i, [None, 4])\nsch.split(j, [None, 4])\n",
            "An inner loop stands outside an outer one: the tile is not together yet.");
        row("outermost C parallel", "sch.parallel(i)", "reached");
        row("outermost C parallel", "sch.parallel(j)",
            "The outermost loop of C, i, is serial; it should be parallel.");
        row("innermost C spatial", "", "The innermost loop of C, k, is a reduction; it should be spatial.");
        row("innermost C spatial", "sch.reorder(k, j)", "reached");
        row("innermost C vector >= 8", "sch.reorder(k, j)\nsch.vectorize(j)", "reached");
        row("innermost C vector >= 8", "a, b = sch.split(j, [None, 4])\nsch.reorder(k, b)\nsch.vectorize(b)",
            "The innermost loop of C, j_1, has 4 iterations; 8 are needed.");
        row("loop C unroll >= 4", "", "No loop of C with 4 iterations or more is unrolled.");
        row("loop C unroll >= 4", "sch.unroll(k)", "reached");
        row("loop C threadIdx.x", "sch.bind(i, \"threadIdx.x\")", "reached");
        row("copied B >= 3", "", "No block copies B.");
        row("copied B >= 3", "sch.cache_read(\"C\", \"B\", \"global\")",
            "The copy of B has 2 dimensions, as B itself; its layout should have 3.");
        row("copied B", "sch.cache_read(\"C\", \"B\", \"global\")", "reached");
        row("present C_init", "sch.decompose_reduction(\"C\", k)", "reached");
        row("loops C >= 3", "sch.decompose_reduction(\"C\", k)", "reached");
        row("absent C", "", "The block C is still there.");
        row("absent C_init", "", "reached");
        row("within B_global C", "b = sch.cache_read(\"C\", \"B\", \"global\")",
            "B_global and C have no loop in common.");
        row("within B_global C", "b = sch.cache_read(\"C\", \"B\", \"global\")\nsch.compute_at(b, i)",
            "reached");
    }
    void loops()
    {
        QFETCH(QString, form);
        QFETCH(QString, steps);
        QFETCH(QString, said);
        QCOMPARE(QString::fromStdString(verdict(form.toStdString(), steps.toStdString())), said);
    }

    void speed()
    {
        QCOMPARE(speedVerdict("measured", {}), "The program was not measured yet. Press F5.");
        QCOMPARE(speedVerdict("measured", ratio(1, 1, 1, false)), "reached: ");
        QCOMPARE(speedVerdict("speed 2", ratio(2.4, 2.5, 2.6, true)),
                 "reached: 2.50× the speed of the start (2.40–2.60).");
        QCOMPARE(speedVerdict("speed 2", ratio(1.4, 1.5, 1.6, true)),
                 "1.50× the speed of the start (1.40–1.60); 2× is the goal.");
        QCOMPARE(speedVerdict("speed 2", ratio(1.4, 1.9, 2.6, true)),
                 "1.90× the speed of the start (1.40–2.60); 2× is within the interval. Measure again.");
        QCOMPARE(
            speedVerdict("speed 2", ratio(0.8, 2.1, 2.6, false)),
            "2.10× the speed of the start (0.80–2.60): not significant, within the noise of this machine.");
        QCOMPARE(speedVerdict("speed 2 threads 2", {}, 1),
                 "reached: Not asked for here: the target has 1 thread.");
        course::Speed wrong;
        QCOMPARE(speedVerdict("speed 2", wrong), "Its result was not verified.");
    }

    void everyFormIsRead()
    {
        for (const std::string_view form : course::goalForms())
            QVERIFY2(course::parseGoal("Text.", form), std::string(form).c_str());
    }

    void whatIsNoGoal_data()
    {
        QTest::addColumn<QString>("form");
        QTest::addColumn<QString>("said");
        QTest::newRow("word") << "outer C parallel" << "there is no goal 'outer'";
        QTest::newRow("trait") << "outermost C fast" << "'outermost C fast' is no goal";
        QTest::newRow("number") << "loops C >= many" << "'loops C >= many' is no goal";
        QTest::newRow("left over") << "measured twice" << "'measured twice' is no goal";
        QTest::newRow("ratio") << "speed 0" << "'speed 0' is no goal";
    }
    void whatIsNoGoal()
    {
        QFETCH(QString, form);
        QFETCH(QString, said);
        const auto goal = course::parseGoal("Text.", form.toStdString());
        QVERIFY(!goal);
        QCOMPARE(goal.error().code, "course.goal");
        QCOMPARE(QString::fromStdString(goal.error().message), said);
        QVERIFY(!goal.error().hint.empty());
    }

    void whatIsNoLesson_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("said");
        QTest::newRow("parts") << "title: A\n" << "x.md:1:1: error: a lesson needs title and kernel";
        QTest::newRow("head") << "author: A\n---\n" << "x.md:1:1: error: the head of a lesson has title";
        QTest::newRow("section") << "title: A\n---\nText\n## More\n"
                                 << "x.md:4:1: error: a lesson has no section 'More'";
        QTest::newRow("goal") << "---\n## Goal\n- All. `measure`\n"
                              << "x.md:3:1: error: there is no goal 'measure'";
        QTest::newRow("form") << "---\n## Goal\n- All.\n" << "x.md:3:1: error: a goal ends with its form";
    }
    void whatIsNoLesson()
    {
        QFETCH(QString, text);
        QFETCH(QString, said);
        const auto lesson = course::readLesson(text.toStdString(), "x.md");
        QVERIFY(!lesson);
        QCOMPARE(QString::fromStdString(lesson.error().render()).left(said.size()), said);
    }

    void aTextForATerminal()
    {
        QCOMPARE(
            course::plain("A [loop](term:loop)\nin **bold**.\n\n```\ni * 4 * 2\n```\n\n*B*, `a * b`.", 12),
            "A loop in\nbold.\n\n    i * 4 * 2\n\nB, a * b.");
    }
};

QTEST_GUILESS_MAIN(GoalTest)
#include "goal_test.moc"
