// SPDX-License-Identifier: Apache-2.0
// Races between iterations of parallel loops, as a run finds them.
#include "core/analysis/access/complete_regions.h"
#include "core/interp/interpreter.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

support::Result<void> runOf(const QString &body)
{
    const std::string head = "from tvm.script import tir as T\n\n"
                             "@T.prim_func\n"
                             "def main(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):\n";
    const ir::Module module = analysis::completeRegions(tests::parsed(head + body.toStdString()));
    const ir::PrimFunc &function = *module.mainEntry()->function;
    auto arrays = interp::makeArguments(function, 1);
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : *arrays)
        pointers.push_back(&array);
    return interp::run(function, pointers, {}, {.findRaces = true});
}

} // namespace

class IterationRacesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// 3,000 loops touch a few of four million elements each: what was touched counts, not what there is.
    void shortLoopsOverLargeMemoryAreQuick()
    {
        QElapsedTimer timer;
        timer.start();
        const auto done = runOf("    C = T.alloc_buffer((4194304,), \"float32\")\n"
                                "    for k in range(3000):\n"
                                "        for i in T.parallel(4):\n"
                                "            C[k * 1000 + i] = A[i]\n"
                                "            B[i] = C[k * 1000 + i]\n");
        QVERIFY2(done, done ? "" : done.error().render().c_str());
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed()) + " ms"));
    }

    void races_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *name, const char *message, const char *body) {
            QTest::newRow(name) << QString(body) << QString(message);
        };
        row("a sum",
            "iteration 1 of the parallel loop 'i' reads 'B[0]' in the function, iteration 0 writes it in the "
            "function",
            "    for i in T.parallel(8):\n"
            "        B[0] = B[0] + A[i]\n");
        row("two writes",
            "iteration 1 of the parallel loop 'i' writes 'B[0]' in block 'B', iteration 0 writes",
            "    for i in T.parallel(8):\n"
            "        with T.block(\"B\"):\n"
            "            vi = T.axis.opaque(8, i)\n"
            "            B[vi // 2] = A[vi]\n");
        row("the neighbour", "writes 'B[1]'",
            "    for i in T.parallel(8):\n"
            "        B[i] = B[i + 1]\n");
        row("a loop within", "iteration 1 of the parallel loop 'i'",
            "    for i in T.parallel(2):\n"
            "        for j in T.parallel(4):\n"
            "            B[j] = A[i * 4 + j]\n");
        row("the loop within", "iteration 1 of the parallel loop 'j'",
            "    for i in T.parallel(2):\n"
            "        for j in T.parallel(4):\n"
            "            B[i] = A[i * 4 + j]\n");
        row("an inner loop and the other outer iteration", "iteration 1 of the parallel loop 'i'",
            "    for i in T.parallel(2):\n"
            "        B[i] = A[i]\n"
            "        for j in T.parallel(4):\n"
            "            B[j * 8] = A[i * 4 + j]\n");
    }

    void races()
    {
        QFETCH(const QString, body);
        QFETCH(const QString, message);
        const auto done = runOf(body);
        QVERIFY(!done);
        QCOMPARE(done.error().code, std::string("interp.race"));
        QVERIFY2(QString::fromStdString(done.error().message).contains(message),
                 done.error().message.c_str());
    }

    void none_data()
    {
        QTest::addColumn<QString>("body");
        const auto row = [](const char *name, const char *body) { QTest::newRow(name) << QString(body); };
        row("elements of its own", "    for i in T.parallel(8):\n"
                                   "        B[i] = B[i] + A[i]\n");
        row("one after the other", "    for i in T.parallel(8):\n"
                                   "        B[i] = A[i]\n"
                                   "    for i in T.parallel(8):\n"
                                   "        B[7 - i] = B[7 - i] + A[i]\n");
        row("inner loops one after the other", "    for i in T.parallel(2):\n"
                                               "        for j in T.parallel(4):\n"
                                               "            B[i * 4 + j] = A[j]\n"
                                               "        for j in T.parallel(4):\n"
                                               "            B[i * 4 + 3 - j] = B[i * 4 + 3 - j] + A[j]\n");
        row("inner loops of rounds", "    for i in range(2):\n"
                                     "        for j in T.parallel(4):\n"
                                     "            B[j] = B[j] + A[i]\n");
        row("memory of an iteration", "    for i in T.parallel(8):\n"
                                      "        S = T.decl_buffer((4,), \"float32\")\n"
                                      "        for j in T.parallel(4):\n"
                                      "            S[j] = A[i + j]\n"
                                      "        B[i] = S[0] + S[3]\n");
        row("the same value", "    for i in T.parallel(8):\n"
                              "        B[0] = T.float32(3)\n");
        row("what nobody writes", "    for i in T.parallel(8):\n"
                                  "        B[i] = A[0] + A[i]\n");
    }

    void none()
    {
        QFETCH(const QString, body);
        const auto done = runOf(body);
        QVERIFY2(done, done ? "" : done.error().render().c_str());
    }
};

QTEST_GUILESS_MAIN(IterationRacesTest)
#include "iteration_races_test.moc"
