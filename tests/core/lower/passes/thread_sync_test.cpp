// SPDX-License-Identifier: Apache-2.0
// Where threads of a block wait for each other.
#include "core/interp/interpreter.h"
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

namespace {

constexpr auto head =
    "@T.prim_func\ndef main(A: T.Buffer((1024,), \"float32\"), B: T.Buffer((1024,), \"float32\"), "
    "C: T.Buffer((1024,), \"float32\"), n: T.int32):\n"
    "    for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n";

ir::Module kernel(const QString &body) { return parsed(head + body.toStdString()); }

/// Verdict of the interpreter, looking for races.
std::string outcome(const ir::Module &module)
{
    const ir::PrimFunc &function = *module.mainEntry()->function;
    auto arrays = interp::makeArguments(function, 1);
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : *arrays)
        pointers.push_back(&array);
    const std::int64_t n = 3;
    const auto ran = interp::run(function, pointers, std::span(&n, 1), {.stop = {}, .findRaces = true});
    return ran ? "" : ran.error().render();
}

} // namespace

class ThreadSyncTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void synced_data()
    {
        addBodyColumns();
        row("through shared memory", R"(
        with T.decl_buffer((64,), scope="shared") as S:
            S[tx] = A[tx]
            B[tx] = S[63 - tx]
)",
            R"(
        with T.decl_buffer((64,), scope="shared") as S:
            S[tx] = A[tx]
            T.tvm_storage_sync("shared")
            B[tx] = S[63 - tx]
)");
        row("under a condition that all threads find alike", R"(
        with T.decl_buffer((64,), scope="shared") as S:
            if A[n] < T.float32(1000):
                S[tx] = A[tx]
                B[tx] = S[63 - tx]
)",
            R"(
        with T.decl_buffer((64,), scope="shared") as S:
            if A[n] < T.float32(1000):
                S[tx] = A[tx]
                T.tvm_storage_sync("shared")
                B[tx] = S[63 - tx]
)");
        row("under a condition that is said to be the same for all", R"(
        with T.decl_buffer((64,), scope="shared") as S:
            if T.tvm_thread_invariant(C[n] * T.float32(0) < T.float32(1000)):
                S[tx] = A[tx]
                C[tx] = S[63 - tx]
)",
            R"(
        with T.decl_buffer((64,), scope="shared") as S:
            if T.tvm_thread_invariant(C[n] * T.float32(0) < T.float32(1000)):
                S[tx] = A[tx]
                T.tvm_storage_sync("shared")
                C[tx] = S[63 - tx]
)");
        row("each its own element", R"(
        with T.decl_buffer((256,), scope="shared") as S:
            for i in range(4):
                S[tx * 4 + i] = A[tx]
            for i in range(4):
                B[tx] = S[tx * 4 + 3 - i]
)");
        row("one turn of a loop", R"(
        with T.decl_buffer((64,), scope="shared") as S:
            for k in range(1):
                S[tx] = A[k * 64 + tx]
                B[tx] = S[63 - tx]
)",
            R"(
        with T.decl_buffer((64,), scope="shared") as S:
            for k in range(1):
                S[tx] = A[k * 64 + tx]
                T.tvm_storage_sync("shared")
                B[tx] = S[63 - tx]
)");
        row("one tile after the other", R"(
        with T.decl_buffer((64,), scope="shared") as S:
            for k in range(16):
                S[tx] = A[k * 64 + tx]
                for i in range(64):
                    B[tx] = B[tx] + S[i]
)",
            R"(
        with T.decl_buffer((64,), scope="shared") as S:
            for k in range(16):
                T.tvm_storage_sync("shared")
                S[tx] = A[k * 64 + tx]
                T.tvm_storage_sync("shared")
                for i in range(64):
                    B[tx] = B[tx] + S[i]
)");
        row("two tiles in turn", R"(
        with T.decl_buffer((128,), scope="shared") as S:
            for k in range(16):
                S[k % 2 * 64 + tx] = A[k * 64 + tx]
                B[tx] = B[tx] + S[k % 2 * 64 + 63 - tx]
)",
            R"(
        with T.decl_buffer((128,), scope="shared") as S:
            for k in range(16):
                S[k % 2 * 64 + tx] = A[k * 64 + tx]
                T.tvm_storage_sync("shared")
                B[tx] = B[tx] + S[k % 2 * 64 + 63 - tx]
)");
        row("two halves that never meet", R"(
        with T.decl_buffer((128,), scope="shared") as S:
            S[tx] = A[tx]
            B[tx] = S[64 + 63 - tx]
            S[64 + tx] = A[tx]
)",
            R"(
        with T.decl_buffer((128,), scope="shared") as S:
            S[tx] = A[tx]
            B[tx] = S[64 + 63 - tx]
            T.tvm_storage_sync("shared")
            S[64 + tx] = A[tx]
)");
        row("even and odd elements", R"(
        with T.decl_buffer((128,), scope="shared") as S:
            S[tx * 2] = A[tx]
            S[127 - tx * 2] = A[tx]
)");
        row("one thread for itself", R"(
        with T.decl_buffer((1,), scope="shared") as S:
            if tx == 0:
                S[0] = A[0]
            if tx == 0:
                B[0] = S[0]
)");
        row("one thread for all", R"(
        with T.decl_buffer((1,), scope="shared") as S:
            if tx == 0:
                S[0] = A[0]
            B[tx] = S[0]
)",
            R"(
        with T.decl_buffer((1,), scope="shared") as S:
            if tx == 0:
                S[0] = A[0]
            T.tvm_storage_sync("shared")
            B[tx] = S[0]
)");
        row("half of the threads for the other half", R"(
        with T.decl_buffer((32,), scope="shared") as S:
            if tx < 32:
                S[tx] = A[tx]
            if tx >= 32:
                B[tx] = S[tx - 32]
)",
            R"(
        with T.decl_buffer((32,), scope="shared") as S:
            if tx < 32:
                S[tx] = A[tx]
            T.tvm_storage_sync("shared")
            if tx >= 32:
                B[tx] = S[tx - 32]
)");
        row("a condition that all share", R"(
        with T.decl_buffer((64,), scope="shared") as S:
            if n > 1:
                S[tx] = A[tx]
                B[tx] = S[63 - tx]
)",
            R"(
        with T.decl_buffer((64,), scope="shared") as S:
            if n > 1:
                S[tx] = A[tx]
                T.tvm_storage_sync("shared")
                B[tx] = S[63 - tx]
)");
        row("a loop that may be left out", R"(
        with T.decl_buffer((64,), scope="shared") as S:
            S[tx] = A[tx]
            for k in range(n):
                B[tx] = S[63 - tx]
                S[tx] = A[tx]
            C[tx] = S[63 - tx]
)",
            R"(
        with T.decl_buffer((64,), scope="shared") as S:
            S[tx] = A[tx]
            for k in range(n):
                T.tvm_storage_sync("shared")
                B[tx] = S[63 - tx]
                T.tvm_storage_sync("shared")
                S[tx] = A[tx]
            T.tvm_storage_sync("shared")
            C[tx] = S[63 - tx]
)");
        row("barriers that are there", R"(
        with T.decl_buffer((64,), scope="shared") as S:
            S[tx] = A[tx]
            T.tvm_storage_sync("shared")
            B[tx] = S[63 - tx]
)");
        row("the barrier of a warp is none of the block", R"(
        with T.decl_buffer((64,), scope="shared") as S:
            S[tx] = A[tx]
            T.tvm_storage_sync("warp")
            B[tx] = S[63 - tx]
)",
            R"(
        with T.decl_buffer((64,), scope="shared") as S:
            S[tx] = A[tx]
            T.tvm_storage_sync("warp")
            T.tvm_storage_sync("shared")
            B[tx] = S[63 - tx]
)");
        row("memory of the device", R"(
        B[tx] = A[tx]
        C[tx] = B[63 - tx]
)",
            R"(
        B[tx] = A[tx]
        T.tvm_storage_sync("shared")
        C[tx] = B[63 - tx]
)");
        row("memory of each thread", R"(
        with T.decl_buffer((64,), scope="local") as L:
            L[3] = A[tx]
            B[tx] = L[3]
)");
        row("vectors", R"(
        with T.decl_buffer((256,), scope="shared") as S:
            S[tx * 4:tx * 4 + 4] = A[tx * 4:tx * 4 + 4]
            B[tx] = S[tx * 4 + 3]
            C[tx] = S[255 - tx * 4]
)",
            R"(
        with T.decl_buffer((256,), scope="shared") as S:
            S[tx * 4:tx * 4 + 4] = A[tx * 4:tx * 4 + 4]
            B[tx] = S[tx * 4 + 3]
            T.tvm_storage_sync("shared")
            C[tx] = S[255 - tx * 4]
)");
        row("digits of the thread's number", R"(
        with T.decl_buffer((64,), scope="shared") as S:
            S[tx % 8 * 8 + tx // 8] = A[tx]
            B[tx] = S[tx % 8 * 8 + tx // 8]
            C[tx] = S[tx]
)",
            R"(
        with T.decl_buffer((64,), scope="shared") as S:
            S[tx % 8 * 8 + tx // 8] = A[tx]
            B[tx] = S[tx % 8 * 8 + tx // 8]
            T.tvm_storage_sync("shared")
            C[tx] = S[tx]
)");
        row("while", R"(
        with T.decl_buffer((64,), scope="shared") as S:
            with T.decl_buffer((1,), "int32", scope="local") as i:
                i[0] = 0
                S[tx] = A[tx]
                while i[0] < 3:
                    i[0] = i[0] + 1
                B[tx] = S[63 - tx]
)",
            R"(
        with T.decl_buffer((64,), scope="shared") as S:
            with T.decl_buffer((1,), "int32", scope="local") as i:
                i[0] = 0
                S[tx] = A[tx]
                while i[0] < 3:
                    i[0] = i[0] + 1
                T.tvm_storage_sync("shared")
                B[tx] = S[63 - tx]
)");
    }
    void synced()
    {
        QFETCH(QString, before);
        QFETCH(QString, after);
        const ir::Module given = kernel(before);
        const auto record = lower::runPass(*lower::findPass("thread-sync"), given, {});
        QVERIFY2(record, record ? "" : record.error().render().c_str());
        const auto difference = ir::firstDifference(record->after, after.isEmpty() ? given : kernel(after));
        QVERIFY2(!difference,
                 (difference.value_or("") + "\ngot:\n" + script::print(record->after).text).c_str());
        QCOMPARE(outcome(record->after), std::string());
        if (!after.isEmpty() && !before.contains("tvm_storage_sync(\"warp\")"))
            QVERIFY(outcome(given).contains("interp.race"));
    }

    void waitingUnderAThreadsOwnConditionIsRefused_data()
    {
        QTest::addColumn<QString>("body");
        QTest::newRow("a branch") << "        with T.decl_buffer((64,), scope=\"shared\") as S:\n"
                                     "            if tx < 40:\n"
                                     "                S[tx] = A[tx]\n"
                                     "                B[tx] = S[39 - tx]\n";
        QTest::newRow("what each thread reads for itself")
            << "        with T.decl_buffer((64,), scope=\"shared\") as S:\n"
               "            if A[tx] < T.float32(1000):\n"
               "                S[tx] = A[tx]\n"
               "                B[tx] = S[39 - tx]\n";
        QTest::newRow("what the kernel writes")
            << "        with T.decl_buffer((64,), scope=\"shared\") as S:\n"
               "            if B[n] < T.float32(1000):\n"
               "                S[tx] = A[tx]\n"
               "                B[tx] = S[39 - tx]\n";
        QTest::newRow("a branch that is falsely said to be the same for all")
            << "        with T.decl_buffer((64,), scope=\"shared\") as S:\n"
               "            if T.tvm_thread_invariant(tx < 40):\n"
               "                S[tx] = A[tx]\n"
               "                B[tx] = S[39 - tx]\n";
        QTest::newRow("a loop") << "        with T.decl_buffer((64,), scope=\"shared\") as S:\n"
                                   "            for i in range(tx):\n"
                                   "                S[tx] = A[tx]\n"
                                   "                B[tx] = S[63 - tx]\n";
    }
    void waitingUnderAThreadsOwnConditionIsRefused()
    {
        QFETCH(QString, body);
        const auto record = lower::runPass(*lower::findPass("thread-sync"), kernel(body), {});
        QVERIFY(!record);
        QCOMPARE(record.error().code, std::string("lower.divergent-barrier"));
    }
};

QTEST_GUILESS_MAIN(ThreadSyncTest)
#include "thread_sync_test.moc"
