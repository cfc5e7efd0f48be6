// SPDX-License-Identifier: Apache-2.0
// How memory of warps becomes registers and shuffles, or shared memory.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

namespace {

target::Target targetOf(const char *text) { return *target::parseTarget(text); }

const std::string head = "@T.prim_func\ndef main(A: T.Buffer((256,), \"float32\"), B: T.Buffer((256,), "
                         "\"float32\")):";

/// A kernel of blocks; each lane reads what others of its warp wrote, and what it wrote itself.
std::string kernel(int threadsAlongY, const char *read)
{
    return head
           + QString(R"(
    W = T.alloc_buffer((256,), scope="warp")
    for b in T.thread_binding(%1, thread="blockIdx.x"):
        for y in T.thread_binding(%2, thread="threadIdx.y"):
            for t in T.thread_binding(16, thread="threadIdx.x"):
                for i in range(2):
                    with T.block("W"):
                        v = T.axis.spatial(256, ((b * %2 + y) * 16 + t) * 2 + i)
                        W[v] = A[v]
            for t in T.thread_binding(16, thread="threadIdx.x"):
                for i in range(2):
                    with T.block("B"):
                        v = T.axis.spatial(256, ((b * %2 + y) * 16 + t) * 2 + i)
                        T.reads(W[v // 32 * 32:v // 32 * 32 + 32])
                        B[v] = W[%3] + W[v]
)")
                 .arg(8 / threadsAlongY)
                 .arg(threadsAlongY)
                 .arg(read)
                 .toStdString();
}

/// Its results, computed without threads.
std::string reference(const char *read)
{
    return head
           + QString(R"(
    for i in range(256):
        with T.block("B"):
            v = T.axis.spatial(256, i)
            B[v] = A[%1] + A[v]
)")
                 .arg(read)
                 .toStdString();
}

} // namespace

class LowerWarpMemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lowered_data()
    {
        QTest::addColumn<QString>("target");
        addBodyColumns();
        const auto row = [](const char *name, const char *target, const char *before, const char *after) {
            QTest::newRow(name) << target << before << after;
        };
        const char *turned = R"(
    for y in T.thread_binding(4, thread="threadIdx.y"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.decl_buffer((64,), scope="warp") as W:
                for i in range(2):
                    W[i * 32 + t] = A[i * 32 + t]
                for i in range(2):
                    B[i * 32 + t] = W[i * 32 + (31 - t)] + W[i * 32 + t]
)";
        row("registers and shuffles", "cuda", turned, R"(
    for y in T.thread_binding(4, thread="threadIdx.y"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.decl_buffer((2,), scope="local") as W:
                for i in range(2):
                    W[i] = A[i * 32 + t]
                for i in range(2):
                    B[i * 32 + t] = T.tvm_warp_shuffle(T.tvm_warp_activemask(), W[i], 31 - t, 32, 32) + W[i]
)");
        row("shared memory of each row of threads", "opencl", turned, R"(
    for y in T.thread_binding(4, thread="threadIdx.y"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.decl_buffer((256,), scope="shared") as W:
                for i in range(2):
                    W[i * 32 + t + y * 64] = A[i * 32 + t]
                for i in range(2):
                    B[i * 32 + t] = W[i * 32 + (31 - t) + y * 64] + W[i * 32 + t + y * 64]
)");
        row("neighbours in one lane", "cuda", R"(
    for t in T.thread_binding(8, thread="threadIdx.x"):
        with T.decl_buffer((32,), scope="warp") as W:
            for i in range(4):
                W[t * 4 + i] = A[t * 4 + i]
            B[t] = W[5]
            B[t + 8] = W[(t + 1) % 8 * 4 + 2]
)",
            R"(
    for t in T.thread_binding(8, thread="threadIdx.x"):
        with T.decl_buffer((4,), scope="local") as W:
            for i in range(4):
                W[i] = A[t * 4 + i]
            B[t] = T.tvm_warp_shuffle(T.tvm_warp_activemask(), W[1], 1, 8, 32)
            B[t + 8] = T.tvm_warp_shuffle(T.tvm_warp_activemask(), W[2], (t + 1) % 8, 8, 32)
)");
        row("registers of another lane by its own number", "cuda", R"(
    for t in T.thread_binding(8, thread="threadIdx.x"):
        with T.decl_buffer((16,), scope="warp") as W:
            for i in range(2):
                W[t * 2 + i] = A[t * 2 + i]
            B[t] = W[t]
)",
            R"(
    for t in T.thread_binding(8, thread="threadIdx.x"):
        with T.decl_buffer((16,), scope="shared") as W:
            for i in range(2):
                W[t * 2 + i] = A[t * 2 + i]
            B[t] = W[t]
)");
        row("not all lanes load", "cuda", R"(
    for t in T.thread_binding(8, thread="threadIdx.x"):
        with T.decl_buffer((8,), scope="warp") as W:
            W[t] = A[t]
            if t < 3:
                B[t] = W[7 - t]
)",
            R"(
    for t in T.thread_binding(8, thread="threadIdx.x"):
        with T.decl_buffer((8,), scope="shared") as W:
            W[t] = A[t]
            if t < 3:
                B[t] = W[7 - t]
)");
        row("stored for another lane", "cuda", R"(
    for t in T.thread_binding(8, thread="threadIdx.x"):
        with T.decl_buffer((8,), scope="warp") as W:
            W[7 - t] = A[t]
            B[t] = W[t]
)",
            R"(
    for t in T.thread_binding(8, thread="threadIdx.x"):
        with T.decl_buffer((8,), scope="shared") as W:
            W[7 - t] = A[t]
            B[t] = W[t]
)");
        row("more threads than a warp has", "cuda", R"(
    for t in T.thread_binding(64, thread="threadIdx.x"):
        with T.decl_buffer((64,), scope="warp") as W:
            W[t] = A[t]
            B[t] = W[63 - t]
)",
            R"(
    for t in T.thread_binding(64, thread="threadIdx.x"):
        with T.decl_buffer((64,), scope="shared") as W:
            W[t] = A[t]
            B[t] = W[63 - t]
)");
        row("a number of threads that is no power of two", "cuda", R"(
    for t in T.thread_binding(6, thread="threadIdx.x"):
        with T.decl_buffer((6,), scope="warp") as W:
            W[t] = A[t]
            B[t] = W[5 - t]
)",
            R"(
    for t in T.thread_binding(6, thread="threadIdx.x"):
        with T.decl_buffer((6,), scope="shared") as W:
            W[t] = A[t]
            B[t] = W[5 - t]
)");
    }
    void lowered()
    {
        QFETCH(QString, target);
        QFETCH(QString, before);
        QFETCH(QString, after);
        const auto record = lower::runPass(*lower::findPass("lower-warp-memory"),
                                           parsed(head + before.toStdString()), targetOf(qPrintable(target)));
        QVERIFY2(record, record ? "" : record.error().render().c_str());
        const auto difference = ir::firstDifference(record->after, parsed(head + after.toStdString()));
        QVERIFY2(!difference,
                 (difference.value_or("") + "\ngot:\n" + script::print(record->after).text).c_str());
    }

    void refused_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("reason");
        QTest::newRow("its size") << R"(
    for t in T.thread_binding(8, thread="threadIdx.x"):
        for n in range(4):
            with T.decl_buffer((n,), scope="warp") as W:
                W[t] = A[t]
)" << "its size is not constant";
        QTest::newRow("its address") << R"(
    for t in T.thread_binding(8, thread="threadIdx.x"):
        with T.decl_buffer((8,), scope="warp") as W:
            W[t] = A[t]
            T.evaluate(T.call_extern("int32", "abs", W.data))
)" << "its address is taken";
        QTest::newRow("threads") << R"(
    for n in range(4):
        for t in T.thread_binding(n, thread="threadIdx.x"):
            with T.decl_buffer((8,), scope="warp") as W:
                W[t] = A[t]
)" << "the number of threads along threadIdx.x is not constant";
    }
    void refused()
    {
        QFETCH(QString, body);
        QFETCH(QString, reason);
        const auto record = lower::runPass(*lower::findPass("lower-warp-memory"),
                                           parsed(head + body.toStdString()), targetOf("cuda"));
        QVERIFY(!record);
        QCOMPARE(record.error().code, std::string("lower.warp-memory"));
        QVERIFY2(record.error().message.contains(reason.toStdString()), record.error().message.c_str());
        QVERIFY(!record.error().hint.empty());
    }

    /// From blocks on, by both ways.
    void computesTheSame_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("threadsAlongY");
        QTest::addColumn<QString>("read");
        QTest::addColumn<bool>("byShuffles");
        for (const char *target : {"cuda", "opencl"}) {
            for (const int threads : {1, 4}) {
                for (const char *read : {"v // 32 * 32 + (v % 32 + 2) % 32", "v // 32 * 32 + 31 - v % 32",
                                         "v // 32 * 32 + v % 2 * 2"})
                    QTest::addRow("%s, %d rows, %s", target, threads, read)
                        << target << threads << read << (target[0] == 'c');
            }
        }
    }
    void computesTheSame()
    {
        QFETCH(QString, target);
        QFETCH(int, threadsAlongY);
        QFETCH(QString, read);
        QFETCH(bool, byShuffles);
        const ir::Module given = parsed(reference(qPrintable(read)));
        const auto threads = lower::lowerToThreads(parsed(kernel(threadsAlongY, qPrintable(read))),
                                                   targetOf(qPrintable(target)));
        QVERIFY2(threads, threads ? "" : threads.error().render().c_str());
        QVERIFY(checkEquivalent(given, *threads, {.findRaces = true}));
        const std::string text = script::print(*threads).text;
        QVERIFY2(text.contains("tvm_warp_shuffle") == byShuffles, text.c_str());
        QVERIFY(!text.contains("\"warp\""));
    }
};

QTEST_GUILESS_MAIN(LowerWarpMemoryTest)
#include "lower_warp_memory_test.moc"
