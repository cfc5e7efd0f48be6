// SPDX-License-Identifier: Apache-2.0
// Messages of nestc verify, measure and run about programs that cannot be called, and the interpreter's own
// way of verifying.
#include "tests/cli/nestc_runner.h"

#include <QRegularExpression>

using nestwright::test::NestcRunner;

namespace {

/// Its rows lie further apart than they are long.
constexpr const char *strided = R"(from tvm.script import tir as T
@T.prim_func
def main(a: T.handle, B: T.Buffer((8, 8), "float32")):
    A = T.match_buffer(a, (8, 8), "float32", strides=(64, 1))
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
)";

QByteArray nest(int loops, const QByteArray &extent)
{
    QByteArray text =
        "from tvm.script import tir as T\n@T.prim_func\ndef main(A: T.Buffer((4,), \"float32\")):\n";
    QByteArray indent = "    ";
    for (int i = 0; i < loops; ++i, indent += "    ")
        text += indent + "for i" + QByteArray::number(i) + " in range(" + extent + "):\n";
    return text + indent + "A[0] = A[0] + T.float32(1)\n";
}

QByteArray ownLogarithm(const QByteArray &target)
{
    return "import tvm\nfrom tvm import te\n"
           "def mylog(x):\n"
           "    return tvm.tir.call_intrin(x.dtype, \"tir.mylog\", x)\n"
           "def rule(op):\n"
           "    return tvm.tir.log(op.args[0]) * tvm.tir.const(2, \"float32\")\n"
           "tvm.ir.register_op_attr(\"tir.mylog\", \"TCallEffectKind\", tvm.tir.CallEffectKind.Pure)\n"
           "tvm.ir.register_intrin_lowering(\"tir.mylog\", target=\""
           + target
           + "\", f=rule, level=99)\n"
             "A = te.placeholder((8,), name=\"A\")\n"
             "B = te.compute((8,), lambda i: mylog(A[i]), name=\"B\")\n"
             "f = te.create_prim_func([A, B])\n";
}

} // namespace

class VerifyCommandTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stridesThatAreNotCompactAreRefused_data()
    {
        QTest::addColumn<QStringList>("command");
        QTest::newRow("run") << QStringList{"run"};
        QTest::newRow("verify") << QStringList{"verify"};
        QTest::newRow("measure") << QStringList{"measure"};
        QTest::newRow("interpreter") << QStringList{"verify", "--interpreter"};
    }
    void stridesThatAreNotCompactAreRefused()
    {
        QFETCH(QStringList, command);
        NestcRunner nestc;
        const auto outcome = nestc.run(command + QStringList{nestc.write("strided.py", strided)});
        QVERIFY2(outcome.status == 1 || outcome.status == 2, qPrintable(outcome.out + outcome.err));
        QVERIFY2(outcome.err.contains("stride 0 of 'A' is 64")
                     && outcome.err.contains("would have to be 8 [argument.strides]"),
                 qPrintable(outcome.err));
    }

    void operationsBeyondCounting()
    {
        NestcRunner nestc;
        const QString file = nestc.write("endless.py", nest(18, "4611686018427387904"));
        for (const QStringList &command :
             {QStringList{"verify"}, QStringList{"measure"}, QStringList{"verify", "--interpreter"}}) {
            const auto outcome = nestc.run(command + QStringList{file});
            QVERIFY2(outcome.status == 1 || outcome.status == 2, qPrintable(outcome.out + outcome.err));
            QVERIFY2(outcome.err.contains("more operations than can be counted"), qPrintable(outcome.err));
            QVERIFY2(!outcome.err.contains("json"), qPrintable(outcome.err));
        }
        const auto slow = nestc.run({"verify", "--interpreter", nestc.write("slow.py", nest(4, "10000"))});
        QVERIFY2(slow.err.contains("the interpreter would take"), qPrintable(slow.err));
        // A loop that repeats a block counts, too, though the block has few points.
        QByteArray repeated = "from tvm.script import tir as T\n@T.prim_func\n"
                              "def main(A: T.Buffer((4,), \"float32\")):\n"
                              "    for i, j in T.grid(4, 1000000000000):\n        with T.block(\"b\"):\n"
                              "            v = T.axis.spatial(4, i)\n            A[v] = T.float32(1)\n";
        const auto again = nestc.run({"verify", "--interpreter", nestc.write("repeated.py", repeated)});
        QVERIFY2(again.err.contains("the interpreter would take"), qPrintable(again.err));
    }

    void interpreterWithIntrinsicsOfTheScript()
    {
        NestcRunner nestc;
        const QString file = nestc.write("log.py", ownLogarithm("default"));
        COMPARE_STATUS(nestc.run({"verify", "--interpreter", file}), 0);
        const QString other = nestc.write("other.py", ownLogarithm("opencl"));
        const auto outcome = nestc.run({"verify", "--interpreter", other});
        QVERIFY2(outcome.status == 2 && outcome.err.contains("[lower.no-rule]"),
                 qPrintable(outcome.out + outcome.err));
        COMPARE_STATUS(nestc.run({"verify", "--interpreter", "--target", "opencl", other}), 0);
    }

    /// The error names the line of the program as `nestc print` writes it.
    void chanceIsRefusedAtItsLine_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("way");
        const QByteArray head =
            "from tvm.script import tir as T\n\n\n@T.prim_func\ndef main(A: T.Buffer((64,), "
            "\"float32\"), B: T.Buffer((64,), \"float32\")):\n";
        QTest::newRow("race") << head
                                     + "    for i in T.parallel(64):\n        with T.block(\"B\"):\n"
                                       "            vi = T.axis.opaque(64, i)\n            T.reads(A[vi])\n"
                                       "            T.writes(B[0])\n            B[0] = A[vi]\n"
                              << "[analysis.parallel-conflict]" << "T.parallel(64)" << "llvm";
        QTest::newRow("unwritten") << head
                                          + "    S = T.alloc_buffer((64,), \"float32\")\n"
                                            "    for i in range(64):\n        with T.block(\"B\"):\n"
                                            "            vi = T.axis.spatial(64, i)\n"
                                            "            B[vi] = A[vi] + S[vi]\n"
                                   << "[analysis.unwritten]" << "T.block(\"B\")" << "llvm";
        QTest::newRow("half of it")
            << head
                   + "    S = T.alloc_buffer((64,), \"float32\")\n"
                     "    for i in range(32):\n        with T.block(\"S\"):\n"
                     "            vi = T.axis.spatial(32, i)\n            S[vi] = A[vi]\n"
                     "    for i in range(64):\n        with T.block(\"B\"):\n"
                     "            vi = T.axis.spatial(64, i)\n"
                     "            B[vi] = A[vi] + S[vi]\n"
            << "[interp.unwritten]" << "T.block(\"B\")" << "interpreter";
    }
    void chanceIsRefusedAtItsLine()
    {
        QFETCH(QByteArray, program);
        QFETCH(QString, code);
        QFETCH(QString, line);
        QFETCH(QString, way);
        NestcRunner nestc;
        const QString file = nestc.write("chance.py", program);
        const QStringList printed = nestc.run({"print", file}).out.split('\n');
        for (const QStringList &command : {QStringList{"verify"}, QStringList{"verify", "--how", way}}) {
            const auto outcome = nestc.run(command + QStringList{file});
            QVERIFY2(outcome.status != 0 && outcome.err.contains(code), qPrintable(outcome.err));
            const auto place =
                QRegularExpression("^printed program:(\\d+):(\\d+): error: ").match(outcome.err);
            QVERIFY2(place.hasMatch(), qPrintable(outcome.err));
            const QString said = printed.value(place.captured(1).toInt() - 1);
            QVERIFY2(said.mid(place.captured(2).toInt() - 1).contains(line), qPrintable(said));
        }
    }

    void everyWayOfAProcessor()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"verify", "--how", "all", "op:matmul(M=16,N=16,K=16)"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.out + outcome.err));
        for (const char *rung : {"interpreter", "llvm", "c"})
            QVERIFY2(QRegularExpression(QStringLiteral("(^|\n)%1 +(holds|not here) ").arg(rung))
                         .match(outcome.out)
                         .hasMatch(),
                     qPrintable(outcome.out));
    }
};

QTEST_GUILESS_MAIN(VerifyCommandTest)
#include "verify_command_test.moc"
