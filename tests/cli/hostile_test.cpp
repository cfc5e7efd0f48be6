// SPDX-License-Identifier: Apache-2.0
// Files that are meant to exhaust memory, stack or time, or to be taken for something else: nestc says no in one sentence, within
// 10 s and 2 GB. Small ones lie in tests/hostile; large ones are made here.
#include "tests/cli/nestc_runner.h"
#include "tests/support/onnx_bytes.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

using namespace nestwright::tests;
using nestwright::test::NestcRunner;

namespace {

#if defined(__SANITIZE_ADDRESS__)                                                                            \
    || defined(__SANITIZE_THREAD__) // which are slow, and map far more than they use
constexpr int mostMilliseconds = 200'000;

void limitResources() {}
#else
constexpr int mostMilliseconds = 200'000; // of the clock, on a machine that does other things

/// In the child, before nestc runs: 10 s of processor time, 2 GB.
void limitResources()
{
    const rlimit seconds{10, 11}, none{0, 0}, memory{rlim_t{2'000'000} * 1024, rlim_t{2'000'000} * 1024};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_AS, &memory);
}
#endif

using Make = std::function<QStringList(const NestcRunner &)>;

struct Case {
    QString name;
    Make arguments; ///< writes the files that they name
};

QByteArray bytes(const std::string &text) { return QByteArray::fromStdString(text); }

/// A command on a script of that text.
Make script(QByteArray text, const QString &command = "print")
{
    return [=](const NestcRunner &nestc) { return QStringList{command, nestc.write("script.py", text)}; };
}

Make model(const std::string &text, const QStringList &command = {"graph"})
{
    return [=](const NestcRunner &nestc) {
        return QStringList{command.front(), nestc.write("model.onnx", bytes(text))} + command.mid(1);
    };
}

Make session(QByteArray text)
{
    return [=](const NestcRunner &nestc) { return QStringList{"print", nestc.write("session.nest", text)}; };
}

Make trace(QByteArray text)
{
    return [=](const NestcRunner &nestc) {
        return QStringList{"apply", NestcRunner::example("matmul.py"), "--schedule",
                           nestc.write("trace.json", text)};
    };
}

Make schedule(QByteArray text)
{
    return [=](const NestcRunner &nestc) {
        return QStringList{"apply", NestcRunner::example("matmul.py"), "--schedule",
                           nestc.write("schedule.py", text)};
    };
}

/// A .npy file with that header and data, given for an argument of a small kernel.
Make npy(QByteArray header, QByteArray data = {}, bool isLong = false)
{
    return [=](const NestcRunner &nestc) {
        QByteArray file("\x93NUMPY\x01\x00", 8);
        file[6] = isLong ? 2 : 1;
        const auto length = static_cast<quint32>(header.size());
        for (int i = 0; i < (isLong ? 4 : 2); ++i)
            file += static_cast<char>(length >> (8 * i));
        return QStringList{"run", "op:matmul(M=2,N=2,K=2)", "--in",
                           "A=" + nestc.write("a.npy", file + header + data)};
    };
}

Make command(const QStringList &arguments)
{
    return [=](const NestcRunner &) { return arguments; };
}

const QByteArray te = "import tvm\nfrom tvm import te\nA = te.placeholder((8,), name='A')\n";
const QByteArray teEnd = "B = te.compute((8,), lambda i: A[i], name='B')\n";

QByteArray tvmScript(const QByteArray &body, const QByteArray &parameters = "A: T.Buffer((8,), \"float32\")")
{
    return "from tvm.script import tir as T\n@T.prim_func\ndef main(" + parameters + "):\n" + body;
}

/// `count` times `text`, the place of `%` being the number.
QByteArray numbered(const QByteArray &text, int count)
{
    QByteArray all;
    for (int i = 0; i < count; ++i)
        all += QByteArray(text).replace('%', QByteArray::number(i));
    return all;
}

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

std::vector<Case> json()
{
    const QByteArray opening(100'000, '['), closing(100'000, ']');
    const QByteArray objects = QByteArray("{\"a\":").repeated(100'000) + "1" + QByteArray(100'000, '}');
    const QByteArray head = R"({"format": "nestwright-session", "version": 1, )";
    return {
        {"session of 100,000 brackets", session(opening + closing)},
        {"session of 100,000 brackets never closed", session(opening)},
        {"session of 100,000 objects", session(objects)},
        {"session with a deep step",
         session(head + R"("source": {}, "module": "", "variants": [{}, {"parent": 0, "step": )" + opening
                 + closing + "}]}")},
        {"session whose format is a number", session(R"({"format": 5})")},
        {"session whose format is a list", session(R"({"format": [], "version": {}})")},
        {"session without a version", session(R"({"format": "nestwright-session"})")},
        {"session of version 0", session(R"({"format": "nestwright-session", "version": 0})")},
        {"session of version -1", session(R"({"format": "nestwright-session", "version": -1})")},
        {"session of version 2^64",
         session(R"({"format": "nestwright-session", "version": 18446744073709551616})")},
        {"session of version 5", session(R"({"format": "nestwright-session", "version": 5})")},
        {"session with a version as text", session(R"({"format": "nestwright-session", "version": "1"})")},
        {"session with nothing in it", session(head + R"("source": {}})")},
        {"session whose module is a number", session(head + R"("source": {}, "module": 1, "variants": []})")},
        {"session whose source is a list", session(head + R"("source": [], "module": "", "variants": []})")},
        {"session of a model as a kernel",
         session(R"({"format": "nestwright-model-session", "version": 1})")},
        {"session of a million empty lists", session("[" + QByteArray("[],").repeated(1'000'000) + "[]]")},
        {"trace of 100,000 brackets", trace(opening + closing)},
        {"trace of 100,000 objects", trace(objects)},
        {"trace with a deep argument",
         trace(R"([[["GetBlock", [)" + opening + closing + "], [], [\"b\"]]], []]")},
        {"trace that is no trace", trace("[[1, 2, 3], {}]")},
        {"trace with huge numbers",
         trace(
             R"([[["GetBlock", [], ["C", "main"], ["b0"]], ["GetLoops", ["b0"], [], ["l1", "l2", "l3"]],)"
             R"( ["Split", ["l1", 9223372036854775807, 9223372036854775807], [1, 0], ["l4", "l5"]]], []])")},
        {"trace whose decision is far away", trace(R"([[], [[18446744073709551615, [1]]]])")},
        {"trace whose formula is deep",
         trace(R"([[["Split", [")" + QByteArray("(").repeated(100'000) + R"("], [], []]], []])")},
    };
}

std::vector<Case> schedules()
{
    const QByteArray head = "def apply_trace(sch):\n    b = sch.get_block(name=\"C\", func_name=\"main\")\n"
                            "    i, j, k = sch.get_loops(block=b)\n";
    return {
        {"schedule of 100,000 brackets", schedule(head + "    x = " + QByteArray(100'000, '(') + "\n")},
        {"schedule with factors that wrap",
         schedule(head + "    sch.split(i, factors=[4294967296, 4294967296, 4294967296])\n")},
        {"schedule with huge factors",
         schedule(head + "    sch.split(i, factors=[9223372036854775807, None])\n")},
        {"schedule with 10,000 factors",
         schedule(head + "    sch.split(i, factors=[" + QByteArray("1, ").repeated(10'000) + "None])\n")},
        {"schedule with a list that doubles",
         schedule(head + "    x = [1]\n" + QByteArray("    x = x + x\n").repeated(60)
                  + "    sch.split(i, factors=x)\n")},
        {"schedule with a long list", schedule(head + "    x = [1] * 10**9\n    sch.split(i, factors=x)\n")},
        {"schedule with a long string", schedule(head + "    x = \"a\" * 10**10\n    sch.get_block(x)\n")},
        {"schedule with a long number", schedule(head + "    sch.split(i, factors=[2**(2**60), None])\n")},
        {"schedule divided by zero", schedule(head + "    sch.split(i, factors=[1 // 0, 1 % 0])\n")},
        {"schedule with a least number divided",
         schedule(head
                  + "    sch.split(i, factors=[-9223372036854775808 // -1, -9223372036854775808 % -1])\n")},
        {"schedule with 3,000 unit loops",
         schedule(head + QByteArray("    i = sch.add_unit_loop(i)\n").repeated(600))},
        {"schedule with a huge alignment",
         schedule(head
                  + "    c = sch.cache_read(b, 0, \"local\")\n    sch.storage_align(c, 0, 0, "
                    "9223372036854775807, 9223372036854775807)\n")},
        {"schedule with a huge index map",
         schedule(head + "    sch.transform_layout(b, (\"write\", 0), lambda i, j: ("
                  + QByteArray("i + ").repeated(100'000) + "j,))\n")},
        {"schedule with an index map that divides by zero",
         schedule(head + "    sch.transform_layout(b, (\"write\", 0), lambda i, j: (i // 0, j % 0))\n")},
        {"schedule with a huge index map's factor",
         schedule(
             head
             + "    sch.transform_layout(b, (\"write\", 0), lambda i, j: (i * 9223372036854775807, j))\n")},
        {"schedule with an annotation that is deep",
         schedule(head + "    sch.annotate(b, \"a\", " + QByteArray(150, '[') + QByteArray(150, ']')
                  + ")\n")},
        {"schedule that pads to exabytes", schedule(head + "    sch.pad_einsum(b, [2**60, 2**60, 2**60])\n")},
    };
}

std::vector<Case> models()
{
    using namespace onnx;
    const auto withNode = [](const std::string &nodes, const std::string &more = {},
                             const Sizes &x = {1, 4, 4, 4}) {
        return onnx::model(nodes + more + onnx::input("x", x) + output("y"));
    };
    const auto shaped = [&](const char *op, const Sizes &sizes, const std::string &attributes = {}) {
        return withNode(node(op, {"x", "s"}, {"y"}, attributes), weight("s", sizes));
    };
    std::string chain, wide, calls, deep;
    for (int i = 0; i < 20'000; ++i)
        chain += node("Relu", {i == 0 ? "x" : "v" + std::to_string(i)},
                      {i == 19'999 ? "y" : "v" + std::to_string(i + 1)});
    for (int i = 0; i < 60; ++i) { // each calls the one before twice
        const std::string before = i == 0 ? "Relu" : "f" + std::to_string(i - 1), domain = i == 0 ? "" : "d";
        calls += field(25, field(1, "f" + std::to_string(i)) + field(4, "a") + field(5, "c")
                               + node(before, {"a"}, {"b"}, {}, domain, 7)
                               + node(before, {"b"}, {"c"}, {}, domain, 7)
                               + field(9, field(2, std::int64_t{18})) + field(10, "d"));
    }
    for (int i = 0; i < 200; ++i)
        deep =
            node("If", {"x"}, {"y"}, graphAttribute("then_branch", deep) + graphAttribute("else_branch", {}));
    for (int i = 0; i < 200'000; ++i)
        wide += field(1, std::string_view());
    const std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();
    std::vector<Case> all{
        {"Split without results", ::model(withNode(node("Split", {"x"}, {})))},
        {"Split with parts that wrap",
         ::model(withNode(node("Split", {"x", "s"}, {"y", "z", "w"}), weight("s", {most, most, 3})))},
        {"DepthToSpace with a block of 2^32",
         ::model(withNode(node("DepthToSpace", {"x"}, {"y"}, integer("blocksize", std::int64_t{1} << 32))))},
        {"DepthToSpace with a block of 2^31",
         ::model(withNode(node("DepthToSpace", {"x"}, {"y"}, integer("blocksize", std::int64_t{1} << 31))))},
        {"SpaceToDepth with a block of 2^40 and an empty image",
         ::model(withNode(node("SpaceToDepth", {"x"}, {"y"}, integer("blocksize", std::int64_t{1} << 40)), {},
                          {1, 4, 0, 0}))},
        {"Expand to exabytes", ::model(shaped("Expand", {most, most, most, most}))},
        {"Expand to 10^6 dimensions", ::model(shaped("Expand", Sizes(1'000'000, 1)))},
        {"Reshape to 10^6 dimensions", ::model(shaped("Reshape", Sizes(1'000'000, 1)))},
        {"Tile by 2^62", ::model(shaped("Tile", {1, 1, std::int64_t{1} << 62, 4}))},
        {"Pad by 2^62", ::model(shaped("Pad", {0, 0, 0, 0, most, most, 0, 0}))},
        {"CenterCropPad to less than nothing", ::model(shaped("CenterCropPad", {least, most, 4, 4}))},
        {"ConstantOfShape of exabytes",
         ::model(withNode(node("ConstantOfShape", {"s"}, {"y"}), weight("s", {most, 8})))},
        {"ConstantOfShape whose sizes wrap",
         ::model(withNode(node("ConstantOfShape", {"s"}, {"y"}),
                          weight("s", {std::int64_t{1} << 32, std::int64_t{1} << 32})))},
        {"Range without end",
         ::model(withNode(node("Range", {"a", "b", "c"}, {"y"}),
                          weight("a", {least}) + weight("b", {most}) + weight("c", {1})))},
        {"EyeLike with a diagonal at the end",
         ::model(withNode(node("EyeLike", {"x"}, {"y"}, integer("k", most)), {}, {4, 4}))},
        {"STFT with a window that is a number",
         ::model(withNode(node("STFT", {"x", "s", "w"}, {"y"}),
                          weight("s", {1}) + field(5, tensor("w", {}, Float, std::string(4, '\0'))),
                          {1, 8, 1}))},
        {"MelWeightMatrix of many bands",
         ::model(withNode(node("MelWeightMatrix", {"a", "a", "a", "a", "a"}, {"y"}), weight("a", {most})))},
        {"ConvTranspose whose output shape is short",
         ::model(withNode(node("ConvTranspose", {"x", "w"}, {"y"}, integers("output_shape", {5})),
                          field(5, tensor("w", {4, 1, 3, 3}, Float, std::string(144, '\0')))))},
        {"MaxPool with a huge stride", ::model(withNode(node("MaxPool", {"x"}, {"y"},
                                                             integers("kernel_shape", {most, most})
                                                                 + integers("strides", {most, least}))))},
        {"MaxUnpool with a huge stride",
         ::model(withNode(node("MaxUnpool", {"x", "x"}, {"y"},
                               integers("kernel_shape", {2, 2}) + integers("strides", {most, most}))))},
        {"Conv with groups of 0",
         ::model(withNode(node("Conv", {"x", "w"}, {"y"}, integer("group", 0)),
                          field(5, tensor("w", {4, 1, 3, 3}, Float, std::string(144, '\0')))))},
        {"Transpose twice the same",
         ::model(withNode(node("Transpose", {"x"}, {"y"}, integers("perm", {0, 0, 9, -1}))))},
        {"Concat of nothing", ::model(withNode(node("Concat", {}, {"y"}, integer("axis", 0))))},
        {"Slice with a step of 0",
         ::model(withNode(node("Slice", {"x", "a", "b", "c", "d"}, {"y"}),
                          weight("a", {0}) + weight("b", {most}) + weight("c", {0}) + weight("d", {0})))},
        {"a chain of 20,000 nodes", ::model(onnx::model(chain + onnx::input("x", {4}) + output("y")))},
        {"functions that call each other twice, 60 deep",
         ::model(
             onnx::model(node("f59", {"x"}, {"y"}, {}, "d") + onnx::input("x", {4}) + output("y"), calls))},
        {"branches 200 deep", ::model(withNode(deep))},
        {"200,000 empty nodes", ::model(onnx::model(wide + output("y")))},
        {"a loop of a million turns",
         ::model(
             withNode(node("Loop", {"n", "", "x"}, {"y"},
                           graphAttribute("body", node("Identity", {"c"}, {"d"}) + node("Relu", {"v"}, {"w"})
                                                      + onnx::input("i", {}, Int64) + onnx::input("c", {}, 9)
                                                      + onnx::input("v", {4}) + output("d") + output("w"))),
                      weight("n", {1'000'000}), {4}))},
        {"a weight of more than it holds",
         ::model(
             withNode(node("Relu", {"x"}, {"y"}), field(5, tensor("w", {1 << 20, 1 << 10}, Float, "abcd"))))},
        {"a weight of 10^5 dimensions",
         ::model(
             withNode(node("Relu", {"x"}, {"y"}), field(5, tensor("w", Sizes(100'000, 1), Float, "abcd"))))},
        {"an empty weight with sizes that wrap",
         ::model(withNode(node("Flatten", {"w"}, {"y"}),
                          field(5, tensor("w", {0, most, most, most}, Float, {}))))},
        {"an input of 10^5 dimensions", ::model(withNode(node("Relu", {"x"}, {"y"}), {}, Sizes(100'000, 1)))},
        {"an input of exabytes",
         ::model(withNode(node("Relu", {"x"}, {"y"}), {}, {most, most}), {"run-model"})},
        {"a model that needs much memory",
         ::model(withNode(node("Exp", {"x"}, {"v"}) + node("ReduceSum", {"v"}, {"y"}), {}, {2'000'000'000}),
                 {"run-model"})},
        {"text for a model", ::model("not a model at all")},
        {"an empty file for a model", ::model({})},
        {"a zero file for a model", ::model(std::string(1'000'000, '\0'))},
    };
    const std::pair<const char *, std::vector<std::pair<std::string, std::string>>> places[] = {
        {"a device", {{"location", "/dev/zero"}}},
        {"the folder above", {{"location", "../outside.bin"}}},
        {"a link", {{"location", "link.bin"}}},
        {"a linked folder", {{"location", "linked/outside.bin"}}},
        {"a FIFO", {{"location", "fifo"}}},
        {"a folder", {{"location", "folder"}}},
        {"nothing", {{"location", ""}}},
        {"an offset beyond the end", {{"location", "data.bin"}, {"offset", "9223372036854775807"}}},
        {"a length that is another", {{"location", "data.bin"}, {"length", "17"}}},
        {"an offset below 0", {{"location", "data.bin"}, {"offset", "-1"}}},
    };
    for (const auto &[what, settings] : places) {
        const std::string text =
            withNode(node("Add", {"x", "w"}, {"y"}), externalWeight("w", {4}, settings), {4});
        all.push_back({QString("external data: ") + what, [=](const NestcRunner &nestc) {
                           const QString folder = nestc.file("model");
                           QDir().mkpath(folder + "/folder");
                           nestc.write("outside.bin", QByteArray(16, '\0'));
                           nestc.write("model/data.bin", QByteArray(16, '\0'));
                           QFile::link(nestc.file("outside.bin"), folder + "/link.bin");
                           QFile::link(nestc.file(""), folder + "/linked");
                           mkfifo(qPrintable(folder + "/fifo"), 0600);
                           return QStringList{"graph", nestc.write("model/model.onnx", bytes(text))};
                       }});
    }
    all.push_back({"external data that are not there, of exabytes", [=](const NestcRunner &nestc) {
                       nestc.write("data.bin", "few");
                       const std::string text =
                           withNode(node("Add", {"x", "w"}, {"y"}),
                                    externalWeight("w", {2'000'000'000}, {{"location", "data.bin"}}), {4});
                       return QStringList{"graph", nestc.write("model.onnx", bytes(text))};
                   }});
    return all;
}

std::vector<Case> arrays()
{
    const auto header = [](const char *descr, const char *shape) {
        return QByteArray("{'descr': '") + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    };
    return {
        {"npy whose shape wraps to nothing", npy(header("<f4", "(4294967296, 4294967296)"))},
        {"npy whose shape wraps to its data",
         npy(header("<f4", "(4611686018427387905, 4)"), QByteArray(16, '\0'))},
        {"npy of 2^62 elements", npy(header("<f4", "(4611686018427387904,)"))},
        {"npy of a size that is too long", npy(header("<f4", "(99999999999999999999999999,)"))},
        {"npy of a size below 0", npy(header("<f4", "(-4, -4)"), QByteArray(64, '\0'))},
        {"npy of 10^4 dimensions",
         npy(header("<f4", "(" + QByteArray("1,").repeated(10'000) + ")"), QByteArray(4, '\0'))},
        {"npy that is empty with sizes that wrap",
         npy(header("<f4", "(0, 9223372036854775807, 9223372036854775807)"))},
        {"npy without a shape", npy("{'descr': '<f4', 'fortran_order': False}")},
        {"npy without anything", npy("")},
        {"npy with keys and nothing behind them", npy("'descr':'shape':'fortran_order':")},
        {"npy whose shape is never closed", npy(header("<f4", "(2, 2"), QByteArray(16, '\0'))},
        {"npy of objects", npy(header("|O", "(2, 2)"), QByteArray(16, '\0'))},
        {"npy with a long header", npy(QByteArray(1'000'000, ' '), {}, true)},
        {"npy whose header is longer than it",
         [](const NestcRunner &nestc) {
             return QStringList{
                 "run", "op:matmul(M=2,N=2,K=2)", "--in",
                 "A=" + nestc.write("a.npy", QByteArray("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12))};
         }},
        {"npy that is cut off", npy(header("<f4", "(2, 2)"), QByteArray(15, '\0'))},
        {"npy that is too long", npy(header("<f4", "(2, 2)"), QByteArray(17, '\0'))},
        {"npy that is column-major",
         npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", QByteArray(16, '\0'))},
        {"npy that does not fit a size of n * 2",
         [](const NestcRunner &nestc) {
             const QString kernel =
                 nestc.write("kernel.py", "from tvm.script import tir as T\n@T.prim_func\n"
                                          "def main(a: T.handle, b: T.handle):\n    n = T.int32()\n"
                                          "    A = T.match_buffer(a, (n,))\n"
                                          "    B = T.match_buffer(b, (n * 2,))\n"
                                          "    for i in range(n * 2):\n        B[i] = A[i // 2]\n");
             const auto floats = [&](const char *name, int count) {
                 QByteArray head = QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (")
                                   + QByteArray::number(count) + ",), }";
                 QByteArray file("\x93NUMPY\x01\x00", 8);
                 file += static_cast<char>(head.size());
                 file += '\0';
                 return nestc.write(name, file + head + QByteArray(4 * count, '\0'));
             };
             return QStringList{
                 "run", kernel, "--in", "A=" + floats("a.npy", 1'000'000), "--in", "B=" + floats("b.npy", 3)};
         }},
        {"pb that is none",
         [](const NestcRunner &nestc) {
             const std::string model =
                 onnx::model(onnx::node("Relu", {"x"}, {"y"}) + onnx::input("x", {4}) + onnx::output("y"));
             return QStringList{"run-model", nestc.write("model.onnx", bytes(model)), "--in",
                                "x=" + nestc.write("x.pb", QByteArray(1000, '\xff'))};
         }},
        {"pb with data in another file",
         [](const NestcRunner &nestc) {
             const std::string model =
                 onnx::model(onnx::node("Relu", {"x"}, {"y"}) + onnx::input("x", {4}) + onnx::output("y"));
             const std::string tensor =
                 onnx::tensor("x", {4}, onnx::Float, {}) + onnx::field(14, std::int64_t{1})
                 + onnx::field(13, onnx::field(1, "location") + onnx::field(2, "/etc/hostname"));
             return QStringList{"run-model", nestc.write("model.onnx", bytes(model)), "--in",
                                "x=" + nestc.write("x.pb", bytes(tensor))};
         }},
        {"4-bit integers that are none",
         [](const NestcRunner &nestc) {
             const std::string model =
                 onnx::model(onnx::node("Cast", {"x"}, {"y"}, onnx::integer("to", 1))
                                 + onnx::input("x", {4}, onnx::Int4) + onnx::output("y"),
                             {}, 21);
             return QStringList{"run-model", nestc.write("model.onnx", bytes(model)), "--in",
                                "x="
                                    + nestc.write("x.pb", bytes(onnx::tensor("x", {4}, onnx::Int8,
                                                                             std::string("\1\2\11\4", 4))))};
         }},
    };
}

std::vector<Case> values()
{
    const QString long_ = QString(100'000, 'x'), deep = QString(10'000, '(');
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
        {"operator with a long name", command({"print", "op:" + long_})},
        {"operator that is never closed", command({"print", "op:matmul(M=" + long_})},
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
         command({"source", "op:matmul(M=2,N=2,K=2)", "--target", "llvm -mcpu=" + long_})},
        {"target that is none",
         command({"source", "op:matmul(M=2,N=2,K=2)", "--target", "llvm -mtriple=" + long_})},
        {"processor that is none", command({"source", "op:matmul(M=2,N=2,K=2)", "--mcpu", "nonsense"})},
        {"time-out that is too long",
         command({"run", "op:matmul(M=2,N=2,K=2)", "--timeout", "99999999999999999999"})},
        {"size of a model that is none",
         command({"graph", NestcRunner::example("models/transformer_encoder.onnx"), "--size", "n=-1"})},
        {"kernel of a model that is none",
         command({"print", NestcRunner::example("models/transformer_encoder.onnx") + "#" + long_})},
        {"dialect that is none", command({"print", "op:matmul(M=2,N=2,K=2)", "--dialect", long_})},
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

/// What the small files of tests/hostile are given to, by the ending of their names.
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
        for (const auto &group :
             {scripts(), functions(), json(), schedules(), models(), arrays(), values(), places(), kept()})
            m_cases.insert(m_cases.end(), group.begin(), group.end());
    }

    void isRefusedOrRead_data()
    {
        QTest::addColumn<int>("number");
        for (std::size_t i = 0; i < m_cases.size(); ++i)
            QTest::newRow(qPrintable(m_cases[i].name)) << static_cast<int>(i);
    }
    void isRefusedOrRead()
    {
        QFETCH(int, number);
        NestcRunner nestc;
        nestc.process().setChildProcessModifier(limitResources);
        QElapsedTimer clock;
        const QStringList arguments = m_cases[static_cast<std::size_t>(number)].arguments(nestc);
        clock.start();
        const auto outcome = nestc.run(arguments, {}, mostMilliseconds);
        const QString told = QString("status %1 after %2 ms\n%3")
                                 .arg(outcome.status)
                                 .arg(clock.elapsed())
                                 .arg(outcome.err.left(2000));
        QVERIFY2(outcome.status >= 0 && outcome.status <= 2, qPrintable(told));
        for (const char *word : {"bug in nestc", "internal error", "std::", "json.exception", "terminate"})
            QVERIFY2(!outcome.err.contains(word), qPrintable(told));
        if (outcome.status == 0)
            return;
        int sentences = 0;
        for (const QString &line : outcome.err.split('\n', Qt::SkipEmptyParts))
            sentences +=
                line.startsWith("  ") || line.contains("note: ") || line.startsWith("Run with --help") ? 0
                                                                                                       : 1;
        QVERIFY2(sentences == 1, qPrintable(told));
        QVERIFY2(outcome.err.size() < 4000, qPrintable(told));
    }

    /// Where there is no folder for temporary files, what needs one says so, and the rest works.
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
