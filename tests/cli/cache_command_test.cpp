// SPDX-License-Identifier: Apache-2.0
// nestc cache: counts of caches that are given, smaller sizes, what it refuses.
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;
using nestwright::test::Outcome;

namespace {

constexpr const char *rowsInner = R"(def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  sch.reorder(j, k, i)
)";
const QString product = QStringLiteral("op:matmul(M=64,N=64,K=64)");

} // namespace

class CacheCommandTest : public QObject {
    Q_OBJECT
    NestcRunner m_nestc;

    QJsonObject counts(const QStringList &arguments)
    {
        const Outcome outcome = m_nestc.run(QStringList{"cache"} + arguments + QStringList{"--json"});
        if (outcome.status != 0)
            qFatal("%s", qPrintable(outcome.err));
        return QJsonDocument::fromJson(outcome.out.toUtf8()).object();
    }

    static qint64 misses(const QJsonObject &json, const QString &buffer, const QString &kind, int level = 0)
    {
        for (const QJsonValue row : json["accesses"].toArray()) {
            if (row["buffer"].toString() == buffer && row["kind"].toString() == kind)
                return row["misses"].toArray()[level].toInteger();
        }
        return -1;
    }

private Q_SLOTS:
    void initTestCase() { m_nestc.write(QStringLiteral("s.py"), rowsInner); }

    void aTable()
    {
        const Outcome outcome = m_nestc.run({"cache", product, "--cache", "4k,4,64", "--cache", "64k,8,64"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY2(outcome.out.startsWith("L1: 4 KiB, 4 ways, lines of 64 bytes\n"), qPrintable(outcome.out));
        QVERIFY(outcome.out.contains("L2 misses"));
        QVERIFY(outcome.out.contains("262144"));
    }

    /// Along the columns of C each access misses; where k runs innermost, C stays.
    void loopOrder()
    {
        const QStringList caches{"--cache", "1k,2,64", "--cache", "64k,8,64"};
        const QJsonObject rows = counts(QStringList{product} + caches);
        const QJsonObject columns = counts(QStringList{product, "--schedule", "s.py"} + caches);
        QCOMPARE(rows["total"].toObject()["accesses"].toInteger(), 4 * 64 * 64 * 64 + 64 * 64);
        QCOMPARE(columns["total"].toObject()["accesses"].toInteger(), 4 * 64 * 64 * 64 + 64 * 64);
        QVERIFY(misses(columns, "C", "read") > 8 * misses(rows, "C", "read"));
        // All three fit into the second level: only first touches miss it.
        QCOMPARE(rows["total"].toObject()["misses"].toArray()[1].toInteger(), 3 * 64 * 64 / 16);
        QCOMPARE(columns["total"].toObject()["misses"].toArray()[1].toInteger(), 3 * 64 * 64 / 16);
    }

    void smallerSizes()
    {
        const Outcome outcome = m_nestc.run(
            {"cache", "op:matmul(M=512,N=512,K=512)", "--schedule", "s.py", "--largest", "32", "--json"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY2(outcome.err.contains("note: smaller extents: 512 → 32"), qPrintable(outcome.err));
        const QJsonObject json = QJsonDocument::fromJson(outcome.out.toUtf8()).object();
        QCOMPARE(json["total"].toObject()["accesses"].toInteger(), 4 * 32 * 32 * 32 + 32 * 32);
        QVERIFY(json["whole"].toBool());
        QVERIFY(!json["caches"].toArray().isEmpty());
    }

    void endsEarly()
    {
        const Outcome outcome = m_nestc.run({"cache", product, "--accesses", "1000", "--json"});
        QCOMPARE(outcome.status, 0);
        QVERIFY(outcome.err.contains("1000 accesses"));
        const QJsonObject json = QJsonDocument::fromJson(outcome.out.toUtf8()).object();
        QCOMPARE(json["total"].toObject()["accesses"].toInteger(), 1000);
        QVERIFY(!json["whole"].toBool());
    }

    void symbolicSizes()
    {
        m_nestc.write(QStringLiteral("n.py"), R"(@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for i in range(n):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi] * T.float32(2)
)");
        const QJsonObject json = counts({"n.py", "--size", "n=1600"});
        QCOMPARE(json["total"].toObject()["accesses"].toInteger(), 3200);
        QCOMPARE(misses(json, "A", "read"), 100);
    }

    void whatItRefuses_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("fault");
        QTest::newRow("cache") << QStringList{"--cache", "32k"} << "a cache is given as size,ways,line";
        QTest::newRow("size") << QStringList{"--size", "n"} << "expected NAME=VALUE";
        QTest::newRow("largest") << QStringList{"--largest", "0"} << "largest";
    }

    void whatItRefuses()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, fault);
        const Outcome outcome = m_nestc.run(QStringList{"cache", product} + arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY2(outcome.err.contains(fault), qPrintable(outcome.err));
    }
};

QTEST_MAIN(CacheCommandTest)
#include "cache_command_test.moc"
