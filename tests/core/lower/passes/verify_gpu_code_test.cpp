// SPDX-License-Identifier: Apache-2.0
// Kernels that no device can run are refused, with the limit and by how much it is exceeded.
#include "core/lower/pipeline.h"
#include "core/script/tvmscript/parser.h"

#include <QtTest>

using namespace nestwright;

namespace {

/// A copy of 2^20 numbers by loops over threads, "blockIdx.x:8 threadIdx.x:32" …, the first ones over blocks.
/// A block has `shared` numbers in memory, of which each thread uses one from the front and one from the end.
QString copy(const QString &axes, int shared)
{
    QString text, indent = QStringLiteral("    "), index = QStringLiteral("0"), thread = index;
    int number = 0;
    for (const QString &axis : axes.split(' ')) {
        const QString extent = axis.section(':', 1), kind = axis.section(':', 0, 0);
        const QString name = QStringLiteral("t%1").arg(number++);
        text += indent
                + QStringLiteral("for %1 in T.thread_binding(%2, thread=\"%3\"):\n").arg(name, extent, kind);
        indent += "    ";
        index = QStringLiteral("(%1) * %2 + %3").arg(index, extent, name);
        if (kind.startsWith("threadIdx"))
            thread = QStringLiteral("(%1) * %2 + %3").arg(thread, extent, name);
    }
    for (const QString &line :
         {QStringLiteral("with T.block(\"copy\"):"), "    v = T.axis.spatial(1048576, " + index + ")",
          "    t = T.axis.spatial(1048576, " + thread + ")", QStringLiteral("    S[t] = A[v]"),
          QStringLiteral("    S[%1 - t] = A[v]").arg(shared - 1),
          QStringLiteral("    B[v] = S[t] + S[%1 - t]").arg(shared - 1)})
        text += indent + line + '\n';
    return QStringLiteral("@T.prim_func\ndef main(A: T.Buffer((1048576,), \"float32\"), "
                          "B: T.Buffer((1048576,), \"float32\")):\n"
                          "    S = T.alloc_buffer((%1,), scope=\"shared\")\n")
               .arg(shared)
           + text;
}

support::Result<lower::Lowered> lowered(const QString &text, const char *target)
{
    const auto module = script::parseTvmScript(text.toStdString(), "test");
    if (!module)
        qFatal("%s", module.error().render().c_str());
    return lower::lower(*module, *target::parseTarget(target));
}

} // namespace

class VerifyGpuCodeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void limits_data()
    {
        QTest::addColumn<QString>("axes");
        QTest::addColumn<int>("shared");
        QTest::addColumn<QString>("refusal");
        QTest::newRow("all that a block may have")
            << "blockIdx.x:1024 threadIdx.y:32 threadIdx.x:32" << 12288 << "";
        QTest::newRow("too many threads") << "blockIdx.x:512 threadIdx.y:64 threadIdx.x:32" << 4096
                                          << "has 2048 threads (threadIdx.y 64, threadIdx.x 32)";
        QTest::newRow("too many along z") << "blockIdx.x:8192 threadIdx.z:128" << 256
                                          << "has 128 iterations along threadIdx.z, and a GPU has at most 64";
        QTest::newRow("too many blocks along y")
            << "blockIdx.y:131072 threadIdx.x:8" << 64
            << "131072 iterations along blockIdx.y, and a GPU has at most "
               "65535";
        QTest::newRow("many blocks along x") << "blockIdx.x:131072 threadIdx.x:8" << 64 << "";
        QTest::newRow("too much shared memory") << "blockIdx.x:1024 threadIdx.x:1024" << 16384
                                                << "needs 65536 bytes of shared memory (S 65536), 16384 more "
                                                   "than the 49152";
    }
    /// An architecture may have more, given at the launch.
    void sharedMemoryOfAnArchitecture()
    {
        const QString program = copy("blockIdx.x:1024 threadIdx.x:1024", 16384);
        for (const char *target : {"cuda -arch=sm_80", "cuda -arch=sm_90a", "cuda -arch=sm_75"})
            QVERIFY2(lowered(program, target).has_value(), target);
        const auto result = lowered(copy("blockIdx.x:1024 threadIdx.x:1024", 17000), "cuda -arch=sm_75");
        QVERIFY(!result);
        QVERIFY2(result.error().message.contains("more than the 65536 that it may have on sm_75"),
                 result.error().message.c_str());
        QVERIFY(lowered(program, "cuda").error().hint.contains("-arch=sm_90"));
    }

    void limits()
    {
        QFETCH(QString, axes);
        QFETCH(int, shared);
        QFETCH(QString, refusal);
        const auto result = lowered(copy(axes, shared), "cuda");
        if (refusal.isEmpty()) {
            QVERIFY2(result, result ? "" : result.error().render().c_str());
            return;
        }
        QVERIFY(!result);
        QCOMPARE(result.error().code, std::string("lower.device-limit"));
        QVERIFY2(result.error().message.contains(refusal.toStdString()), result.error().message.c_str());
        QVERIFY(!result.error().hint.empty());
        QVERIFY(lowered(copy(axes, shared), "opencl")); // whose driver knows the limits of its device
    }

    void placeIsTheLoop()
    {
        const auto result = lowered(copy("blockIdx.x:8192 threadIdx.z:128", 256), "cuda");
        QVERIFY(!result);
        QCOMPARE(result.error().locations.size(), std::size_t{1});
        QVERIFY(result.error().locations.front().stmt);
    }
};

QTEST_GUILESS_MAIN(VerifyGpuCodeTest)
#include "verify_gpu_code_test.moc"
