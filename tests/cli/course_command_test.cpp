// SPDX-License-Identifier: Apache-2.0
/// nestc course: lessons as text, and schedules that are checked against their goals.
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;

class CourseCommandTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lessonsAreListed()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"course"});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(outcome.out.count('\n'), 10);
        QVERIFY(outcome.out.contains(" 2  Tile\n"));
        const auto json = nestc.run({"course", "--json"});
        QCOMPARE(QJsonDocument::fromJson(json.out.toUtf8()).array().at(3).toObject()["title"].toString(),
                 QString("Vectorize"));
    }

    void aLessonIsPrinted()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"course", "2", "--hints", "1"});
        COMPARE_STATUS(outcome, 0);
        QVERIFY(outcome.out.startsWith("2. Tile\n"));
        QVERIFY(outcome.out.contains("A tile is a rectangle of iterations")); // a link without its target
        QVERIFY(outcome.out.contains("\nHint 1\n") && !outcome.out.contains("Hint 2"));
        COMPARE_STATUS(nestc.run({"course", "11"}), 2);
    }

    void aScheduleIsChecked()
    {
        NestcRunner nestc;
        const QString solution = nestc.write("s.py", nestc.run({"course", "2", "--solution"}).out.toUtf8());
        const auto reached = nestc.run({"course", "2", "--check", solution});
        COMPARE_STATUS(reached, 0);
        QVERIFY(reached.out.startsWith("reached      Both axes"));
        QVERIFY(reached.out.contains("\nnot measured "));
        const QString nothing = nestc.write("n.py", "def apply_trace(sch):\n  pass\n");
        const auto open = nestc.run({"course", "2", "--check", nothing});
        COMPARE_STATUS(open, 1);
        QVERIFY(open.out.startsWith("not reached  Both axes"));
        QVERIFY(open.out.contains("             Fewer than two axes of B"));
        const auto json = nestc.run({"course", "2", "--check", nothing, "--json"});
        COMPARE_STATUS(json, 1);
        QVERIFY(!QJsonDocument::fromJson(json.out.toUtf8()).object()["reached"].toBool(true));
        const QString illegal = nestc.write("i.py", "sch.vectorize(sch.get_loops(\"C\")[0])\n");
        COMPARE_STATUS(nestc.run({"course", "2", "--check", illegal}), 1);
    }

    /// As the window exports it: with the steps of the start.
    void aWholeSchedule()
    {
        NestcRunner nestc;
        const QString whole = nestc.write("w.py", R"(i, j, k = sch.get_loops("C")
j_0, j_1 = sch.split(j, [None, 16])
sch.reorder(k, j_1)
sch.vectorize(j_1)
)");
        COMPARE_STATUS(nestc.run({"course", "4", "--check", whole, "--whole"}), 0);
    }

    /// Lesson 1 asks for a measurement, of whatever outcome.
    void aProgramIsMeasured()
    {
        NestcRunner nestc;
        const QString solution = nestc.write("s.py", nestc.run({"course", "1", "--solution"}).out.toUtf8());
        const auto outcome = nestc.run({"course", "1", "--check", solution, "--measure", "--target", "c"});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(outcome.out.count("reached      "), 2);
        QVERIFY(outcome.out.contains("A step changes the loops, never the result"));
    }
};

QTEST_GUILESS_MAIN(CourseCommandTest)
#include "course_command_test.moc"
