// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/nestc_runner.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>
#include <cmath>

using nestwright::test::NestcRunner;

namespace {

constexpr const char *divideByZero = R"(from tvm.script import tir as T
@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = T.truncdiv(A[vi], A[vi] - A[vi])
)";

constexpr const char *endlessLoop = R"(from tvm.script import tir as T
@T.prim_func
def main(A: T.Buffer((1,), "int32")):
    with T.block("A"):
        T.reads(A[0])
        T.writes(A[0])
        while A[0] < 1000:
            A[0] = A[0] % 7
)";

constexpr const char *shifted = R"(from tvm.script import tir as T
@T.prim_func
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n + 2,), "float32")
    C = T.match_buffer(c, (n,), "float32")
    for i in range(n):
        with T.block("C"):
            vi = T.axis.spatial(n, i)
            C[vi] = A[vi] + A[vi + 2]
)";

/// A .npy file of float32.
QByteArray npy(const QByteArray &shape, const std::vector<float> &values)
{
    QByteArray header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    header += QByteArray(63 - (10 + header.size()) % 64, ' ') + '\n';
    QByteArray bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 0xff);
    bytes += static_cast<char>(header.size() >> 8);
    bytes += header;
    bytes += QByteArray(reinterpret_cast<const char *>(values.data()),
                        static_cast<qsizetype>(values.size() * sizeof(float)));
    return bytes;
}

std::vector<float> valuesOf(const QByteArray &file, std::size_t count)
{
    std::vector<float> values(count);
    if (static_cast<std::size_t>(file.size()) >= count * sizeof(float))
        std::memcpy(values.data(),
                    file.constData() + file.size() - static_cast<qsizetype>(count * sizeof(float)),
                    count * sizeof(float));
    return values;
}

} // namespace

/// run, source, lower, pass, export, measure: the results of a kernel, and kernels that fail.
class KernelCommandsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runMultipliesMatrices_data()
    {
        QTest::addColumn<QString>("target");
        QTest::newRow("llvm") << "llvm";
        QTest::newRow("c") << "c";
    }
    void runMultipliesMatrices()
    {
        QFETCH(QString, target);
        NestcRunner nestc;
        nestc.write("a.npy", npy("(2, 3)", {1, 2, 3, 4, 5, 6}));
        nestc.write("b.npy", npy("(3, 2)", {1, 0, 0, 1, 2, -1}));
        const auto outcome = nestc.run({"run", "op:matmul(M=2,N=2,K=3)", "--target", target, "--in",
                                        "A=a.npy", "--in", "B=b.npy", "--out", "C=c.npy"});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(valuesOf(nestc.read("c.npy"), 4), (std::vector<float>{7, -1, 16, -1}));
    }

    void symbolicSizesComeFromTheFiles()
    {
        NestcRunner nestc;
        nestc.write("a.npy", npy("(3,)", {1, 2, 3}));
        const auto outcome = nestc.run(
            {"run", NestcRunner::example("elementwise_chain.py"), "--in", "A=a.npy", "--out", "C=c.npy"});
        // The output's size follows from the input's.
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(valuesOf(nestc.read("c.npy"), 3), (std::vector<float>{4, 6, 8}));
    }

    void sizesAreFoundInComputedDimensions()
    {
        NestcRunner nestc;
        nestc.write("k.py", shifted);
        nestc.write("a.npy", npy("(5,)", {1, 2, 3, 4, 5}));
        auto outcome = nestc.run({"run", "k.py", "--in", "A=a.npy", "--out", "C=c.npy"});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(valuesOf(nestc.read("c.npy"), 3), (std::vector<float>{4, 6, 8}));
        outcome = nestc.run({"run", "k.py", "--size", "n=4", "--in", "A=a.npy"});
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("dimension 0 of 'A' is 6"), qPrintable(outcome.err));
        outcome = nestc.run({"run", "k.py", "--size", "n=4", "--out", "C=c.npy"});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(valuesOf(nestc.read("c.npy"), 4), (std::vector<float>(4)));
        for (const char *size : {"n=37", "n=0"}) {
            outcome = nestc.run({"verify", "k.py", "--size", size});
            COMPARE_STATUS(outcome, 0);
            outcome =
                nestc.run({"measure", "k.py", "--size", size, "--repetitions", "1", "--seconds", "0.01"});
            COMPARE_STATUS(outcome, 0);
        }
        outcome = nestc.run({"verify", "k.py", "--size", "n=-1"});
        COMPARE_STATUS(outcome, 2);
    }

    void argumentsThatDoNotFitAreExplained()
    {
        NestcRunner nestc;
        nestc.write("a.npy", npy("(3, 3)", std::vector<float>(9)));
        auto outcome = nestc.run({"run", "op:matmul(M=2,N=2,K=3)", "--in", "A=a.npy"});
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("'A'"), qPrintable(outcome.err));
        outcome = nestc.run({"run", "op:matmul(M=2,N=2,K=3)", "--in", "Q=a.npy"});
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("'Q'"), qPrintable(outcome.err));
        nestc.write("cut.npy", npy("(2, 3)", {1, 2, 3}));
        outcome = nestc.run({"run", "op:matmul(M=2,N=2,K=3)", "--in", "A=cut.npy"});
        COMPARE_STATUS(outcome, 2);
    }

    void loopsTellOfTheirMachineCode()
    {
        NestcRunner nestc;
        const auto table = nestc.run({"loops", "op:matmul(M=64,N=64,K=64)"});
        COMPARE_STATUS(table, 0);
        QVERIFY2(table.out.contains("limited by"), qPrintable(table.out));
        const auto outcome = nestc.run({"loops", "op:matmul(M=64,N=64,K=64)", "--recipe", "gemm", "--json"});
        COMPARE_STATUS(outcome, 0);
        const QJsonArray loops = QJsonDocument::fromJson(outcome.out.toUtf8()).array();
        const auto k = std::ranges::find_if(loops, [](const QJsonValue &loop) {
            return loop[QLatin1String("loop")] == QLatin1String("k_0");
        });
        QVERIFY(k != loops.end());
        QCOMPARE((*k)[QLatin1String("iterations")].toInt(), 16);
        const QJsonValue code = (*k)[QLatin1String("code")][0];
        QVERIFY(code[QLatin1String("multiply-adds")].toInt() > 0);
        QVERIFY(code[QLatin1String("loads")].toInt() > 0);
        QVERIFY(code[QLatin1String("cycles")].toDouble()
                >= code[QLatin1String("least-cycles")].toDouble() - 1);
        const auto refused = nestc.run({"loops", "op:matmul(M=64,N=64,K=64)", "--target", "c"});
        COMPARE_STATUS(refused, 2);
        QVERIFY(refused.err.contains("choose the target llvm"));
    }

    void sourcesOfEveryBuiltKind()
    {
        NestcRunner nestc;
        const auto ir = nestc.run({"source", "op:matmul(M=8,N=8,K=8)", "--target", "llvm"});
        COMPARE_STATUS(ir, 0);
        QVERIFY(ir.out.contains("define"));
        const auto assembly = nestc.run({"source", "op:matmul(M=8,N=8,K=8)", "--target", "asm"});
        COMPARE_STATUS(assembly, 0);
        QVERIFY(assembly.out.contains("ret"));
        const auto intel = nestc.run({"source", "op:matmul(M=8,N=8,K=8)", "--target", "asm-intel"});
        COMPARE_STATUS(intel, 0);
        QVERIFY(intel.out.contains(".intel_syntax noprefix"));
        const auto raw = nestc.run({"source", "op:matmul(M=8,N=8,K=8)", "--target", "llvm-unoptimized"});
        COMPARE_STATUS(raw, 0);
        QVERIFY(raw.out.contains("for.k:"));
        const auto lowered = nestc.run({"source", "op:matmul(M=8,N=8,K=8)", "--target", "lowered"});
        COMPARE_STATUS(lowered, 0);
        QCOMPARE(lowered.out, nestc.run({"lower", "op:matmul(M=8,N=8,K=8)"}).out);
        const auto c =
            nestc.run({"source", "op:matmul(M=8,N=8,K=8)", "--target", "c", "-o", nestc.file("k.c")});
        COMPARE_STATUS(c, 0);
        QCOMPARE(QProcess::execute("cc", {"-std=c11", "-Wall", "-Werror", "-O1", "-c", "-o",
                                          nestc.file("k.o"), nestc.file("k.c")}),
                 0);
        COMPARE_STATUS(nestc.run({"source", "op:matmul(M=8,N=8,K=8)", "--target", "fortran"}), 2);
        const auto other =
            nestc.run({"source", "op:matmul(M=8,N=8,K=8)", "--target", "cuda", "--arch", "sm_1"});
        COMPARE_STATUS(other, 2);
        QVERIFY2(other.err.contains("there is no architecture 'sm_1'"), qPrintable(other.err));
    }

    void passesCanBeSeen()
    {
        NestcRunner nestc;
        const auto lowered =
            nestc.run({"lower", "op:matmul(M=8,N=8,K=8)", "--print-after", "all", "--times"});
        COMPARE_STATUS(lowered, 0);
        QVERIFY(lowered.out.count("# after ") >= 4);
        COMPARE_STATUS(nestc.run({"lower", "op:matmul(M=8,N=8,K=8)", "--print-after", "nonsense"}), 2);
        COMPARE_STATUS(nestc.run({"pass", "nonsense", "op:matmul(M=8,N=8,K=8)"}), 2);
        COMPARE_STATUS(nestc.run({"pass", "lower-init-block", "op:matmul(M=8,N=8,K=8)"}), 0);
        COMPARE_STATUS(nestc.run({"pass", "lower_init_block", "op:matmul(M=8,N=8,K=8)"}), 0);
    }

    void passesOnProgramsWithoutBlocks()
    {
        NestcRunner nestc;
        nestc.write("loops.py", "@T.prim_func\ndef main(A: T.Buffer((4, 4), \"int32\"), n: T.int32):\n"
                                "    for i, j in T.grid(4, 4):\n        if i == n and j == n:\n"
                                "            if i == n:\n                A[i, j] = 0\n");
        const auto simpler = nestc.run({"pass", "simplify", "loops.py"});
        COMPARE_STATUS(simpler, 0);
        QCOMPARE(simpler.out.count("if "), 1);
        const auto early = nestc.run({"pass", "vectorize-loop", "loops.py"});
        COMPARE_STATUS(early, 2);
        QVERIFY(early.err.contains("run flatten-buffer before it"));
        COMPARE_STATUS(nestc.run({"pass", "flatten-buffer,vectorize-loop", "loops.py"}), 0);
    }

    void versionsOfTvm()
    {
        NestcRunner nestc;
        nestc.write("empty.py", "pass\n");
        for (const char *version : {"0.23", "0.24", "0.25", "0.26", "0.27", "latest"}) {
            const bool isFirst = QByteArray(version) == "0.23";
            const auto printed = nestc.run({"print", "op:matmul(M=8,N=8,K=8)", "--dialect", version});
            COMPARE_STATUS(printed, 0);
            QCOMPARE(printed.out.contains("import tirx as T"), !isFirst);
            const auto applied = nestc.run({"apply", "op:matmul(M=8,N=8,K=8)", "--schedule", "empty.py",
                                            "--script", nestc.file("out.py"), "--dialect", version});
            COMPARE_STATUS(applied, 0);
            QCOMPARE(applied.out, printed.out);
            QCOMPARE(nestc.read("out.py").contains("s_tir.Schedule"), !isFirst);
        }
        const auto unknown = nestc.run({"print", "op:matmul(M=8,N=8,K=8)", "--dialect", "0.22"});
        COMPARE_STATUS(unknown, 2);
        QVERIFY(unknown.err.contains("0.22"));
    }

    void exportedLibrariesLinkAndRun()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run(
            {"export", "op:matmul(M=2,N=2,K=2)", "--format", "shared", "-o", nestc.file("libmm.so")});
        COMPARE_STATUS(outcome, 0);
        nestc.write("main.c",
                    QByteArray("#include \"libmm.h\"\n#include <stdio.h>\n"
                               "int main(void) { float a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1}, c[4];\n"
                               "  void *args[3] = {a, b, c};\n  int status = NAME__packed(args);\n"
                               "  printf(\"%g %g %g %g\\n\", c[0], c[1], c[2], c[3]); return status; }\n"));
        // The packed entry point is named in the header.
        const QString header = QString::fromUtf8(nestc.read("libmm.h"));
        const auto symbol = QRegularExpression("(\\w+)__packed").match(header).captured(1);
        QVERIFY2(!symbol.isEmpty(), qPrintable(header));
        QCOMPARE(QProcess::execute("cc", {"-DNAME__packed=" + symbol + "__packed", "-I", nestc.file("."),
                                          "-o", nestc.file("main"), nestc.file("main.c"),
                                          nestc.file("libmm.so"), "-Wl,-rpath," + nestc.file(".")}),
                 0);
        QProcess program;
        program.start(nestc.file("main"), QStringList());
        QVERIFY(program.waitForFinished());
        QCOMPARE(program.readAllStandardOutput(), QByteArray("1 2 3 4\n"));
    }

    void aLadderIsMeasuredVerifiedAndDrawn()
    {
        NestcRunner nestc;
        const auto outcome =
            nestc.run({"measure", "op:matmul(M=128,N=128,K=128)", "--schedule",
                       NestcRunner::example("schedules/matmul/00_naive.py"),
                       NestcRunner::example("schedules/matmul/05_unroll.py"), "--repetitions", "3",
                       "--seconds", "0.02", "--json", nestc.file("r.json"), "--chart", nestc.file("r.svg")});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(outcome.out.count("verified"), 2);
        const auto variants = QJsonDocument::fromJson(nestc.read("r.json")).object()["variants"].toArray();
        QCOMPARE(variants.size(), 2);
        for (const QJsonValue each : variants) {
            const QJsonObject variant = each.toObject();
            QCOMPARE(variant["verdict"].toString(), QString("verified"));
            QCOMPARE(variant["samples"].toArray().size(), 3);
            QCOMPARE(variant["flops"].toDouble(), 2.0 * 128 * 128 * 128);
            QVERIFY(variant["gflops"].toDouble() > 0);
        }
        QVERIFY(nestc.read("r.svg").contains("<svg"));
        COMPARE_STATUS(nestc.run({"measure", "op:matmul(M=8,N=8,K=8)", "--repetitions", "1", "--seconds",
                                  "0.001", "--chart", nestc.file("r.bmp")}),
                       2);
    }

    /// By further calls: what the machine counts, and once what it does not.
    void eventsAreCounted()
    {
        NestcRunner nestc;
        const QStringList command{
            "measure", "op:matmul(M=32,N=32,K=32)", "--repetitions", "2", "--seconds", "0.01",
            "--json",  nestc.file("r.json")};
        COMPARE_STATUS(nestc.run(command), 0);
        const auto countersOf = [&] {
            return QJsonDocument::fromJson(nestc.read("r.json"))["variants"][0]["counters"].toObject();
        };
        QVERIFY(countersOf().isEmpty());
        const auto outcome = nestc.run(command + QStringList{"--counters"});
        COMPARE_STATUS(outcome, 0);
        const QJsonObject counters = countersOf(), counts = counters["counts"].toObject();
        const QString absent = counters["absent"].toString();
        for (const char *event :
             {"cycles", "instructions", "cache-references", "cache-misses", "L1d-read-misses",
              "branch-misses", "page-faults", "context-switches", "cpu-migrations"}) {
            QVERIFY2(counts.contains(event) != absent.contains(event), event);
            QCOMPARE(outcome.out.contains(event), counts.contains(event));
        }
        QCOMPARE(counters.contains("derived"), counts.contains("instructions") && counts.contains("cycles"));
        QCOMPARE(outcome.err.contains(absent), true);
        if (counts.contains("instructions")) // one of the inner loop at least, in vectors of 16
            QVERIFY(counts["instructions"].toDouble() > 32 * 32 * 32 / 16);
    }

    /// A kernel whose arithmetic is free says how far its result then is.
    void fastMathShowsItsDifference()
    {
        NestcRunner nestc;
        const QString sum = nestc.write("row_sum.py", R"(from tvm.script import tir as T
@T.prim_func
def main(A: T.Buffer((16, 4000), "float32"), B: T.Buffer((16,), "float32")):
    for i, k in T.grid(16, 4000):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)");
        const QString fast = nestc.write(
            "fast.py", "def apply_trace(sch):\n  sch.annotate(sch.get_block('root'), 'fast_math', 1)\n");
        const QString same = nestc.write("same.py", "def apply_trace(sch):\n  sch.get_block('B')\n");
        const auto measured = nestc.run({"measure", sum, "--schedule", same, fast, "--repetitions", "2",
                                         "--seconds", "0.005", "--json", nestc.file("r.json")});
        COMPARE_STATUS(measured, 0);
        QCOMPARE(measured.out.count("largest relative difference"), 1);
        const auto variants = QJsonDocument::fromJson(nestc.read("r.json"))["variants"].toArray();
        const double difference = variants[1].toObject()["difference"].toDouble();
        QVERIFY2(difference > 0 && difference < 1e-5, qPrintable(QString::number(difference)));
        const auto verified = nestc.run({"verify", sum, "--schedule", fast});
        COMPARE_STATUS(verified, 0);
        QVERIFY2(verified.out.contains("largest relative difference"), qPrintable(verified.out));
        // As a script it is the same program, which is printed and read again.
        const auto printed = nestc.run({"apply", sum, "--schedule", fast});
        QVERIFY(printed.out.contains("T.block_attr({\"fast_math\": 1})"));
        QCOMPARE(nestc.run({"print", nestc.write("again.py", printed.out.toUtf8())}).out, printed.out);
        const auto wrong = nestc.run(
            {"apply", sum, "--schedule",
             nestc.write("wrong.py",
                         "def apply_trace(sch):\n  sch.annotate(sch.get_block('root'), 'fast_math', 3)\n")});
        COMPARE_STATUS(wrong, 1);
        QVERIFY2(wrong.err.contains("\"fast_math\" is 1 or 0"), qPrintable(wrong.err));
    }

    /// A tuned library stands beside, where this machine has one for the kernel's computation.
    void aLibraryIsTimed()
    {
        NestcRunner nestc;
        const auto none = nestc.run({"peer", NestcRunner::example("row_sum.py")});
        COMPARE_STATUS(none, 2);
        QVERIFY2(none.err.contains("no library is known"), qPrintable(none.err));
        const auto outcome =
            nestc.run({"peer", "op:matmul(M=64,N=64,K=64)", "--target", "llvm -num-cores=1", "--json"});
        if (outcome.err.contains("OpenBLAS is not on this machine"))
            QSKIP("OpenBLAS is not on this machine");
        COMPARE_STATUS(outcome, 0);
        const QJsonObject time = QJsonDocument::fromJson(outcome.out.toUtf8()).object();
        const QString library = time["library"].toString(); // the fastest one
        QVERIFY2(library.startsWith("OpenBLAS") || library.startsWith("oneDNN"), qPrintable(library));
        QCOMPARE(time["flops"].toDouble(), 2.0 * 64 * 64 * 64);
        QVERIFY(time["gflops"].toDouble() > 0);
        QVERIFY(nestc.run({"peer", "op:matmul(M=64,N=64,K=64)"}).out.contains("GFLOPS"));
    }

    void kernelsThatFailAreReasons_data()
    {
        QTest::addColumn<QString>("module");
        QTest::addColumn<QString>("says");
        NestcRunner nestc;
        QTest::newRow("divides by zero") << divideByZero << "zero";
        QTest::newRow("loops for ever") << endlessLoop << "did not finish within 2 s";
        QTest::newRow("needs 1 TB") << "op:matmul(M=500000,N=500000,K=16)" << "931 GB";
    }
    void kernelsThatFailAreReasons()
    {
        QFETCH(QString, module);
        QFETCH(QString, says);
        NestcRunner nestc;
        if (!module.startsWith("op:"))
            module = nestc.write("kernel.py", module.toUtf8());
        const auto outcome = nestc.run({"measure", module, "--timeout", "2", "--repetitions", "1"});
        COMPARE_STATUS(outcome, 1);
        QVERIFY2((outcome.out + outcome.err).contains(says), qPrintable(outcome.out + outcome.err));
    }
};

QTEST_GUILESS_MAIN(KernelCommandsTest)
#include "kernel_commands_test.moc"
