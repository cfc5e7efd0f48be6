// SPDX-License-Identifier: Apache-2.0
// nestc scaling: rates over threads in every form, and what is refused.
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;
using nestwright::test::Outcome;

namespace {

constexpr const char *parallelRows = R"(def apply_trace(sch):
  i, j, k = sch.get_loops(sch.get_block("C"))
  sch.parallel(i)
)";
constexpr const char *transposition = R"(
@T.prim_func
def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    for i, j in T.grid(64, 64):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vj, vi]
)";
const QString product = QStringLiteral("op:matmul(M=32,N=32,K=32)");
const QStringList quickly{"--repetitions", "2", "--seconds", "0.005"};

} // namespace

class ScalingCommandTest : public QObject {
    Q_OBJECT
    NestcRunner m_nestc;

    QJsonObject json(const QStringList &more)
    {
        const Outcome outcome = m_nestc.run(QStringList{"scaling", product, "--json"} + quickly + more);
        return QJsonDocument::fromJson(outcome.out.toUtf8()).object();
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_nestc.write(QStringLiteral("rows.py"), parallelRows);
        m_nestc.write(QStringLiteral("transposition.py"), transposition);
    }

    void aTable()
    {
        const Outcome outcome = m_nestc.run(
            QStringList{"scaling", product, "--schedule", "rows.py", "--threads", "2,1,2"} + quickly);
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        const QStringList lines = outcome.out.trimmed().split(u'\n');
        QCOMPARE(lines.size(), 4); // kernel, heading, 1 and 2 threads
        QVERIFY2(lines[1].contains("GFLOPS") && lines[1].contains("roof"), qPrintable(outcome.out));
        QVERIFY(lines[2].startsWith(u'1') && lines[3].startsWith(u'2'));
    }

    void loopsThatAreNotParallelSaySo()
    {
        const QJsonArray rows = json({"--threads", "1,2"})["rows"].toArray();
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[1]["serial"].toDouble(), 1.0);
        QCOMPARE(rows[1]["imbalance"].toDouble(), 2.0);
        QVERIFY(rows[0]["roof"].toDouble() > 0);
        QCOMPARE(rows[0]["rate"].toDouble(), rows[0]["ideal"].toDouble());
        QCOMPARE(rows[1]["ideal"].toDouble(), 2 * rows[0]["rate"].toDouble());
        // A busy machine may have slowed the first one down to half.
        const bool looksEven = rows[1]["rate"].toDouble() >= 1.8 * rows[0]["rate"].toDouble();
        QVERIFY2(looksEven || rows[1]["limit"].toString().contains("runs on one thread")
                     || rows[1]["limit"].toString().contains("other programs"),
                 qPrintable(rows[1]["limit"].toString()));
    }

    void recipesAreMadeForEachNumber()
    {
        const QJsonArray rows = json({"--recipe", "gemm", "--threads", "1,3"})["rows"].toArray();
        QCOMPARE(rows.size(), 2);
        for (const QJsonValue &row : rows)
            QCOMPARE(row["measured"]["verdict"].toString(), QStringLiteral("verified"));
    }

    void manyThreadsOnFewCoresAreRight()
    {
        for (const char *recipe : {"gemm", "gemm:threads=5"}) {
            const Outcome outcome = m_nestc.run(QStringList{"scaling", "op:matmul(M=70,N=90,K=50)",
                                                            "--recipe", recipe, "--threads", "32", "--json"}
                                                + quickly);
            QCOMPARE(outcome.status, 0);
            const QJsonObject json = QJsonDocument::fromJson(outcome.out.toUtf8()).object();
            QCOMPARE(json["rows"][0]["measured"]["verdict"].toString(), QStringLiteral("verified"));
        }
    }

    void bytesWhereNothingIsComputed()
    {
        const Outcome outcome =
            m_nestc.run(QStringList{"scaling", "transposition.py", "--threads", "1", "--csv"} + quickly);
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY2(outcome.out.contains("GB/s"), qPrintable(outcome.out));
        QCOMPARE(outcome.out.count(u'\n'), 2);
    }

    void refusals()
    {
        const Outcome device = m_nestc.run({"scaling", product, "--target", "opencl"});
        QCOMPARE(device.status, 2);
        QVERIFY2(device.err.contains("no number of threads"), qPrintable(device.err));
        QCOMPARE(m_nestc.run({"scaling", product, "--threads", "0"}).status, 2);
        QCOMPARE(m_nestc.run({"scaling", product, "--schedule", "nowhere.py", "--threads", "1"}).status, 1);
    }
};

QTEST_GUILESS_MAIN(ScalingCommandTest)
#include "scaling_command_test.moc"
