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

    void twoNumbersMakeATable()
    {
        const Outcome outcome =
            m_nestc.run({"sweep", product, "--schedule", "s.py", "--step", "1", "--and-step", "2", "--values",
                         "2,4", "--and-values", "8,0,16", "--measure"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY2(outcome.out.startsWith("down: factors[1] of split(i, [None, 4])\n"
                                        "across: factors[1] of split(j, [None, 16])\n"),
                 qPrintable(outcome.out));
        QVERIFY(outcome.out.contains("predicted, ms\n"));
        QVERIFY(outcome.out.contains("measured, ms"));
        QVERIFY2(outcome.out.contains("2 × 0, 4 × 0: loop 'j' cannot be split by 0"),
                 qPrintable(outcome.out));
        QVERIFY(outcome.out.contains("\nfastest: "));
        QVERIFY(outcome.out.contains(", significantly\n")
                || outcome.out.contains("; no significant difference from it: "));
    }

    void twoNumbersAsJson()
    {
        const Outcome outcome = m_nestc.run({"sweep", product, "--schedule", "s.py", "--step", "2",
                                             "--and-step", "1", "--and-values", "4,8", "--json"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        const QJsonObject json = QJsonDocument::fromJson(outcome.out.toUtf8()).object();
        QCOMPARE(json["down"]["step"].toString(), QStringLiteral("split(j, [None, 16])"));
        QCOMPARE(json["across"]["values"].toArray(), (QJsonArray{4, 8}));
        const QJsonArray cells = json["cells"].toArray();
        QCOMPARE(cells.size(), json["down"]["values"].toArray().size() * 2);
        for (const QJsonValue &cell : cells)
            QVERIFY(cell["predicted"]["seconds"].toDouble() > 0 && !cell["predicted"]["limit"].isNull());
        QVERIFY(!cells[0].toObject().contains("measured") && !cells[0].toObject().contains("best"));
    }

    void placesAreMeasured()
    {
        const Outcome outcome = m_nestc.run({"sweep", product, "--places", "k", "--measure"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY2(outcome.out.startsWith("2 places of 'k':\nas it is "), qPrintable(outcome.out));
        QVERIFY(outcome.out.contains("\nreorder(k, i, j) "));
        QVERIFY(outcome.out.contains("\nfastest: "));
        const Outcome json = m_nestc.run({"sweep", product, "--schedule", "s.py", "--places", "k", "--json"});
        QVERIFY2(json.status == 0, qPrintable(json.err));
        const QJsonObject object = QJsonDocument::fromJson(json.out.toUtf8()).object();
        QCOMPARE(object["legal"].toInt(), object["places"].toArray().size());
        QVERIFY(object["now"]["predicted"]["seconds"].toDouble() > 0);
    }

    /// The best dozen as predicted, and how many there are.
    void manyPlacesAreLimited()
    {
        m_nestc.write(QStringLiteral("many.py"), R"(def apply_trace(sch):
  i, j, k = sch.get_loops(sch.get_block("C"))
  sch.split(i, [None, 2, 2, 2, 2])
  sch.split(j, [None, 2, 2, 2, 2])
  sch.split(k, [None, 2, 2, 2, 2])
)");
        const Outcome outcome = m_nestc.run({"sweep", product, "--schedule", "many.py", "--places", "k_4"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY2(outcome.out.startsWith("14 places of 'k_4', the best 12 as predicted:\n"),
                 qPrintable(outcome.out));
        QCOMPARE(outcome.out.count(QStringLiteral("\nreorder(")), 12);
    }

    void whatIsNotThere_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("fault");
        QTest::newRow("step") << QStringList{"--step", "9"} << "there is no step 9";
        QTest::newRow("negative") << QStringList{"--step", "-1"} << "there is no step -1";
        QTest::newRow("no number") << QStringList{"--step", "3"} << "has no number to change";
        QTest::newRow("other number") << QStringList{"--step", "1", "--number", "x"} << "has no number 'x'";
        QTest::newRow("second step") << QStringList{"--step", "1", "--and-step", "7"} << "there is no step 7";
        QTest::newRow("same number") << QStringList{"--step", "1", "--and-step", "1"}
                                     << "both numbers are factors[1]";
        QTest::newRow("loop") << QStringList{"--places", "x"} << "there is no loop or block 'x'";
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

    void tooManyCells()
    {
        QString values = QStringLiteral("1");
        for (int i = 2; i <= 20; ++i)
            values += QStringLiteral(",%1").arg(i);
        const Outcome outcome = m_nestc.run({"sweep", product, "--schedule", "s.py", "--step", "1",
                                             "--values", values, "--and-step", "2", "--and-values", values});
        QCOMPARE(outcome.status, 2);
        QVERIFY(outcome.err.contains("these are 400 programs"));
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
