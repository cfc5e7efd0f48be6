// SPDX-License-Identifier: Apache-2.0
// How the parts that a device runs become functions of their own.
#include "core/ir/build/walk.h"
#include "core/lower/kernel_launch.h"
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

namespace {

constexpr auto parameters =
    "A: T.Buffer((1024,), \"float32\"), B: T.Buffer((1024,), \"float32\"), n: T.int32";

ir::Module split(const QString &body)
{
    const ir::Module given =
        parsed(std::string("@T.prim_func\ndef main(") + parameters + "):" + body.toStdString());
    auto record = lower::runPass(*lower::findPass("split-host-device"), given, {});
    if (!record)
        qFatal("%s", record.error().render().c_str());
    return std::move(record->after);
}

std::string printed(const ir::Module &module, std::string_view name)
{
    const ir::Function function = module.find(name);
    return function ? script::print(function).text : "none";
}

} // namespace

class SplitHostDeviceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void kernelsAreLaunched_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QStringList>("launches");
        QTest::newRow("one kernel") << R"(
    for bx in T.thread_binding(16, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            B[bx * 64 + tx] = A[bx * 64 + tx]
)" << QStringList{"main_kernel(B, A, 16, 1, 1, 64, 1, 1)"};
        QTest::newRow("two, and one thread between them")
            << R"(
    for bx in T.thread_binding(16, thread="blockIdx.y"):
        B[bx] = A[bx]
    B[16] = T.float32(1)
    B[17] = T.Cast("float32", n)
    for tx in T.thread_binding(n, thread="threadIdx.z"):
        B[32 + tx] = A[tx]
)"
            << QStringList{"main_kernel(B, A, 1, 16, 1, 1, 1, 1)", "main_kernel_1(B, n, 1, 1, 1, 1, 1, 1)",
                           "main_kernel_2(B, A, n, 1, 1, 1, 1, 1, n)"};
        QTest::newRow("launches in loops and branches") << R"(
    for i in range(n):
        if i < 4:
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                B[i * 64 + tx] = A[tx]
)" << QStringList{"main_kernel(B, A, i, 1, 1, 1, 64, 1, 1)"};
        QTest::newRow("memory of the host") << R"(
    with T.decl_buffer((4096,)) as W:
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            W[tx] = A[tx]
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            B[tx] = W[63 - tx]
)" << QStringList{"main_kernel(W, A, 1, 1, 1, 64, 1, 1)", "main_kernel_1(B, W, 1, 1, 1, 64, 1, 1)"};
        QTest::newRow("no threads at all") << R"(
    for i in range(1024):
        B[i] = A[i]
)" << QStringList{"main_kernel(B, A, 1, 1, 1, 1, 1, 1)"};
    }
    void kernelsAreLaunched()
    {
        QFETCH(QString, body);
        QFETCH(QStringList, launches);
        const ir::Module module = split(body);
        QStringList found;
        ir::forEachStmt(module.find("main")->body, [&](const ir::Stmt &s) {
            const auto launch = lower::KernelLaunch::of(s);
            if (!launch)
                return true;
            QStringList arguments;
            for (const auto &part :
                 {std::span<const ir::Expr>(launch->arguments), std::span<const ir::Expr>(launch->blocks),
                  std::span<const ir::Expr>(launch->threads)}) {
                for (const ir::Expr &e : part)
                    arguments << QString::fromStdString(script::printExpr(e));
            }
            found << QString::fromStdString(launch->kernel) + '(' + arguments.join(", ") + ')';
            const ir::Function kernel = module.find(launch->kernel);
            if (!kernel || !lower::isKernel(*kernel) || kernel->params.size() != launch->arguments.size())
                found << "which is none";
            return true;
        });
        QCOMPARE(found, launches);
    }

    /// Small memory is a thread's own, large memory is made by the host.
    void memoryOfOneThread()
    {
        const ir::Module module = split(R"(
    for i in range(16):
        with T.decl_buffer((8,)) as S:
            S[i % 8] = A[i]
            with T.decl_buffer((8192,)) as L:
                L[i] = S[i % 8]
                B[i] = L[i]
)");
        QVERIFY(printed(module, "main").contains("T.allocate([8192]"));
        QVERIFY(printed(module, "main_kernel").contains("T.decl_buffer((8,), scope=\"local\")"));
    }

    void whatRestsOnMemoryOfTheDeviceIsRefused()
    {
        const ir::Module given =
            parsed(std::string("@T.prim_func\ndef main(") + parameters + R"(, N: T.Buffer((1,), "int32")):
    for i in range(N[0]):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            B[i * 64 + tx] = A[tx]
)");
        const auto record = lower::runPass(*lower::findPass("split-host-device"), given, {});
        QVERIFY(!record);
        QCOMPARE(record.error().code, std::string("lower.host-code"));
    }
};

QTEST_GUILESS_MAIN(SplitHostDeviceTest)
#include "split_host_device_test.moc"
