// SPDX-License-Identifier: Apache-2.0
// nestc ablate: what each step brings, added and left out one by one.
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;

namespace {

constexpr const char *schedule = R"(def apply_trace(sch):
    b = sch.get_block("C")
    i, j, k = sch.get_loops(b)
    j0, j1 = sch.split(j, [None, 8])
    sch.reorder(i, j0)
    sch.reorder(k, j1)
    sch.vectorize(j1)
)";

constexpr const char *smallProduct = "op:matmul(M=48,N=40,K=32)";

QJsonObject ablationIn(const nestwright::test::Outcome &outcome)
{
    return QJsonDocument::fromJson(outcome.out.toUtf8()).object();
}

} // namespace

class AblateCommandTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsAreAdded()
    {
        NestcRunner nestc;
        const QString script = nestc.write("schedule.py", schedule);
        const auto said =
            nestc.run({"ablate", smallProduct, "--schedule", script, "--json", "--repetitions", "4"});
        COMPARE_STATUS(said, 0);
        const QJsonObject answer = ablationIn(said);
        QCOMPARE(answer["mode"], QJsonValue("added"));
        const QJsonArray steps = answer["steps"].toArray();
        QCOMPARE(steps.size(), 3); // reorder(i, j0) changes nothing by itself
        QCOMPARE(answer["measured"], QJsonValue(4));
        for (const QJsonValue &each : steps) {
            const QJsonObject step = each.toObject(), gain = step["gain"].toObject();
            QVERIFY2(gain["low"].toDouble() > 0 && gain["low"].toDouble() <= gain["median"].toDouble()
                         && gain["median"].toDouble() <= gain["high"].toDouble(),
                     qPrintable(said.out));
            QVERIFY(step.contains("significant"));
            QVERIFY(step["with"].toObject()["median"].toDouble() > 0);
        }
        QCOMPARE(steps.at(1).toObject()["step"], QJsonValue(3));
        QCOMPARE(steps.at(1).toObject()["others"].toArray(), QJsonArray{2});
        QCOMPARE(steps.at(1).toObject()["line"], QJsonValue(6));
        QVERIFY(answer["unscheduled"].toObject()["median"].toDouble() > 0);
    }

    void stepsAreLeftOut()
    {
        NestcRunner nestc;
        const QString script = nestc.write("schedule.py", schedule);
        const auto said = nestc.run(
            {"ablate", smallProduct, "--schedule", script, "--removed", "--json", "--repetitions", "4"});
        COMPARE_STATUS(said, 0);
        const QJsonArray steps = ablationIn(said)["steps"].toArray();
        QCOMPARE(steps.size(), 4);
        QVERIFY2(steps.at(0).toObject()["others"].toArray().contains(4), qPrintable(said.out));
        QVERIFY(steps.at(1).toObject()["same"].toBool());
        QVERIFY(!steps.at(1).toObject().contains("gain"));
        QVERIFY(steps.at(3).toObject().contains("gain"));
    }

    void asATable()
    {
        NestcRunner nestc;
        const QString script = nestc.write("schedule.py", schedule);
        const auto added = nestc.run({"ablate", smallProduct, "--schedule", script, "--repetitions", "4"});
        COMPARE_STATUS(added, 0);
        const QStringList lines = added.out.split('\n');
        QVERIFY2(lines.at(0).contains("cumulated"), qPrintable(added.out));
        QVERIFY(lines.at(1).contains("unscheduled"));
        QVERIFY(lines.at(2).startsWith("  1  split("));
        QVERIFY(added.out.contains("with step 2"));
        QVERIFY(added.out.endsWith("4 programs were measured\n"));
        const auto removed =
            nestc.run({"ablate", smallProduct, "--schedule", script, "--removed", "--repetitions", "4"});
        COMPARE_STATUS(removed, 0);
        QVERIFY2(removed.out.contains("the program is the same without it")
                     && removed.out.contains("left out with it: step"),
                 qPrintable(removed.out));
    }

    void badInput()
    {
        NestcRunner nestc;
        const auto bare = nestc.run({"ablate", smallProduct});
        COMPARE_STATUS(bare, 2);
        QVERIFY2(bare.err.contains("[usage.schedule]"), qPrintable(bare.err));
        const auto empty = nestc.run({"ablate", smallProduct, "--schedule",
                                      nestc.write("empty.py", "def apply_trace(sch):\n    pass\n")});
        COMPARE_STATUS(empty, 2);
        QVERIFY2(empty.err.contains("[explore.no-steps]"), qPrintable(empty.err));
        COMPARE_STATUS(nestc.run({"ablate", smallProduct, "--schedule", nestc.file("none.py")}), 2);
        COMPARE_STATUS(nestc.run({"ablate", smallProduct, "--repetitions", "0"}), 2);
    }
};

QTEST_GUILESS_MAIN(AblateCommandTest)
#include "ablate_command_test.moc"
