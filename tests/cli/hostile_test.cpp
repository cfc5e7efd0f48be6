// SPDX-License-Identifier: Apache-2.0
// Files that are meant to exhaust memory, stack or time, or to be taken for something else: nestc says no in
// one sentence, within 10 s and 2 GB. Small ones lie in tests/hostile; large ones are made here.
#include "tests/cli/hostile.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace nestwright::tests;

namespace {

/// A command on a script of that text.
Make script(const QByteArray &text, const QString &command = "print")
{
    return [=](const NestcRunner &nestc) { return QStringList{command, nestc.write("script.py", text)}; };
}

const QByteArray te = "import tvm\nfrom tvm import te\nA = te.placeholder((8,), name='A')\n";
const QByteArray teEnd = "B = te.compute((8,), lambda i: A[i], name='B')\n";

std::vector<Case> scripts()
{
    const QByteArray deep(100'000, '('), closing(100'000, ')');
    return {
        {"list times a billion", script(te + "x = [0] * 10**9\n" + teEnd)},
        {"list that doubles", script(te + "x = [0]\nfor i in range(60):\n    x = x + x\n" + teEnd)},
        {"list that doubles in place", script(te + "x = [0]\nfor i in range(60):\n    x += x\n" + teEnd)},
        {"list that extends itself", script(te + "x = [0]\nfor i in range(60):\n    x.extend(x)\n" + teEnd)},
        {"list within itself", script(te + "x = [0]\nx.append(x)\ny = x == x\n" + teEnd)},
        {"list of lists, twice as many each time",
         script(te + "x = [0]\ny = [0]\nfor i in range(60):\n    x = [x, x]\n    y = [y, y]\nz = x == y\n"
                + teEnd)},
        {"list within lists, 10,000 deep",
         script(te + "x = [0]\nfor i in range(10000):\n    x = [x]\n" + teEnd)},
        {"string that doubles", script(te + "x = 'a'\nfor i in range(60):\n    x = x + x\n" + teEnd)},
        {"formatted string that doubles",
         script(te + "x = 'a'\nfor i in range(60):\n    x = f'{x}{x}'\n" + teEnd)},
        {"long strings copied", script(te + "x = '" + QByteArray(900'000, 'a')
                                       + "'\ny = []\nfor i in range(10000):\n    y.append(x)\n" + teEnd)},
        {"power of a power", script(te + "x = 2**(2**60)\n" + teEnd)},
        {"power of one", script(te + "x = 1**(2**62)\n" + teEnd)},
        {"shift by much", script(te + "x = 1 << 2**40\n" + teEnd)},
        {"range without end", script(te + "x = list(range(2**62))\n" + teEnd)},
        {"loop without end", script(te + "while True:\n    x = 1\n" + teEnd)},
        {"loops within loops",
         script(te + "for i in range(90000):\n  for j in range(90000):\n    x = 1\n" + teEnd)},
        {"function that calls itself", script(te + "def f(x):\n    return f(x)\ny = f(1)\n" + teEnd)},
        {"shape of exponential size",
         script(
             te
             + "n = te.var('n')\nfor i in range(60):\n    n = n * n + n\nC = te.placeholder((n,), name='C')\n"
             + "B = te.compute((n,), lambda i: C[i], name='B')\n")},
        {"value of exponential size",
         script(te + "def f(i):\n    x = A[i]\n    for k in range(60):\n        x = x * x + x\n    return x\n"
                + "B = te.compute((8,), f, name='B')\n")},
        {"index of exponential size",
         script(
             te
             + "def f(i):\n    x = i\n    for k in range(60):\n        x = x * x + x\n    return A[x % 8]\n"
             + "B = te.compute((8,), f, name='B')\n")},
        {"reduce axis of exponential size",
         script(te
                + "n = te.var('n')\nfor i in range(60):\n    n = n * n + n\nk = te.reduce_axis((0, n), 'k')\n"
                + "B = te.compute((8,), lambda i: te.sum(A[i] * k, axis=k), name='B')\n")},
        {"sum of 10,000 elements",
         script(te + "def f(i):\n    x = A[i]\n    for k in range(8000):\n        x = x + A[i]\n"
                + "    return x\nB = te.compute((8,), f, name='B')\n")},
        {"size of 10,000 sums", script(te + "n = te.var('n')\nfor k in range(8000):\n    n = n + 1\n"
                                       + "B = te.compute((n,), lambda i: te.const(1), name='B')\n")},
        {"100,000 dimensions", script(te + "C = te.placeholder((1,) * 100000, name='C')\n" + teEnd)},
        {"10,000 reduce axes", script(te + "k = [te.reduce_axis((0, 2), 'k') for i in range(2000)]\n"
                                      + "B = te.compute((8,), lambda i: te.sum(A[i], axis=k), name='B')\n")},
        {"sizes whose product wraps",
         script(te + "C = te.placeholder((2**32, 2**32, 4), name='C')\n"
                + "B = te.compute((2**32, 2**32, 4), lambda i, j, k: C[i, j, k], name='B')\n")},
        {"size of 1e300", script(te + "C = te.placeholder((1e300,), name='C')\n" + teEnd)},
        {"1,000 tensors one after the other",
         script(
             te
             + "B = A\nfor k in range(1000):\n    B = te.compute((8,), lambda i: B[i] + 1.0, name='B')\n")},
        {"5,000 results",
         script(te + "B = te.compute((8,), lambda i: tuple(A[i] for k in range(5000)), name='B')\n")},
        {"squares inlined 40 times", script(te
                                            + "B = A\nL = []\nfor k in range(40):\n    B = te.compute((8,), "
                                              "lambda i: B[i] * B[i], name='B')\n"
                                              "    L.append(B)\ns = te.create_schedule(B.op)\nfor k in "
                                              "range(39):\n    s[L[k]].compute_inline()\n")},
        {"2,000 splits",
         script(te
                + "B = te.compute((1024,), lambda i: A[i % 8], name='B')\ns = te.create_schedule(B.op)\n"
                  "x = B.op.axis[0]\nfor k in range(2000):\n    o, x = s[B].split(x, factor=2)\n")},
        {"100,000 brackets", script(te + "x = " + deep + "1" + closing + "\n" + teEnd)},
        {"100,000 brackets never closed", script(deep)},
        {"100,000 signs", script(te + "x = " + QByteArray(100'000, '-') + "1\n" + teEnd)},
        {"100,000 summands", script(te + "x = 1" + QByteArray("+1").repeated(100'000) + "\n" + teEnd)},
        {"100,000 powers", script(te + "x = 1" + QByteArray("**1").repeated(100'000) + "\n" + teEnd)},
        {"100,000 attributes", script(te + "x = te" + QByteArray(".a").repeated(100'000) + "\n" + teEnd)},
        {"100,000 calls", script(te + "x = te" + QByteArray("()").repeated(100'000) + "\n" + teEnd)},
        {"100,000 conditions",
         script(te + "x = " + QByteArray("1 if 1 else ").repeated(100'000) + "1\n" + teEnd)},
        {"100,000 lambdas", script(te + "x = " + QByteArray("lambda: ").repeated(100'000) + "1\n" + teEnd)},
        {"100,000 words", script(te + "x = " + QByteArray("not ").repeated(100'000) + "1\n" + teEnd)},
        {"100,000 comparisons", script(te + "x = 1" + QByteArray("<2").repeated(100'000) + "\n" + teEnd)},
        {"100,000 conjunctions",
         script(te + "x = 1" + QByteArray(" and 2").repeated(100'000) + "\n" + teEnd)},
        {"100,000 elifs",
         script(te + "if 0:\n    pass\n" + QByteArray("elif 0:\n    pass\n").repeated(100'000) + teEnd)},
        {"100,000 decorators",
         script(te + QByteArray("@a\n").repeated(100'000) + "def f():\n    pass\n" + teEnd)},
        {"100,000 targets", script(te + QByteArray("x = ").repeated(100'000) + "1\n" + teEnd)},
        {"a number of a million digits", script(te + "x = " + QByteArray(1'000'000, '9') + "\n" + teEnd)},
        {"a name of a million letters", script(te + QByteArray(1'000'000, 'x') + " = 1\n" + teEnd)},
        {"only quotes", script(QByteArray(1'000'001, '"'))},
        {"zero bytes", script(QByteArray(1'000'000, '\0'))},
        {"formatted strings within each other",
         script(te + "x = f'" + QByteArray("{f\"").repeated(50'000) + "'\n" + teEnd)},
    };
}

std::vector<Case> functions()
{
    QByteArray nested, loops;
    for (int i = 0; i < 300; ++i)
        nested += QByteArray(4 + i, ' ') + "if A[0] == T.float32(0):\n";
    for (int i = 0; i < 90; ++i)
        loops += QByteArray(4 + i, ' ') + "for i" + QByteArray::number(i) + " in range(2):\n";
    const QByteArray sum = "    A[0] = A[0]" + QByteArray(" + A[0]").repeated(100'000) + "\n";
    return {
        {"function with 100,000 summands", script(tvmScript(sum))},
        {"function with 400 summands",
         script(tvmScript("    A[0] = A[0]" + QByteArray(" + A[0]").repeated(400) + "\n"), "source")},
        {"function nested 300 deep",
         script(tvmScript(nested + QByteArray(304, ' ') + "A[0] = T.float32(1)\n"))},
        {"90 loops", script(tvmScript(loops + QByteArray(94, ' ') + "A[0] = T.float32(1)\n"), "lower")},
        {"10,000 statements", script(tvmScript(numbered("    A[0] = T.float32(%)\n", 10'000)), "lower")},
        {"buffer of 100,000 dimensions",
         script(tvmScript("    A[0] = T.float32(1)\n",
                          "A: T.Buffer((" + QByteArray("1, ").repeated(100'000) + "), \"float32\")"))},
        {"buffer whose sizes wrap", script(tvmScript("    B = T.alloc_buffer((4294967296, 4294967296, 4))\n"
                                                     "    for i in range(8):\n        with T.block(\"b\"):\n"
                                                     "            v = T.axis.spatial(8, i)\n"
                                                     "            B[v, 0, 0] = A[v]\n"),
                                           "lower")},
        {"allocation of exabytes", script(tvmScript("    B = T.alloc_buffer((1152921504606846976,))\n"
                                                    "    for i in range(8):\n        with T.block(\"b\"):\n"
                                                    "            v = T.axis.spatial(8, i)\n"
                                                    "            B[v] = A[v]\n"),
                                          "verify")},
        {"arguments of exabytes",
         script(tvmScript("    A[0] = T.float32(1)\n", "A: T.Buffer((1152921504606846976,), \"float32\")"),
                "run")},
        {"arguments whose sizes wrap",
         script(tvmScript("    A[0, 0, 0] = T.float32(1)\n",
                          "A: T.Buffer((4294967296, 4294967296, 4), \"float32\")"),
                "run")},
        {"vector of a million lanes", script(tvmScript("    A[0] = T.float32x1000000(1)\n"))},
        {"loop unrolled without end",
         script(tvmScript("    for i in T.unroll(1000000000):\n        A[0] = A[0] + T.float32(1)\n"),
                "source")},
        {"loop of 2^62 turns", script(tvmScript("    for i in T.serial(T.int64(4611686018427387904)):\n"
                                                "        A[0] = A[0] + T.float32(1)\n"),
                                      "lower")},
        {"lets of exponential size",
         script(tvmScript("    x0 = T.int32()\n"
                          + numbered("    with T.LetStmt(x% + x%, var=x%) as y%:\n", 1)))},
        {"grid of 10,000 loops",
         script(tvmScript("    for " + numbered("i%, ", 10'000) + "in T.grid("
                          + QByteArray("1, ").repeated(10'000) + "):\n        A[0] = T.float32(1)\n"))},
        {"one name for 3,000 buffers",
         script(tvmScript(numbered("    B = T.alloc_buffer((8,))\n", 3'000) + "    A[0] = T.float32(1)\n"))},
    };
}

std::vector<Case> values()
{
    const QString lengthy = QString(100'000, 'x'), deep = QString(10'000, '(');
    return {
        {"operator of exabytes",
         command({"print", "op:matmul(M=4611686018427387904,N=4611686018427387904,K=4)"})},
        {"operator of exabytes, measured",
         command({"measure", "op:matmul(M=2147483647,N=2147483647,K=2147483647)"})},
        {"operator of exabytes, run", command({"run", "op:matmul(M=2147483647,N=2147483647,K=2147483647)"})},
        {"operator of exabytes, verified",
         command({"verify", "op:matmul(M=2147483647,N=2147483647,K=2147483647)"})},
        {"operator of size 0", command({"print", "op:matmul(M=0,N=0,K=0)"})},
        {"operator of size -1", command({"print", "op:matmul(M=-1,N=-9223372036854775808,K=1)"})},
        {"operator of too long a number", command({"print", "op:matmul(M=99999999999999999999999)"})},
        {"operator with a long name", command({"print", "op:" + lengthy})},
        {"operator that is never closed", command({"print", "op:matmul(M=" + lengthy})},
        {"convolution whose kernel is larger than its image",
         command({"print", "op:conv2d(H=1,W=1,KH=2147483647,KW=7)"})},
        {"expression nested 10,000 deep", command({"simplify", deep + "1"})},
        {"expression of 20,000 signs", command({"simplify", "--", QString(20'000, '-') + "1"})},
        {"expression of 10,000 summands",
         command({"simplify", "--var", "x:int32", "x" + QString(" + x * 3").repeated(10'000)})},
        {"expression of 300 summands of products",
         command({"simplify", "--var", "x:int32", "--var", "y:int32",
                  "x" + QString(" + x // 3 * y % 7").repeated(300)})},
        {"shift by 2^62", command({"simplify", "1 << 4611686018427387904"})},
        {"least number divided by -1",
         command({"simplify", "--var", "x:int64", "T.int64(-9223372036854775808) // T.int64(-1)"})},
        {"division by 0", command({"simplify", "--var", "x:int32", "x // 0 + x % 0"})},
        {"bound that is none",
         command({"simplify", "--var", "x:int32", "--bound", "x=9223372036854775807..-9", "x"})},
        {"bound of all numbers",
         command({"simplify", "--var", "x:int64", "--bound", "x=-9223372036854775808..9223372036854775807",
                  "--bounds", "x * x - x"})},
        {"bound without end",
         command({"simplify", "--var", "x:int32", "--bound", "x=0..99999999999999999999", "x"})},
        {"variable of no type", command({"simplify", "--var", "x:int99999999999", "x"})},
        {"variable with a million lanes", command({"simplify", "--var", "x:int32x1000000", "x"})},
        {"target of a million letters",
         command({"source", "op:matmul(M=2,N=2,K=2)", "--target", "llvm -mcpu=" + lengthy})},
        {"target that is none",
         command({"source", "op:matmul(M=2,N=2,K=2)", "--target", "llvm -mtriple=" + lengthy})},
        {"processor that is none", command({"source", "op:matmul(M=2,N=2,K=2)", "--mcpu", "nonsense"})},
        {"time-out that is too long",
         command({"run", "op:matmul(M=2,N=2,K=2)", "--timeout", "99999999999999999999"})},
        {"size of a model that is none",
         command({"graph", NestcRunner::example("models/transformer_encoder.onnx"), "--size", "n=-1"})},
        {"kernel of a model that is none",
         command({"print", NestcRunner::example("models/transformer_encoder.onnx") + "#" + lengthy})},
        {"dialect that is none", command({"print", "op:matmul(M=2,N=2,K=2)", "--dialect", lengthy})},
        {"output where nothing may be written",
         command({"print", "op:matmul(M=2,N=2,K=2)", "-o", "/proc/none/x"})},
        {"outputs into a folder that cannot be",
         command({"run-model", NestcRunner::example("models/transformer_encoder.onnx"), "--nodes",
                  "/proc/none"})},
    };
}

/// Things that are no files: for each way to give one.
std::vector<Case> places()
{
    const QString matmul = NestcRunner::example("matmul.py"), kernel = "op:matmul(M=2,N=2,K=2)";
    const QString encoder = NestcRunner::example("models/transformer_encoder.onnx");
    const auto fifo = [](const NestcRunner &nestc, const char *name) {
        const QString path = nestc.file(name);
        mkfifo(qPrintable(path), 0600);
        return path;
    };
    return {
        {"a FIFO for a module", [=](const NestcRunner &n) { return QStringList{"print", fifo(n, "f.py")}; }},
        {"a FIFO for a session",
         [=](const NestcRunner &n) { return QStringList{"print", fifo(n, "f.nest")}; }},
        {"a FIFO for a model", [=](const NestcRunner &n) { return QStringList{"graph", fifo(n, "f.onnx")}; }},
        {"a FIFO for a model's kernel",
         [=](const NestcRunner &n) { return QStringList{"print", fifo(n, "g.onnx") + "#k"}; }},
        {"a FIFO for a schedule",
         [=](const NestcRunner &n) { return QStringList{"apply", matmul, "--schedule", fifo(n, "s.py")}; }},
        {"a FIFO for a trace",
         [=](const NestcRunner &n) { return QStringList{"apply", matmul, "--schedule", fifo(n, "s.json")}; }},
        {"a FIFO for an array",
         [=](const NestcRunner &n) { return QStringList{"run", kernel, "--in", "A=" + fifo(n, "a.npy")}; }},
        {"a FIFO for an input",
         [=](const NestcRunner &n) {
             return QStringList{"run-model", encoder, "--in", "x=" + fifo(n, "x.pb")};
         }},
        {"a FIFO for an intrinsic",
         [=](const NestcRunner &n) {
             return QStringList{"apply", matmul, "--schedule", matmul, "--intrin", "x=" + fifo(n, "i.py")};
         }},
        {"a device for a module", command({"print", "/dev/zero"})},
        {"a device for a model", command({"graph", "/dev/zero"})},
        {"a device for a schedule", command({"apply", matmul, "--schedule", "/dev/zero"})},
        {"a device for an array", command({"run", kernel, "--in", "A=/dev/zero"})},
        {"a device for an input", command({"run-model", encoder, "--in", "x=/dev/random"})},
        {"a folder for a module", command({"print", "/"})},
        {"a folder for a schedule", command({"apply", matmul, "--schedule", "/tmp"})},
        {"a folder for an array", command({"run", kernel, "--in", "A=/tmp"})},
        {"a folder for an output", command({"run", kernel, "--out", "C=/tmp"})},
        {"nothing for a module", command({"print", ""})},
        {"a long path", command({"print", QString(10'000, 'x')})},
        {"a file of 3 GB that is empty",
         [](const NestcRunner &n) {
             const QString path = n.write("huge.py", {});
             [[maybe_unused]] const int done = truncate(qPrintable(path), off_t{3} << 30);
             return QStringList{"print", path};
         }},
        {"a model of 3 GB that is empty",
         [](const NestcRunner &n) {
             const QString path = n.write("huge.onnx", {});
             [[maybe_unused]] const int done = truncate(qPrintable(path), off_t{3} << 30);
             return QStringList{"graph", path};
         }},
        {"an array of 3 GB that is empty",
         [=](const NestcRunner &n) {
             const QString path = n.write("huge.npy", {});
             [[maybe_unused]] const int done = truncate(qPrintable(path), off_t{3} << 30);
             return QStringList{"run", kernel, "--in", "A=" + path};
         }},
    };
}

/// The commands for the small files of tests/hostile, by the ending of their names.
std::vector<Case> kept()
{
    std::vector<Case> all;
    const QDir folder("tests/hostile");
    for (const QString &name : folder.entryList(QDir::Files, QDir::Name)) {
        const QString path = folder.absoluteFilePath(name);
        const auto schedule = QStringList{"apply", NestcRunner::example("matmul.py"), "--schedule", path};
        all.push_back({name, command(name.endsWith(".json")   ? schedule
                                     : name.endsWith(".onnx") ? QStringList{"graph", path}
                                                              : QStringList{"print", path})});
    }
    return all;
}

} // namespace

class HostileTest : public QObject {
    Q_OBJECT

    std::vector<Case> m_cases;

private Q_SLOTS:
    void initTestCase()
    {
        for (const auto &group : {scripts(), functions(), values(), places(), kept()})
            m_cases.insert(m_cases.end(), group.begin(), group.end());
    }

    void isRefusedOrRead_data() { addRows(m_cases); }
    void isRefusedOrRead() { checkRow(m_cases); }

    /// Where there is no folder for temporary files, commands that need one say so, and the others work.
    void withoutATemporaryFolder()
    {
        NestcRunner nestc;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("TMPDIR", "/nonexistent");
        nestc.process().setProcessEnvironment(environment);
        const auto printed = nestc.run({"print", "op:matmul(M=2,N=2,K=2)"});
        COMPARE_STATUS(printed, 0);
        for (const QStringList &arguments : {QStringList{"run", "op:matmul(M=2,N=2,K=2)", "--target", "c"},
                                             QStringList{"measure", "op:matmul(M=2,N=2,K=2)"},
                                             QStringList{"export", "op:matmul(M=2,N=2,K=2)", "--format",
                                                         "shared", "-o", nestc.file("x.so")}}) {
            const auto outcome = nestc.run(arguments);
            QVERIFY2(outcome.status == 1 || outcome.status == 2, qPrintable(outcome.err));
            QVERIFY2(outcome.err.contains("'/nonexistent'") && outcome.err.contains("TMPDIR"),
                     qPrintable(outcome.err));
        }
    }
};

QTEST_GUILESS_MAIN(HostileTest)
#include "hostile_test.moc"
