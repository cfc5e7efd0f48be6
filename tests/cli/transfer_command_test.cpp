// SPDX-License-Identifier: Apache-2.0
// nestc transfer and nestc recipe: tables of ratios in every form, and recipes that are written, applied and
// measured.
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;
using nestwright::test::Outcome;

namespace {

constexpr const char *tiledSteps = R"(def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  i0, i1 = sch.split(i, [None, 4])
  j0, j1 = sch.split(j, [None, 16])
  sch.reorder(i0, j0, k, i1, j1)
  sch.vectorize(j1)
  sch.unroll(i1)
)";
const QString smallProduct = QStringLiteral("op:matmul(M=32,N=32,K=32)");
const QStringList quickly{"--repetitions", "2", "--seconds", "0.005"};

} // namespace

class TransferCommandTest : public QObject {
    Q_OBJECT
    NestcRunner m_nestc;

private Q_SLOTS:
    void initTestCase() { m_nestc.write(QStringLiteral("tiled.py"), tiledSteps); }

    void aTable()
    {
        const Outcome outcome =
            m_nestc.run(QStringList{"transfer", smallProduct, "--schedule", "tiled.py", "--sizes",
                                    "M=32,N=32", "--sizes", "M=16,N=48", "--threads", "1", "--target", "llvm"}
                        + quickly);
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY2(outcome.out.contains("llvm, 1 thread") && outcome.out.contains("M=16, N=48"),
                 qPrintable(outcome.out));
        QVERIFY(outcome.out.contains(QStringLiteral("×")));
    }

    void asJsonAndCsv()
    {
        const QStringList common =
            QStringList{"transfer", smallProduct, "--schedule", "tiled.py", "--sizes", "N=48"} + quickly;
        const QJsonObject json =
            QJsonDocument::fromJson(m_nestc.run(common + QStringList{"--json"}).out.toUtf8()).object();
        const QJsonObject cell = json["cells"].toArray()[0].toObject();
        QCOMPARE(cell["sizes"]["N"].toInt(), 48);
        QVERIFY(cell["ratio"]["median"].toDouble() > 0);
        QCOMPARE(cell["scheduled"]["verdict"].toString(), QStringLiteral("verified"));
        const Outcome csv = m_nestc.run(common + QStringList{"--csv"});
        QVERIFY(csv.out.startsWith(QLatin1String("shape,target,threads,ratio")));
        QCOMPARE(csv.out.count(u'\n'), 2);
    }

    void whereItDoesNotApply()
    {
        m_nestc.write(QStringLiteral("even.py"), "def apply_trace(sch):\n  b = sch.get_block(\"C\")\n"
                                                 "  i, j, k = sch.get_loops(b)\n"
                                                 "  assert int(sch.get(i).extent) > 20, \"rows\"\n"
                                                 "  sch.reorder(j, i)\n");
        const Outcome outcome =
            m_nestc.run(QStringList{"transfer", smallProduct, "--schedule", "even.py", "--base", "tiled.py",
                                    "--sizes", "M=16", "--sizes", "M=32"}
                        + quickly);
        QCOMPARE(outcome.status, 1);
        QVERIFY2(outcome.out.contains("does not apply [1]"), qPrintable(outcome.out));
        QVERIFY(outcome.out.contains("[1] assert int(sch.get(i).extent) > 20"));
        QVERIFY(outcome.out.contains("even over tiled"));
    }

    void whatIsNotThere_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("fault");
        QTest::newRow("no schedule") << QStringList{} << "there is no schedule";
        QTest::newRow("file") << QStringList{"--schedule", "no.py"} << "no.py";
        QTest::newRow("recipe") << QStringList{"--recipe", "gem"} << "there is no recipe 'gem'";
        QTest::newRow("size") << QStringList{"--schedule", "tiled.py", "--sizes", "Q=3"}
                              << "no parameter \"Q\"";
        QTest::newRow("form") << QStringList{"--schedule", "tiled.py", "--sizes", "M"} << "gives no size";
        QTest::newRow("target") << QStringList{"--schedule", "tiled.py", "--target", "x"} << "x";
    }

    void whatIsNotThere()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, fault);
        const Outcome outcome = m_nestc.run(QStringList{"transfer", smallProduct} + arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY2(outcome.err.contains(fault), qPrintable(outcome.err));
    }

    void aRecipeIsWrittenAndApplied()
    {
        const Outcome list = m_nestc.run({"recipe", smallProduct, "--schedule", "tiled.py", "--list"});
        QCOMPARE(list.out,
                 QStringLiteral("rows = 4  split(i, [None, 4])\nlanes = 16  split(j, [None, 16])\n"));
        const Outcome outcome = m_nestc.run(
            {"recipe", smallProduct, "--schedule", "tiled.py", "-o", "mine.py", "--rename", "rows=height"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY(
            m_nestc.read("mine.py").contains("def mine(sch: tir.Schedule, block=\"\", height=4, lanes=16)"));
        for (const char *kernel : {"op:matmul(M=24,N=16,K=8)", "op:matmul_relu(M=10,N=20,K=30)"}) {
            const Outcome verified =
                m_nestc.run({"verify", QString::fromLatin1(kernel), "--recipe", "mine.py:height=2"});
            QVERIFY2(verified.status == 0, qPrintable(verified.err + verified.out));
        }
        const Outcome fixed = m_nestc.run(
            {"recipe", smallProduct, "--schedule", "tiled.py", "--fixed", "lanes", "--name", "other"});
        QVERIFY2(fixed.out.contains("def other(sch: tir.Schedule, block=\"\", rows=4)"),
                 qPrintable(fixed.out));
        const Outcome none = m_nestc.run({"recipe", smallProduct, "--schedule", "tiled.py", "--fixed", "x"});
        QCOMPARE(none.status, 2);
        QVERIFY(none.err.contains("no number 'x'"));
    }

    void aSavedRecipeIsListed()
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("NESTWRIGHT_RECIPES", m_nestc.file("recipes"));
        m_nestc.process().setProcessEnvironment(environment);
        const Outcome saved =
            m_nestc.run({"recipe", smallProduct, "--schedule", "tiled.py", "--name", "tall", "--save"});
        QVERIFY2(saved.status == 0, qPrintable(saved.err));
        QVERIFY(m_nestc.run({"list", "recipes"}).out.contains("tall"));
        QCOMPARE(m_nestc.run({"verify", smallProduct, "--recipe", "tall:rows=2"}).status, 0);
        const Outcome taken =
            m_nestc.run({"recipe", smallProduct, "--schedule", "tiled.py", "--name", "gemm", "--save"});
        QCOMPARE(taken.status, 2);
        m_nestc.process().setProcessEnvironment(QProcessEnvironment::systemEnvironment());
    }
};

QTEST_GUILESS_MAIN(TransferCommandTest)
#include "transfer_command_test.moc"
