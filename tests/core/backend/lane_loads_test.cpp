// SPDX-License-Identifier: Apache-2.0
/// Numbers that are broadcast: on processors that multiply by one lane of a vector, neighbours in memory are
/// loaded as one.
#include "core/backend/backend.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

/// Rows of A by B, of so many terms that lie `apart` numbers apart in A.
std::string assembly(const char *processor, int terms, const char *type = "float32", int apart = 1)
{
    const ir::Module module = tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((16, {1}), "{0}"), B: T.Buffer(({2}, 8), "{0}"), C: T.Buffer((16, 8), "{0}")):
    for i in range(16):
        for k in T.unroll({2}):
            for j in T.vectorized(8):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    vk = T.axis.reduce({2}, k)
                    with T.init():
                        C[vi, vj] = T.Cast("{0}", 0)
                    C[vi, vj] = C[vi, vj] + A[vi, vk * {3}] * B[vk, vj]
)",
                                                        type, terms * apart, terms, apart));
    const auto source = backend::source(module, *target::parseTarget(processor), backend::SourceKind::Asm);
    if (!source)
        qFatal("%s", source.error().render().c_str());
    return source->text;
}

qsizetype times(const std::string &text, const char *pattern)
{
    return QString::fromStdString(text).count(QRegularExpression(pattern));
}

constexpr const char *arm = "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-v2";

} // namespace

class LaneLoadsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("built without LLVM");
    }

    void neighboursAreOneLoad_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<int>("terms");
        QTest::addColumn<QString>("alone"); ///< loads of one number
        QTest::addColumn<QStringList>("lanes");
        const QString single = R"(ldu?r\s+s\d|ld1r)";
        QTest::newRow("a vector") << "float32" << 4 << single << QStringList{"s[1]", "s[2]", "s[3]"};
        QTest::newRow("two vectors") << "float32" << 8 << single << QStringList{"s[1]", "s[2]", "s[3]"};
        QTest::newRow("half of one as well") << "float32" << 6 << single << QStringList{"s[1]", "s[3]"};
        QTest::newRow("doubles") << "float64" << 4 << R"(ldu?r\s+d\d|ld1r)" << QStringList{"d[1]"};
        QTest::newRow("halves") << "float16" << 8 << R"(ldu?r\s+h\d|ld1r)" << QStringList{"h[1]", "h[7]"};
    }
    void neighboursAreOneLoad()
    {
        QFETCH(QString, type);
        QFETCH(int, terms);
        QFETCH(QString, alone);
        QFETCH(QStringList, lanes);
        const std::string text = assembly(arm, terms, qPrintable(type));
        for (const QString &lane : lanes)
            QVERIFY2(QString::fromStdString(text).contains(lane), text.c_str());
        QVERIFY2(times(text, qPrintable(alone)) == 0, text.c_str());
    }

    void oneThatIsLeftIsLoadedAlone()
    {
        const std::string text = assembly(arm, 5);
        QVERIFY2(times(text, R"(ldu?r\s+s\d|ld1r)") == 1, text.c_str());
    }

    void othersStayAsTheyAre()
    {
        const std::string apart = assembly(arm, 4, "float32", 2);
        QVERIFY2(times(apart, R"(\.s\[3\])") == 0, apart.c_str());
        const std::string elsewhere = assembly("llvm -mcpu=haswell", 4);
        QVERIFY2(times(elsewhere, "vbroadcastss") >= 4, elsewhere.c_str());
    }

    /// A number that was stored since is not read before.
    void storesStayBetween()
    {
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((32,), "float32"), n: T.int32):
    for k in T.unroll(4):
        for j in T.vectorized(4):
            with T.block("A"):
                vk, vj = T.axis.remap("SS", [k, j])
                A[vk * 4 + vj + n] = A[vk * 4 + vj + n] * A[vk]
)");
        const auto source = backend::source(module, *target::parseTarget(arm), backend::SourceKind::Asm);
        QVERIFY2(source, source ? "" : source.error().render().c_str());
        QVERIFY2(times(source->text, R"(\.s\[[1-3]\])") == 0, source->text.c_str());
    }
};

QTEST_GUILESS_MAIN(LaneLoadsTest)

#include "lane_loads_test.moc"
