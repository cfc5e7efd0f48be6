// SPDX-License-Identifier: Apache-2.0
// How memory gets a second half that is filled a round ahead.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

namespace {
constexpr const char *parameters =
    "A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\"), n: T.int32";
}

class InjectDoubleBufferTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void injected_data()
    {
        addBodyColumns();
        row("memory of each round", R"(
    for k in range(4):
        L_1 = T.allocate([4], "float32", "shared", annotations={"double_buffer_scope": 1})
        L = T.decl_buffer((4,), data=L_1, scope="shared")
        for i in range(4):
            L[i] = A[k * 4 + i]
        for i in range(4):
            B[i] = B[i] + L[3 - i]
)",
            R"(
    L_1 = T.allocate([8], "float32", "shared")
    L = T.decl_buffer((8,), data=L_1, scope="shared")
    for i in range(4):
        L[i] = A[T.Mul(0, 4) + i]
    for k in range(4):
        if k + 1 < 4:
            for i in range(4):
                L[i + (k + 1) % 2 * 4] = A[(k + 1) * 4 + i]
        for i in range(4):
            B[i] = B[i] + L[3 - i + k % 2 * 4]
)");
        row("memory around the loop, of which one round is one of another loop", R"(
    L_1 = T.allocate([4], "float32", "shared", annotations={"double_buffer_scope": 1})
    L = T.decl_buffer((4,), data=L_1, scope="shared")
    for j in range(2):
        for k in range(3, 6):
            for i in range(4):
                L[i] = A[j * 16 + k * 4 + i]
            B[k] = B[k] + L[j]
            B[k + 8] = L[3]
)",
            R"(
    L_1 = T.allocate([8], "float32", "shared")
    L = T.decl_buffer((8,), data=L_1, scope="shared")
    for j in range(2):
        for i in range(4):
            L[i] = A[j * 16 + T.Mul(3, 4) + i]
        for k in range(3, 6):
            if k + 1 < 6:
                for i in range(4):
                    L[i + (k + 1 - 3) % 2 * 4] = A[j * 16 + (k + 1) * 4 + i]
            B[k] = B[k] + L[j + (k - 3) % 2 * 4]
            B[k + 8] = L[3 + (k - 3) % 2 * 4]
)");
        row("as many rounds as an argument says", R"(
    for k in range(n):
        L_1 = T.allocate([4], "float32", "shared", annotations={"double_buffer_scope": 1})
        L = T.decl_buffer((4,), data=L_1, scope="shared")
        for i in range(4):
            L[i] = A[k * 4 + i]
        B[k] = L[1]
)",
            R"(
    L_1 = T.allocate([8], "float32", "shared")
    L = T.decl_buffer((8,), data=L_1, scope="shared")
    if 0 < n:
        for i in range(4):
            L[i] = A[T.Mul(0, 4) + i]
    for k in range(n):
        if k + 1 < n:
            for i in range(4):
                L[i + (k + 1) % 2 * 4] = A[(k + 1) * 4 + i]
        B[k] = L[1 + k % 2 * 4]
)");
        row("two memories", R"(
    for k in range(4):
        L_1 = T.allocate([2], "float32", "shared", annotations={"double_buffer_scope": 1})
        M_1 = T.allocate([2], "float32", "shared", annotations={"double_buffer_scope": 1})
        L = T.decl_buffer((2,), data=L_1, scope="shared")
        M = T.decl_buffer((2,), data=M_1, scope="shared")
        L[0] = A[k]
        M[1] = A[k + 4]
        B[k] = L[0] + M[1]
)",
            R"(
    L_1 = T.allocate([4], "float32", "shared")
    M_1 = T.allocate([4], "float32", "shared")
    L = T.decl_buffer((4,), data=L_1, scope="shared")
    M = T.decl_buffer((4,), data=M_1, scope="shared")
    L[0] = A[0]
    M[1] = A[T.Add(0, 4)]
    for k in range(4):
        if k + 1 < 4:
            L[(k + 1) % 2 * 2] = A[k + 1]
        if k + 1 < 4:
            M[1 + (k + 1) % 2 * 2] = A[k + 1 + 4]
        B[k] = L[k % 2 * 2] + M[1 + k % 2 * 2]
)");
        row("one round", R"(
    for k in range(1):
        L_1 = T.allocate([4], "float32", "shared", annotations={"double_buffer_scope": 1})
        L = T.decl_buffer((4,), data=L_1, scope="shared")
        L[0] = A[k]
        B[k] = L[0]
)",
            R"(
    L_1 = T.allocate([4], "float32", "shared")
    L = T.decl_buffer((4,), data=L_1, scope="shared")
    for k in range(1):
        L[0] = A[k]
        B[k] = L[0]
)");
        row("memory with room behind what is used", R"(
    for k in range(4):
        L_1 = T.allocate([6], "float32", "shared", annotations={"double_buffer_scope": 1})
        L = T.decl_buffer((4,), data=L_1, scope="shared")
        L[3] = A[k]
        B[k] = L[3]
)",
            R"(
    L_1 = T.allocate([12], "float32", "shared")
    L = T.decl_buffer((10,), data=L_1, scope="shared")
    L[3] = A[0]
    for k in range(4):
        if k + 1 < 4:
            L[3 + (k + 1) % 2 * 6] = A[k + 1]
        B[k] = L[3 + k % 2 * 6]
)");
        row("nothing is annotated", R"(
    for k in range(4):
        L_1 = T.allocate([4], "float32", "shared")
        L = T.decl_buffer((4,), data=L_1, scope="shared")
        for i in range(4):
            L[i] = A[k * 4 + i]
        for i in range(4):
            B[i] = B[i] + L[3 - i]
)");
    }
    void injected() { checkRow("inject-double-buffer", parameters); }

    void refused_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("reason");
        const auto refuses = [](const char *name, const char *loop, const char *work, const char *reason) {
            QTest::newRow(name) << QString(loop) + R"(
        L_1 = T.allocate([4], "float32", "shared", annotations={"double_buffer_scope": 1})
        L = T.decl_buffer((4,), data=L_1, scope="shared"))"
                                       + QString(work)
                                << reason;
        };
        const char *serial = "\n    for k in range(4):";
        refuses("threads", "\n    for k in T.thread_binding(4, thread=\"threadIdx.x\"):", R"(
        L[0] = A[k]
        B[k] = L[0]
)",
                "it is not filled and then read in one loop");
        QTest::newRow("rounds side by side") << R"(
    L_1 = T.allocate([4], "float32", "shared", annotations={"double_buffer_scope": 1})
    L = T.decl_buffer((4,), data=L_1, scope="shared")
    for k in T.vectorized(4):
        L[k] = A[k]
        B[k] = L[k]
)" << "the rounds of 'k' do not follow one another";
        refuses("read first", serial, R"(
        B[k] = L[0]
        L[0] = A[k]
)",
                "it is read before it is filled");
        refuses("filled with what it held", serial, R"(
        L[0] = L[1] + A[k]
        B[k] = L[0]
)",
                "it is read before it is filled");
        refuses("filled twice", serial, R"(
        L[0] = A[k]
        L[1] = A[k + 1]
        B[k] = L[0] + L[1]
)",
                "more than one statement of the loop fills it");
        refuses("filled from what the loop makes", serial, R"(
        L[0] = B[k]
        B[k + 1] = L[0]
)",
                "cannot be a round ahead");
        refuses("filling writes what the loop reads", serial, R"(
        for i in range(2):
            L[i] = A[k]
            B[i] = A[i]
        B[k + 4] = L[0] + B[1]
)",
                "cannot be a round ahead");
        refuses("filled from memory of the round", serial, R"(
        M_1 = T.allocate([4], "float32", "shared")
        M = T.decl_buffer((4,), data=M_1, scope="shared")
        M[0] = A[k]
        L[0] = M[0]
        B[k] = L[0]
)",
                "cannot be a round ahead");
        refuses("its address", serial, R"(
        L[0] = A[k]
        T.evaluate(T.call_extern("int32", "abs", L.data))
)",
                "its address is taken");
        refuses("no loop", "\n    if n > 0:", R"(
        L[0] = A[0]
        B[0] = L[0]
)",
                "it is not filled and then read in one loop");
        refuses("its bytes", serial, R"(
        P = T.decl_buffer((4,), "int32", data=L_1, scope="shared")
        L[0] = A[k]
        B[k] = L[0] + T.Cast("float32", P[0])
)",
                "are used as an array of their own");
    }
    void refused()
    {
        QFETCH(QString, body);
        QFETCH(QString, reason);
        const ir::Module module =
            parsed("@T.prim_func\ndef main(" + std::string(parameters) + "):" + body.toStdString());
        const auto record = lower::runPass(*lower::findPass("inject-double-buffer"), module, {});
        QVERIFY(!record);
        QCOMPARE(record.error().code, std::string("lower.double-buffer"));
        QVERIFY2(record.error().message.contains(reason.toStdString()), record.error().message.c_str());
        QVERIFY(!record.error().hint.empty());
    }
};

QTEST_GUILESS_MAIN(InjectDoubleBufferTest)
#include "inject_double_buffer_test.moc"
