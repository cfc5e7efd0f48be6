// SPDX-License-Identifier: Apache-2.0
// nestc sweep: numbers of steps, predicted and measured values, what it refuses.
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;
using nestwright::test::Outcome;

namespace {

constexpr const char *tiled = R"(def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  i0, i1 = sch.split(i, [None, 4])
  j0, j1 = sch.split(j, [None, 16])
  sch.reorder(i0, j0, k, i1, j1)
  sch.vectorize(j1)
  sch.unroll(i1)
)";
const QString product = QStringLiteral("op:matmul(M=64,N=64,K=64)");

} // namespace

class SweepCommandTest : public QObject {
    Q_OBJECT
    NestcRunner m_nestc;

private Q_SLOTS:
    void initTestCase() { m_nestc.write(QStringLiteral("s.py"), tiled); }

    void stepsAreListed()
    {
        const Outcome outcome = m_nestc.run({"sweep", product, "--schedule", "s.py"});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.out.contains("  1  split(i, [None, 4])  factors[1] = 4\n"), qPrintable(outcome.out));
        QVERIFY(outcome.out.contains("  4  vectorize(j_1)\n"));
    }

    void valuesArePredictedAndMeasured()
    {
        const Outcome outcome = m_nestc.run({"sweep", product, "--schedule", "s.py", "--step", "2",
                                             "--values", "2,16,0,32", "--measure", "--json"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        const QJsonObject json = QJsonDocument::fromJson(outcome.out.toUtf8()).object();
        QCOMPARE(json["number"].toString(), QStringLiteral("factors[1]"));
        const QJsonArray points = json["points"].toArray();
        QCOMPARE(points.size(), 4);
        for (const int i : {0, 1, 3}) {
            const QJsonObject point = points[i].toObject();
            QVERIFY(point["predicted"]["seconds"].toDouble() > 0);
            QVERIFY(!point["predicted"]["limit"].toString().isEmpty());
            QCOMPARE(point["measured"]["verdict"].toString(), QStringLiteral("verified"));
        }
        QVERIFY(points[0]["predicted"]["seconds"].toDouble() > points[1]["predicted"]["seconds"].toDouble());
        QVERIFY(points[2].toObject().contains("refused"));
        QVERIFY(json.contains("rank-correlation"));
    }

    void whatIsNotThere_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("fault");
        QTest::newRow("step") << QStringList{"--step", "9"} << "there is no step 9";
        QTest::newRow("negative") << QStringList{"--step", "-1"} << "there is no step -1";
        QTest::newRow("no number") << QStringList{"--step", "3"} << "has no number to change";
        QTest::newRow("other number") << QStringList{"--step", "1", "--number", "x"} << "has no number 'x'";
    }

    void whatIsNotThere()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, fault);
        const Outcome outcome = m_nestc.run(QStringList{"sweep", product, "--schedule", "s.py"} + arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY2(outcome.err.contains(fault), qPrintable(outcome.err));
        QVERIFY(outcome.err.contains("hint: "));
    }

    void withoutSteps()
    {
        const Outcome outcome = m_nestc.run({"sweep", product});
        QCOMPARE(outcome.status, 2);
        QVERIFY(outcome.err.contains("there is no step to change"));
    }
};

QTEST_GUILESS_MAIN(SweepCommandTest)
#include "sweep_command_test.moc"
