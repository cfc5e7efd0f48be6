// SPDX-License-Identifier: Apache-2.0
// Values of elements that nobody wrote: which uses of them are faults, and where they are said to be.
#include "core/analysis/access/complete_regions.h"
#include "core/analysis/access/unwritten.h"
#include "core/interp/interpreter.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

ir::Module functionOf(const QString &body)
{
    const std::string head = "from tvm.script import tir as T\n\n"
                             "@T.prim_func\n"
                             "def main(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), \"float32\")):\n"
                             "    with T.block(\"root\"):\n"
                             "        S = T.alloc_buffer((8,), \"float32\")\n"
                             "        N = T.alloc_buffer((8,), \"int32\")\n";
    return analysis::completeRegions(tests::parsed(head + body.toStdString()));
}

support::Result<void> runOf(const ir::Module &module, bool isOutput)
{
    const ir::PrimFunc &function = *module.mainEntry()->function;
    auto arrays = interp::makeArguments(function, 1);
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : *arrays)
        pointers.push_back(&array);
    interp::Limits limits{.findUnwritten = true};
    if (isOutput)
        limits.outputs = analysis::pureOutputs(function);
    return interp::run(function, pointers, {}, limits);
}

} // namespace

class UnwrittenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void faults_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *name, const char *message, const char *body) {
            QTest::newRow(name) << QString(body) << QString(message);
        };
        row("never written", "block 'B' reads 'S[0]', which nobody has written, and",
            "        for i in range(8):\n"
            "            with T.block(\"B\"):\n"
            "                vi = T.axis.spatial(8, i)\n"
            "                B[vi] = A[vi] + S[vi] * T.float32(2)\n");
        row("one is left out", "reads 'S[7]'",
            "        for i in range(7):\n"
            "            S[i] = A[i]\n"
            "        for i in range(8):\n"
            "            B[i] = S[i]\n");
        row("through a copy", "block 'copy' reads 'S[5]'",
            "        C = T.alloc_buffer((8,), \"float32\")\n"
            "        for i in range(5):\n"
            "            S[i] = A[i]\n"
            "        for i in range(8):\n"
            "            with T.block(\"copy\"):\n"
            "                vi = T.axis.spatial(8, i)\n"
            "                C[vi] = S[vi]\n"
            "        for i in range(8):\n"
            "            B[i] = C[i]\n");
        row("a condition", "reads 'S[0]', which nobody has written, and a condition depends on it",
            "        for i in range(8):\n"
            "            if S[i] > T.float32(0):\n"
            "                B[i] = A[i]\n");
        row("an address", "reads 'N[0]', which nobody has written, and an address depends on it",
            "        for i in range(8):\n"
            "            B[i] = A[N[i]]\n");
        row("a range", "reads 'N[0]', which nobody has written, and the range of a loop",
            "        for i in range(N[0]):\n"
            "            B[i] = A[i]\n");
        row("a choice", "reads 'S[1]'",
            "        S[0] = A[0]\n"
            "        for i in range(8):\n"
            "            B[i] = T.Select(i < 2, S[i], A[i])\n");
        row("a sum without its init", "reads 'B[0]'",
            "        for i, k in T.grid(8, 8):\n"
            "            with T.block(\"B\"):\n"
            "                vi, vk = T.axis.remap(\"SR\", [i, k])\n"
            "                T.where(k >= 1)\n"
            "                with T.init():\n"
            "                    B[vi] = T.float32(0)\n"
            "                B[vi] = B[vi] + A[vk]\n");
        row("memory that is new in each round", "reads 'M[0]'",
            "        for i in range(8):\n"
            "            M = T.decl_buffer((1,), \"float32\")\n"
            "            if i == 0:\n"
            "                M[0] = A[0]\n"
            "            B[i] = M[0]\n");
    }

    void faults()
    {
        QFETCH(const QString, body);
        QFETCH(const QString, message);
        const auto done = runOf(functionOf(body), true);
        QVERIFY(!done);
        QVERIFY2(done.error().code == "interp.unwritten", done.error().render().c_str());
        QVERIFY2(QString::fromStdString(done.error().message).contains(message),
                 done.error().message.c_str());
    }

    void allowed_data()
    {
        QTest::addColumn<QString>("body");
        const auto row = [](const char *name, const char *body) { QTest::newRow(name) << QString(body); };
        row("copied and not needed", "        for i in range(7):\n"
                                     "            S[i] = A[i]\n"
                                     "        C = T.alloc_buffer((8,), \"float32\")\n"
                                     "        for i in range(8):\n"
                                     "            C[i] = S[i] * T.float32(2)\n"
                                     "        for i in range(7):\n"
                                     "            B[i] = C[i]\n");
        row("overwritten in the result", "        for i in range(8):\n"
                                         "            B[i] = S[i]\n"
                                         "        for i in range(8):\n"
                                         "            B[i] = A[i]\n");
        row("the arm that is not chosen",
            "        for i in range(8):\n"
            "            B[i] = T.Select(i < 9, A[i], S[i])\n"
            "        for i in range(8):\n"
            "            if T.if_then_else(i < 9, T.bool(True), S[i] > T.float32(0)):\n"
            "                B[i] = A[i]\n");
        row("the other way round", "        for i in range(8):\n"
                                   "            S[7 - i] = A[i]\n"
                                   "        for i in range(8):\n"
                                   "            B[i] = S[i]\n");
        row("a part of the result", "        for i in range(3):\n"
                                    "            B[i] = A[i]\n");
        row("by another type", "        F = T.decl_buffer((8,), \"int32\", data=S.data)\n"
                               "        for i in range(8):\n"
                               "            F[i] = 3\n"
                               "        for i in range(8):\n"
                               "            B[i] = S[i]\n");
        row("vectors", "        S[0:8] = A[0:8]\n"
                       "        B[0:8] = S[0:8]\n");
    }

    void allowed()
    {
        QFETCH(const QString, body);
        const auto done = runOf(functionOf(body), true);
        QVERIFY2(done, done ? "" : done.error().render().c_str());
    }

    void unwrittenReads()
    {
        const auto never = analysis::unwrittenRead(
            *functionOf("        for i in range(8):\n            B[i] = S[i]\n").mainEntry()->function);
        QVERIFY(never);
        QCOMPARE(never->code, std::string("analysis.unwritten"));
        QCOMPARE(never->message, std::string("block 'root' reads S[i], but nobody writes 'S'"));
        for (const char *body : {"        S[0] = A[0]\n        for i in range(8):\n            B[i] = S[i]\n",
                                 "        F = T.decl_buffer((8,), \"int32\", data=S.data)\n"
                                 "        F[0] = 3\n        B[0] = S[0]\n",
                                 "        T.evaluate(T.call_extern(\"int32\", \"f\", S.data))\n"
                                 "        B[0] = S[0]\n"})
            QVERIFY(!analysis::unwrittenRead(*functionOf(body).mainEntry()->function));
    }
};

QTEST_GUILESS_MAIN(UnwrittenTest)
#include "unwritten_test.moc"
