// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;

namespace {

constexpr const char *fuseEpilogue = R"(# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="Y", func_name="main")
  l1, l2, l3 = sch.get_loops(block=b0)
  l4, l5 = sch.split(loop=l2, factors=[None, 4], preserve_unit_iters=True, disable_predication=False)
  sch.reorder(l4, l3, l5)
  b6 = sch.get_block(name="C", func_name="main")
  sch.reverse_compute_at(block=b6, loop=l4, preserve_unit_loops=False, index=-1)
)";

/// A schedule script of the given lines after Y's loops are l1, l2, l3.
QByteArray script(const QByteArray &lines)
{
    return "def apply_trace(sch):\n  b0 = sch.get_block(name=\"Y\", func_name=\"main\")\n"
           "  l1, l2, l3 = sch.get_loops(block=b0)\n"
           + lines;
}

/// A sum that goes beyond float16 and back, but only in its own order: that is no rounding. With a schedule
/// of its own.
/// Overflows where it is summed in order, and not where it is summed in parts: no inputs tell.
const QByteArray sumInHalves = R"(from tvm import te
A = te.placeholder((4096,), name="A", dtype="float16")
k = te.reduce_axis((0, 4096), name="k")
B = te.compute((1,),
               lambda i: te.sum(te.if_then_else(k < 2048, te.exp(A[k]) * 100, te.exp(A[k]) * -100), axis=k),
               name="B")
s = te.create_schedule(B.op)
outer, inner = s[B].split(B.op.reduce_axis[0], factor=16)
s.rfactor(B, inner)
)";

} // namespace

/// print, equal, apply, verify: results of a schedule, and refusals of bad ones.
class ScheduleCommandsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A difference that a script would print between two of its programs is shown.
    void differencesThatAScriptPrints()
    {
        NestcRunner nestc;
        const QString file = nestc.write("two.py", R"(import tvm
from tvm import te
import difflib
A = te.placeholder((32,), name="A")
B = te.compute((32,), lambda i: A[i] + 1.0, name="B")
def compute_diff(s1: str, s2: str):
    for line in difflib.ndiff(s1.splitlines(), s2.splitlines()):
        print(line)
s1 = te.create_schedule(B.op)
base = str(tvm.lower(s1, [A, B], simple_mode=True))
s2 = te.create_schedule(B.op)
s2[B].split(B.op.axis[0], factor=4)
split = str(tvm.lower(s2, [A, B], simple_mode=True))
compute_diff(base, split)
)");
        const auto outcome = nestc.run({"print", file});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.err.contains("--- s1\n+++ s2\n"), qPrintable(outcome.err));
        QVERIFY2(
            outcome.err.contains(QRegularExpression("\n-  +for i in range\\(32\\):\n"))
                && outcome.err.contains(QRegularExpression("\n\\+  +for i_0, i_1 in T.grid\\(8, 4\\):\n")),
            qPrintable(outcome.err));
    }

    /// FILE#NAME is one of several schedules in a file; without a name it is the last.
    void schedulesOfAFileByName()
    {
        NestcRunner nestc;
        const QString file = nestc.write("k.py", R"(import tvm
from tvm import te
A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] * 2.0, name="B")
s1 = te.create_schedule(B.op)
s2 = te.create_schedule(B.op)
s2[B].split(B.op.axis[0], factor=4)
s3 = te.create_schedule(B.op)
s3[B].split(B.op.axis[0], factor=8)
print(tvm.lower(s3, [A, B], simple_mode=True))
)");
        QVERIFY(nestc.run({"print", file}).out.contains("T.grid(8, 8)"));
        QVERIFY(nestc.run({"print", file + "#s2"}).out.contains("T.grid(16, 4)"));
        QVERIFY(nestc.run({"print", file + "#unscheduled"}).out.contains("range(64)"));
        const auto unknown = nestc.run({"print", file + "#s4"});
        QCOMPARE(unknown.status, 2);
        QVERIFY2(unknown.err.contains("s2") && unknown.err.contains("s3"), qPrintable(unknown.err));

        const auto measured = nestc.run({"measure", file, "--repetitions", "2", "--seconds", "0.01"});
        COMPARE_STATUS(measured, 0);
        QCOMPARE(measured.out.count('\n'), 4);
        QVERIFY(measured.out.section('\n', 1, 1).startsWith("unscheduled "));
        QVERIFY(measured.out.section('\n', 2, 2).startsWith("s2 "));
        QVERIFY(measured.out.section('\n', 3, 3).startsWith("s3 "));
    }

    void errorsOfAnOwnScheduleNameTheLineOfTheFile()
    {
        NestcRunner nestc;
        const QString file = nestc.write("k.py", R"(from tvm import te
A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] * 2.0, name="B")
C = te.compute((32,), lambda i: B[i] + 1.0, name="C")
s = te.create_schedule(C.op)

s[B].compute_at(s[C], C.op.axis[0])
f = tvm.lower(s, [A, B, C])
)");
        const auto refused = nestc.run({"print", file});
        QCOMPARE(refused.status, 1);
        QVERIFY2(refused.err.contains("k.py:7:"), qPrintable(refused.err));
    }

    /// Cells of a notebook look at the program in ways that change nothing.
    void schedulesThatOnlyShow()
    {
        NestcRunner nestc;
        const QString schedule = nestc.write("s.py", R"(block = sch.get_block("C")
i, j = sch.get_loops(block)[:2]
sch.parallel(i)
IPython.display.Code(sch.mod.script(), language="python")
sch.mod.show()
print(sch.mod.script())
)");
        const QString kernel = nestc.write("k.py", R"(from tvm.script import tir as T
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj]
)");
        const auto applied = nestc.run({"apply", kernel, "--schedule", schedule});
        COMPARE_STATUS(applied, 0);
        QVERIFY(applied.out.contains("T.parallel(8)"));
    }

    void printedModulesReadBackEqual_data()
    {
        QTest::addColumn<QString>("example");
        for (const char *name : {"matmul.py", "mm_relu.py", "add_relu.py", "conv2d.py", "sigmoid.py",
                                 "row_sum.py", "softmax.py", "elementwise_chain.py"})
            QTest::newRow(name) << NestcRunner::example(name);
    }
    void printedModulesReadBackEqual()
    {
        QFETCH(QString, example);
        NestcRunner nestc;
        const auto printed = nestc.run({"print", example});
        COMPARE_STATUS(printed, 0);
        QVERIFY(printed.out.contains("@T.prim_func"));
        const QString copy = nestc.write("copy.py", printed.out.toUtf8());
        COMPARE_STATUS(nestc.run({"equal", example, copy}), 0);
    }

    void differentModulesAreNotEqual()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"equal", "op:matmul(M=16,N=16,K=16)", "op:matmul(M=16,N=16,K=32)"});
        COMPARE_STATUS(outcome, 1);
        QVERIFY2(outcome.out.contains("32"), qPrintable(outcome.out));
    }

    void epilogueFusionGivesTheExpectedNest()
    {
        NestcRunner nestc;
        const QString schedule = nestc.write("s.py", fuseEpilogue);
        const auto applied = nestc.run({"apply", NestcRunner::example("mm_relu.py"), "--schedule", schedule,
                                        "-o", nestc.file("out.py"), "--script", nestc.file("again.py"),
                                        "--trace-json", nestc.file("trace.json")});
        COMPARE_STATUS(applied, 0);
        const QString text = QString::fromUtf8(nestc.read("out.py"));
        QVERIFY2(text.contains("vj = T.axis.spatial(128, j_0 * 4 + j_1)"), qPrintable(text));
        QVERIFY2(text.contains("vj = T.axis.spatial(128, j_0 * 4 + ax0)"), qPrintable(text));
        QVERIFY2(text.contains("for i, j_0 in T.grid(128, 32):"), qPrintable(text));
        QVERIFY2(text.contains("for k, j_1 in T.grid(128, 4):"), qPrintable(text));
        QVERIFY2(text.contains("for ax0 in range(4):"), qPrintable(text));

        // The written script gives the same module again, and is itself unchanged by being read.
        const auto again =
            nestc.run({"apply", NestcRunner::example("mm_relu.py"), "--schedule", nestc.file("again.py"),
                       "-o", nestc.file("out2.py"), "--script", nestc.file("again2.py")});
        COMPARE_STATUS(again, 0);
        COMPARE_STATUS(nestc.run({"equal", nestc.file("out.py"), nestc.file("out2.py")}), 0);
        QCOMPARE(nestc.read("again2.py"), nestc.read("again.py"));
        QVERIFY(nestc.read("trace.json").contains("\"ReverseComputeAt\""));
        COMPARE_STATUS(nestc.run({"apply", NestcRunner::example("mm_relu.py"), "--schedule",
                                  nestc.file("trace.json"), "-o", nestc.file("out3.py")}),
                       0);
        COMPARE_STATUS(nestc.run({"equal", nestc.file("out.py"), nestc.file("out3.py")}), 0);

        const auto verified =
            nestc.run({"verify", NestcRunner::example("mm_relu.py"), "--schedule", schedule});
        COMPARE_STATUS(verified, 0);
    }

    /// Thread loops, and a size that is a parameter too, run in the interpreter.
    void verifiedByTheInterpreter()
    {
        NestcRunner nestc;
        const QString module = nestc.write("rows.py", R"(@T.prim_func
def main(a: T.handle, b: T.handle, n: T.int32):
    A = T.match_buffer(a, (n, 6), "float32")
    B = T.match_buffer(b, (n, 6), "float32")
    for i, j in T.grid(n, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
)");
        const QString threads =
            nestc.write("threads.py", "i, j = sch.get_loops('B')\nsch.bind(j, 'threadIdx.x')\n");
        COMPARE_STATUS(nestc.run({"verify", module}), 0);
        COMPARE_STATUS(nestc.run({"verify", module, "--schedule", threads}), 2);
        COMPARE_STATUS(nestc.run({"verify", module, "--schedule", threads, "--interpreter"}), 0);
        const QString narrow = nestc.write("narrow.py", R"(@T.prim_func
def main(A: T.Buffer((8,), "float8_e4m3fn"), B: T.Buffer((8,), "float8_e4m3fn")):
    for i in range(8):
        B[i] = A[i]
)");
        const auto unknown = nestc.run({"verify", narrow, "--interpreter"});
        COMPARE_STATUS(unknown, 1);
        QVERIFY2(unknown.err.contains("float8_e4m3fn"), qPrintable(unknown.err));
        const QString halved = nestc.write("halved.py", sumInHalves);
        const auto untold = nestc.run({"verify", halved, "--interpreter"});
        COMPARE_STATUS(untold, 1);
        QVERIFY2(untold.err.contains("measure.untold"), qPrintable(untold.err));
    }

    /// Sums may be taken in another order as far as their type allows, and that is said when one is not.
    void roundingIsNoWrongResult_data()
    {
        QTest::addColumn<QString>("type");
        QTest::newRow("float16") << "float16";
        QTest::newRow("bfloat16") << "bfloat16";
        QTest::newRow("float32") << "float32";
    }
    void roundingIsNoWrongResult()
    {
        QFETCH(QString, type);
        NestcRunner nestc;
        const QByteArray program = QByteArray(R"(@T.prim_func
def main(A: T.Buffer((4, 512), "TYPE"), B: T.Buffer((64, 512), "TYPE"), C: T.Buffer((4, 64), "TYPE")):
    for i, j, k in T.grid(4, 64, 512):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.TYPE(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]
)")
                                       .replace("TYPE", type.toUtf8());
        const QString module = nestc.write("product.py", program);
        const QString parts = nestc.write("parts.py", "i, j, k = sch.get_loops('C')\n"
                                                      "k0, k1 = sch.split(k, factors=[None, 16])\n"
                                                      "sch.rfactor(k1, 0)\n");
        COMPARE_STATUS(nestc.run({"verify", module, "--schedule", parts}), 0);
        COMPARE_STATUS(nestc.run({"verify", module, "--schedule", parts, "--interpreter"}), 0);
        const QString other = nestc.write("other.py", "C_local = sch.cache_write('C', 0, 'global')\n"
                                                      "sch.unsafe_set_dtype('C', 0, 'int8')\n");
        for (const QStringList &how : {QStringList(), QStringList{"--interpreter"}}) {
            const auto wrong = nestc.run(QStringList{"verify", module, "--schedule", other} + how);
            COMPARE_STATUS(wrong, 1);
            for (const char *word : {"wrong result", "double precision", "off by", "rounding in", "allows"})
                QVERIFY2(wrong.err.contains(word), qPrintable(wrong.err));
        }
    }

    /// Rows of a table, by numbers that are in it or that a person gives.
    void indicesAreWithinBounds()
    {
        NestcRunner nestc;
        const QString module = nestc.write("gather.py", R"(@T.prim_func
def main(A: T.Buffer((50000, 4), "float32"), I: T.Buffer((16,), "int32"), B: T.Buffer((16, 4), "float32")):
    for i, j in T.grid(16, 4):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[I[vi], vj]
)");
        const auto beside = [&](const char *end) {
            return nestc.run({"verify", nestc.write("beside.py", QByteArray(R"(@T.prim_func
def main(A: T.Buffer((40,), "float32"), B: T.Buffer((40,), "float32")):
    for i in range(40):
        with T.block("B"):
            v = T.axis.spatial(40, i)
            B[v] = T.if_then_else(v < )") + end + ", A[v + 1], A[v])\n")});
        };
        COMPARE_STATUS(beside("39"), 0);
        QVERIFY2(beside("40").err.contains("reads 'A[40]'"), qPrintable(beside("40").err));
        COMPARE_STATUS(nestc.run({"verify", module}), 0);
        COMPARE_STATUS(nestc.run({"verify", module, "--interpreter"}), 0);
        COMPARE_STATUS(nestc.run({"measure", module, "--repetitions", "1", "--seconds", "0.001"}), 0);
        const auto npy = [](const QByteArray &shape, const QByteArray &bytes) {
            QByteArray header = "{'descr': '<i4', 'fortran_order': False, 'shape': " + shape + ", }";
            header = header.leftJustified(117, ' ') + '\n';
            return "\x93NUMPY" + QByteArray("\x01\x00", 2) + char(header.size()) + '\0' + header + bytes;
        };
        QByteArray rows;
        for (int i = 0; i < 16; ++i) {
            const qint32 row = 49999 - i;
            rows.append(reinterpret_cast<const char *>(&row), 4);
        }
        nestc.write("rows.npy", npy("(16,)", rows));
        nestc.write("few.npy", npy("(15,)", rows.left(60)));
        const QString in = "I=" + nestc.file("rows.npy");
        COMPARE_STATUS(nestc.run({"verify", module, "--in", in}), 0);
        COMPARE_STATUS(nestc.run({"verify", module, "--in", in, "--interpreter"}), 0);
        COMPARE_STATUS(nestc.run({"measure", module, "--in", in, "--repetitions", "1", "--seconds", "0.001"}),
                       0);
        for (const QStringList &how : {QStringList(), QStringList{"--interpreter"}}) {
            const auto few =
                nestc.run(QStringList{"verify", module, "--in", "I=" + nestc.file("few.npy")} + how);
            QVERIFY(few.status == 1 || few.status == 2);
            QVERIFY2(few.err.contains("'I'") && few.err.contains("15"), qPrintable(few.err));
            const auto none =
                nestc.run(QStringList{"verify", module, "--in", "Q=" + nestc.file("rows.npy")} + how);
            QVERIFY(none.status == 1 || none.status == 2);
            QVERIFY2(none.err.contains("'Q'") && none.err.contains("'I'"), qPrintable(none.err));
        }
    }

    /// Compared with itself, the scheduled program would always pass.
    void ownScheduleOfATeScriptIsComparedWithTheUnscheduledProgram()
    {
        NestcRunner nestc;
        const QString sum = nestc.write("sum.py", sumInHalves);
        const auto verified = nestc.run({"verify", sum});
        COMPARE_STATUS(verified, 1);
        QVERIFY2(verified.err.contains("not verified") && verified.err.contains("measure.untold"),
                 qPrintable(verified.err));
        const auto measured = nestc.run({"measure", "--seconds", "0.001", sum});
        QVERIFY2(measured.out.contains("not verified"), qPrintable(measured.out));
    }

    void badSchedulesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("lines");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("says");
        QTest::newRow("unknown block")
            << QByteArray("  b9 = sch.get_block(name=\"Z\", func_name=\"main\")\n") << 1 << QString("'Z'");
        QTest::newRow("illegal reorder") << QByteArray(
            "  b9 = sch.get_block(name=\"C\", func_name=\"main\")\n  l7, l8 = sch.get_loops(block=b9)\n"
            "  sch.reorder(l1, l8)\n") << 1
                                         << QString("'i' and 'j'");
        QTest::newRow("factor of 0") << QByteArray("  l4, l5 = sch.split(loop=l2, factors=[None, 0])\n") << 1
                                     << QString("0");
        QTest::newRow("unknown primitive") << QByteArray("  sch.spilt(loop=l2)\n") << 2 << QString("spilt");
        QTest::newRow("syntax error")
            << QByteArray("  l4, l5 = sch.split(loop=l2, factors=[None, 4\n") << 2 << QString();
        QTest::newRow("not Python") << QByteArray("  ¿que?\n") << 2 << QString();
    }
    void badSchedulesAreRefused()
    {
        QFETCH(QByteArray, lines);
        QFETCH(int, status);
        QFETCH(QString, says);
        NestcRunner nestc;
        const QString schedule = nestc.write("bad.py", script(lines));
        const auto outcome = nestc.run({"apply", NestcRunner::example("mm_relu.py"), "--schedule", schedule,
                                        "-o", nestc.file("out.py")});
        QVERIFY2(outcome.status == 1 || outcome.status == 2, qPrintable(outcome.err));
        COMPARE_STATUS(outcome, status);
        QVERIFY2(outcome.err.contains(says), qPrintable(outcome.err));
        QVERIFY2(outcome.err.contains("bad.py:"), qPrintable(outcome.err));
        QVERIFY(!QFile::exists(nestc.file("out.py")));
        QCOMPARE(outcome.err.count("error:"), 1);
    }

    void badModulesNameThePlace_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("shape mismatch")
            << QByteArray("import tvm\nfrom tvm import te\n"
                          "A = te.placeholder((16, 8), name=\"A\")\n"
                          "B = te.compute((16,), lambda i: A[i] + 1.0, name=\"B\")\n");
        QTest::newRow("unknown name")
            << QByteArray("from tvm import te\nB = te.compute((4,), lambda i: Q[i], name=\"B\")\n");
        QTest::newRow("TVMScript") << QByteArray("from tvm.script import tir as T\n@T.prim_func\n"
                                                 "def main(A: T.Buffer((4,), \"float31\")):\n    pass\n");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("binary") << QByteArray("\x00\x01\x7f"
                                              "ELF\xff\xfe",
                                              8);
    }
    void badModulesNameThePlace()
    {
        QFETCH(QByteArray, text);
        NestcRunner nestc;
        const auto outcome = nestc.run({"print", nestc.write("bad.py", text)});
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("bad.py"), qPrintable(outcome.err));
        QCOMPARE(outcome.err.count("error:"), 1);
    }

    void aTruncatedSessionNamesThePlace()
    {
        NestcRunner nestc;
        nestc.write("cut.nest", "{\"format\": \"nestwright-session\",\n \"version\": 1, \"mod");
        const auto outcome = nestc.run({"print", nestc.file("cut.nest")});
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("cut.nest:2:"), qPrintable(outcome.err));
        QVERIFY2(outcome.err.contains("not complete"), qPrintable(outcome.err));
    }

    void usageErrorsAreStatusTwo()
    {
        NestcRunner nestc;
        COMPARE_STATUS(nestc.run({}), 2);
        COMPARE_STATUS(nestc.run({"dance"}), 2);
        COMPARE_STATUS(nestc.run({"print"}), 2);
        COMPARE_STATUS(nestc.run({"print", "no-such-file.py"}), 2);
        COMPARE_STATUS(nestc.run({"print", "op:matmul(M=minus)"}), 2);
        COMPARE_STATUS(nestc.run({"--help"}), 0);
        const auto version = nestc.run({"--version"});
        COMPARE_STATUS(version, 0);
        QVERIFY2(version.out.startsWith("nestc 0."), qPrintable(version.out));
    }

    void listsAreJsonToo()
    {
        NestcRunner nestc;
        for (const char *what : {"primitives", "ops", "targets", "passes", "rules"}) {
            COMPARE_STATUS(nestc.run({"list", what}), 0);
            const auto json = nestc.run({"list", what, "--json"});
            COMPARE_STATUS(json, 0);
            const auto list = QJsonDocument::fromJson(json.out.toUtf8()).array();
            QVERIFY2(!list.isEmpty(), what);
        }
    }
};

QTEST_GUILESS_MAIN(ScheduleCommandsTest)
#include "schedule_commands_test.moc"
