// SPDX-License-Identifier: Apache-2.0
// Tiles that are worked on in a copy, and how.
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "tests/support/check.h"
#include "tests/support/passes.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class StageTilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Rows 4096 bytes apart all fall onto the same sets of the cache.
    void clashingTilesAreStaged()
    {
        checkPass("stage-tiles", R"(
@T.prim_func
def main(A: T.Buffer((16384,), "float32"), B: T.Buffer((16384,), "float32")):
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((16384,), "float32"), B: T.Buffer((16384,), "float32")):
    with T.decl_buffer((64,), scope="local") as B_tile:
        for i in range(16):
            for j in T.vectorized(4):
                B_tile[i * 4 + j] = B[i * 1024 + j]
        for k in range(16):
            for i, j in T.grid(16, 4):
                B_tile[i * 4 + j] = B_tile[i * 4 + j] + A[i * 1024 + k]
        for i in range(16):
            for j in T.vectorized(4):
                B[i * 1024 + j] = B_tile[i * 4 + j]
)");
    }

    void otherTilesStayWhereTheyAre()
    {
        constexpr auto text = R"(
@T.prim_func
def main(A: T.Buffer((16384,), "float32"), B: T.Buffer((16384,), "float32")):
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1000 + j] = B[i * 1000 + j] + A[i * 1000 + k]
)";
        checkPass("stage-tiles", text, text);
    }

    void tiles_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<bool>("isStaged");
        const auto row = [](const char *name, bool isStaged, const char *body) {
            QTest::newRow(name) << body << isStaged;
        };
        row("clashing rows", true, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("few rounds", false, R"(
    for k in range(7):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("enough rounds", true, R"(
    for k in range(8):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("an unknown number of rounds", true, R"(
    for k in range(n):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("few rows", false, R"(
    for k in range(16):
        for i, j in T.grid(8, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("rows just enough", true, R"(
    for k in range(16):
        for i, j in T.grid(9, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("large tiles", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 257):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("tiles just small enough", true, R"(
    for k in range(16):
        for i, j in T.grid(16, 256):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("only stored", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = A[i * 1024 + k]
)");
        row("stored under a condition", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            if k < 8:
                B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("also under a condition", true, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
            if k < 8:
                B[i * 1024 + j] = B[i * 1024 + j] * A[k]
)");
        row("otherwise", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            if k < 8:
                A[k] = T.float32(0)
            else:
                B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("a choice", true, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = T.if_then_else(k < 8, B[i * 1024 + j], A[k])
)");
        row("two places", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j + 1] + A[i * 1024 + k]
)");
        row("another place in each round", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j + k] = B[i * 1024 + j + k] + A[i * 1024 + k]
)");
        row("places that are read", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + J[j]] = B[i * 1024 + J[j]] + A[i * 1024 + k]
)");
        row("places that are no sums", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j // 2] = B[i * 1024 + j // 2] + A[i * 1024 + k]
)");
        row("rows that begin somewhere", true, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j + n] = B[i * 1024 + j + n] + A[i * 1024 + k]
)");
        row("rows of one line each", true, R"(
    for k in range(16):
        for i in range(1024):
            B[i * 16] = B[i * 16] + A[i * 16 + k]
)");
        row("rows of half a line each", false, R"(
    for k in range(16):
        for i in range(2048):
            B[i * 8] = B[i * 8] + A[i * 8 + k]
)");
        row("a loop that runs once", true, R"(
    for k in range(16):
        for i, l, j in T.grid(16, 1, 4):
            B[i * 1024 + l * 8 + j] = B[i * 1024 + l * 8 + j] + A[i * 1024 + k]
)");
        row("rows of parts that meet", true, R"(
    for k in range(16):
        for i, l, j in T.grid(16, 2, 4):
            B[i * 1024 + l * 4 + j] = B[i * 1024 + l * 4 + j] + A[i * 1024 + k]
)");
        row("parts that overlap", false, R"(
    for k in range(16):
        for i, l, j in T.grid(16, 2, 4):
            B[i * 1024 + l * 3 + j] = B[i * 1024 + l * 3 + j] + A[i * 1024 + k]
)");
        row("rows that overlap", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 1025):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("rows that meet", false, R"(
    for k in range(16):
        for i, j in T.grid(4, 1024):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("backwards", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[16380 - i * 1024 + j] = B[16380 - i * 1024 + j] + A[i * 1024 + k]
)");
        row("loops that begin later", false, R"(
    for k in range(16):
        for i in range(16):
            for j in range(1, 5):
                B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("loops of unknown length", false, R"(
    for k in range(16):
        for i, j in T.grid(16, n):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("a loop that the place does not use", true, R"(
    for k in range(16):
        for i, l, j in T.grid(16, 2, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("apart by two elements", true, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j * 2] = B[i * 1024 + j * 2] + A[i * 1024 + k]
)");
        row("rows half a span apart", true, R"(
    for k in range(16):
        for i, j in T.grid(32, 4):
            B[i * 512 + j] = B[i * 512 + j] + A[i * 512 + k]
)");
        row("parallel loops within", false, R"(
    for k in range(16):
        for i in T.parallel(16):
            for j in range(4):
                B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("threads within", false, R"(
    for k in range(16):
        for i in T.thread_binding(16, thread="threadIdx.x"):
            for j in range(4):
                B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("a parallel loop", false, R"(
    for k in T.parallel(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)");
        row("vectors", false, R"(
    for k in range(16):
        for i in range(16):
            B[i * 1024:i * 1024 + 4] = B[i * 1024:i * 1024 + 4] + T.Broadcast(A[i * 1024 + k], 4)
)");
        row("its address", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + T.call_extern("float32", "f", T.address_of(B[i * 1024 + j]))
)");
        row("a let", true, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = T.Let(x + x, where={x: B[i * 1024 + j]}) + A[i * 1024 + k]
)");
        row("while", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            while B[i * 1024 + j] < A[k]:
                B[i * 1024 + j] = B[i * 1024 + j] + T.float32(1)
)");
        row("memory of its own", false, R"(
    for k in range(16):
        with T.decl_buffer((16384,)) as D:
            for i, j in T.grid(16, 4):
                D[i * 1024 + j] = D[i * 1024 + j] + A[i * 1024 + k]
)");
        row("its pointer", false, R"(
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
        T.evaluate(T.call_extern("int32", "f", B.data))
)");
        row("a view of it", false, R"(
    V = T.decl_buffer((16384,), data=B.data)
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
        V[0] = V[1]
)");
    }
    void tiles()
    {
        QFETCH(QString, body);
        QFETCH(bool, isStaged);
        const ir::Module before = parsed(R"(
@T.prim_func
def main(A: T.Buffer((32768,), "float32"), B: T.Buffer((32768,), "float32"), J: T.Buffer((8,), "int32"),
         n: T.int32):)" + body.toStdString());
        const auto record = lower::runPass(*lower::findPass("stage-tiles"), before, {});
        QVERIFY2(record, record ? "" : record.error().render().c_str());
        const std::string after = script::print(record->after).text;
        QVERIFY2(after.contains("B_tile = ") == isStaged, after.c_str());
        QCOMPARE(record->unchanged, !isStaged);
        if (isStaged)
            checkEquivalent(before, record->after);
    }
};

QTEST_GUILESS_MAIN(StageTilesTest)
#include "stage_tiles_test.moc"
