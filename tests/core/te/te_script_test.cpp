// SPDX-License-Identifier: Apache-2.0
#include "core/te/te_script.h"

#include "core/analysis/complete_regions.h"
#include "core/analysis/verify.h"
#include "core/ir/equality.h"
#include "core/script/printer.h"
#include "core/script/tvmscript_parser.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

const std::string imports = "import tvm\nfrom tvm import te, tir\n";

/// What the script's kernel is, or what went wrong.
std::string printed(std::string_view text)
{
    const auto script = te::readTeScript(text, "k.py");
    return script ? script::print(script->module).text : script.error().render();
}

/// Whether the script reads as `expected`, which is TVMScript or another TE script.
void compareWith(std::string_view text, std::string_view expected)
{
    const auto script = te::readTeScript(text, "k.py");
    QVERIFY2(script, script ? "" : script.error().render().c_str());
    const auto formed = analysis::verify(script->module, analysis::Level::Block);
    QVERIFY2(formed, formed ? "" : formed.error().render().c_str());
    ir::Module other;
    if (te::looksLikeTeScript(expected)) {
        const auto second = te::readTeScript(expected, "expected.py");
        QVERIFY2(second, second ? "" : second.error().render().c_str());
        other = second->module;
    } else {
        const auto parsed = script::parseTvmScript(expected, "expected.py");
        QVERIFY2(parsed, parsed ? "" : parsed.error().render().c_str());
        other = analysis::completeRegions(*parsed);
    }
    const auto difference = ir::firstDifference(script->module, other);
    QVERIFY2(!difference,
             difference ? (*difference + "\n" + script::print(script->module).text).c_str() : "");
}

const char *const matmulScript = R"(import tvm
from tvm import te
A = te.placeholder((64, 32), name="A")
B = te.placeholder((32, 16), name="B")
k = te.reduce_axis((0, 32), name="k")
C = te.compute((64, 16), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
func = te.create_prim_func([A, B, C])
)";

class TeScriptTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matmul()
    {
        compareWith(matmulScript, R"(
@T.prim_func
def main(A: T.Buffer((64, 32), "float32"), B: T.Buffer((32, 16), "float32"), C: T.Buffer((64, 16), "float32")):
    T.func_attr({"tir.noalias": T.bool(True), "global_symbol": "main"})
    for i, j, k in T.grid(64, 16, 32):
        with T.block("C"):
            v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
            T.reads(A[v_i, v_k], B[v_k, v_j])
            T.writes(C[v_i, v_j])
            with T.init():
                C[v_i, v_j] = T.float32(0)
            C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]
)");
    }

    /// Ways of writing the same kernel.
    void sameKernel_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("a function with parameters and a default") << R"(import tvm
from tvm import te
def matmul(N, L, M, dtype="float32"):
    A = te.placeholder((N, L), name="A", dtype=dtype)
    B = te.placeholder((L, M), name="B", dtype=dtype)
    k = te.reduce_axis((0, L), name="k")
    C = te.compute((N, M), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    return te.create_prim_func([A, B, C])
func = matmul(64, 32, M=16)
)";
        QTest::newRow("a function that is never called but needs nothing") << R"(from tvm import te
def matmul(N=64, L=32, M=16):
    A = te.placeholder((N, L), name="A")
    B = te.placeholder((L, M), name="B")
    k = te.reduce_axis((0, L), name="k")
    C = te.compute((N, M), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    return [A, B, C]
)";
        QTest::newRow("tensors only") << R"(import tvm.te as te
shape = [64, 16]
A = te.placeholder((shape[0], shape[1] * 2), name="A")
B = te.placeholder((2**5, 16), name="B")
k = te.reduce_axis((0, B.shape[0]), name="k")
C = te.compute(
    shape,
    lambda i, j: te.sum(
        A[i, k]
        * B[k][j],
        axis=[k],
    ),
    name="C",
)
)";
        QTest::newRow("lowered by a legacy schedule without steps") << R"(import tvm
A = tvm.placeholder((64, 32), name="A")
B = tvm.placeholder((32, 16), name="B")
k = tvm.reduce_axis((0, 32), name="k")
C = tvm.compute((64, 16), lambda i, j: tvm.sum(A(i, k) * B(k, j), axis=k), name="C")
s = tvm.create_schedule(C.op)
print(tvm.lower(s, [A, B, C], simple_mode=True))
)";
        QTest::newRow("a registered workload of the auto-scheduler") << R"(import tvm
from tvm import te, auto_scheduler
@auto_scheduler.register_workload
def matmul(N, L, M, dtype):
    A = te.placeholder((N, L), name="A", dtype=dtype)
    B = te.placeholder((L, M), name="B", dtype=dtype)
    k = te.reduce_axis((0, L), name="k")
    C = te.compute((N, M), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C",
                   attrs={"layout_free_placeholders": [B]})
    return [A, B, C]
target = tvm.target.Target("llvm")
task = tvm.auto_scheduler.SearchTask(func=matmul, args=(64, 32, 16, "float32"), target=target)
log_file = "matmul.json"
tune_option = auto_scheduler.TuningOptions(num_measure_trials=10, verbose=2)
task.tune(tune_option)
)";
        QTest::newRow("names, loops, branches and comprehensions") << R"(from tvm import te
sizes = {"n": 64, "k": 32}
dims = [d // 2 for d in (128, 32)]
if len(dims) == 2 and "n" in sizes:
    N, M = dims
else:
    raise ValueError("no")
tensors = []
for name, shape in [("A", (N, sizes["k"])), ("B", (sizes["k"], M))]:
    tensors.append(te.placeholder(shape, name=f"{name}"))
A, B = tensors
k = te.reduce_axis((0, 32), name="k")
def product(i, j, scale=1):
    def at(x, y):
        return A[x, k] * B[k, y]
    return te.sum(at(i, j), axis=k)
C = te.compute((N, M), product, name="C")
func = te.create_prim_func([*tensors, C])
mod = tvm.IRModule({"mmult": func}) if False else func
)";
    }
    void sameKernel()
    {
        QFETCH(QString, text);
        compareWith(text.toStdString(), matmulScript);
    }

    void conditionsCastsAndIntrinsics()
    {
        compareWith(imports + R"(
n = te.var("n")
A = te.placeholder((n,), name="A")
I = te.placeholder((n,), dtype="int32", name="I")
B = te.compute((n,), lambda i: te.if_then_else(tir.any(i == 0, I[i] % 3 > 1), te.exp(-A[i]), te.power(A[i], 2)), name="B")
C = te.compute((n,), lambda i: tir.Select(B[i] > 0, te.sqrt(B[i]), tir.const(1, "float32")) + I[i].astype("float32") / 2, name="C")
func = te.create_prim_func([A, I, C])
)",
                    R"(
@T.prim_func
def main(a: T.handle, i: T.handle, c: T.handle):
    T.func_attr({"tir.noalias": T.bool(True), "global_symbol": "main"})
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    I = T.match_buffer(i, (n,), "int32")
    C = T.match_buffer(c, (n,), "float32")
    B = T.alloc_buffer((n,), "float32")
    for i in range(n):
        with T.block("B"):
            v_i = T.axis.spatial(n, i)
            T.reads(I[v_i], A[v_i])
            T.writes(B[v_i])
            B[v_i] = T.if_then_else(v_i == 0 or 1 < I[v_i] % 3, T.exp(T.float32(0) - A[v_i]), T.pow(A[v_i], T.float32(2)))
    for i in range(n):
        with T.block("C"):
            v_i = T.axis.spatial(n, i)
            T.reads(B[v_i], I[v_i])
            T.writes(C[v_i])
            C[v_i] = T.Select(T.float32(0) < B[v_i], T.sqrt(B[v_i]), T.float32(1)) + T.Cast("float32", I[v_i]) / T.float32(2)
)");
    }

    void argmaxOfAReducerOfOnesOwn()
    {
        const auto script = te::readTeScript(imports + R"(
def fcombine(x, y):
    lhs = tvm.tir.Select((x[1] >= y[1]), x[0], y[0])
    rhs = tvm.tir.Select((x[1] >= y[1]), x[1], y[1])
    return lhs, rhs
def fidentity(t0, t1):
    return tvm.tir.const(-1, t0), tvm.te.min_value(t1)
argmax = te.comm_reducer(fcombine, fidentity, name="argmax")
m = te.var("m")
n = te.var("n")
idx = te.placeholder((m, n), name="idx", dtype="int32")
val = te.placeholder((m, n), name="val", dtype="int32")
k = te.reduce_axis((0, n), "k")
T0, T1 = te.compute((m,), lambda i: argmax((idx[i, k], val[i, k]), axis=k), name="T")
s = te.create_schedule(T0.op)
print(tvm.lower(s, [idx, val, T0, T1], simple_mode=True))
)",
                                             "k.py");
        QVERIFY2(script, script ? "" : script.error().render().c_str());
        const std::string text = script::print(script->module).text;
        for (const char *part :
             {"T_v0[v_i] = -1", "T_v1[v_i] = -2147483648", "T.Select(T_v1[v_i] >= val[v_i, v_k]"})
            QVERIFY2(text.contains(part), text.c_str());
        QVERIFY(script->schedules.empty());
    }

    void theLastOfSeveralKernelsCounts()
    {
        const auto script = te::readTeScript(imports + R"(
A = te.placeholder((8,), name="A")
first = te.create_prim_func([A, te.compute((8,), lambda i: A[i] + 1, name="B")])
second = te.create_prim_func([A, te.compute((8,), lambda i: A[i] + 2, name="C")])
)",
                                             "k.py");
        QVERIFY(script);
        QVERIFY(script::print(script->module).text.contains("T.block(\"C\")"));
        QCOMPARE(script->notes.back().code, "te.several-kernels");
    }

    void namesThatAreNotKnownAreLeftToTheReader()
    {
        const auto script = te::readTeScript(imports
                                                 + "import os\nA = te.placeholder((8,), name=os.name)\n"
                                                   "B = te.compute((8,), lambda i: A[i] + 1, name=\"B\")\n",
                                             "k.py");
        QVERIFY2(script, script ? "" : script.error().render().c_str());
        const auto wrong = te::readTeScript(imports + "A = te.placeholder((8,), name=4)\n", "k.py");
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().code, "te.argument");
    }

    void aSearchTaskMakesTheKernelOfItsWorkload()
    {
        const auto script =
            te::readTeScript(imports
                                 + "from tvm import auto_scheduler\n"
                                   "def twice(n):\n"
                                   "    A = te.placeholder((n,), name=\"A\")\n"
                                   "    B = te.compute((n,), lambda i: A[i] * 2, name=\"B\")\n"
                                   "    return [A, B]\n"
                                   "task = auto_scheduler.SearchTask(func=twice, args=(24,))\n",
                             "k.py");
        QVERIFY2(script, script ? "" : script.error().render().c_str());
        QVERIFY(script::print(script->module).text.contains("range(24)"));
    }

    void plainValuesAreCompared()
    {
        const auto script = te::readTeScript(imports
                                                 + "n = 0\n"
                                                   "n += 1 if None == None else 100\n"
                                                   "n += 2 if \"a\" != \"b\" else 100\n"
                                                   "n += 4 if [1, 2] == [1, 2] else 100\n"
                                                   "n += 8 if (1,) != (1,) else 16\n"
                                                   "A = te.placeholder((n,), name=\"A\")\n"
                                                   "B = te.compute((n,), lambda i: A[i] * 2, name=\"B\")\n",
                                             "k.py");
        QVERIFY2(script, script ? "" : script.error().render().c_str());
        QVERIFY(script::print(script->module).text.contains("range(23)"));
    }

    void callsOfExternsKeepTheirKind()
    {
        const auto text = [](const char *function) {
            const auto script = te::readTeScript(
                imports + "A = te.placeholder((8,), name=\"A\")\nB = te.compute((8,), lambda i: tvm.tir."
                    + function + "(\"float32\", \"expf\", A[i]), name=\"B\")\n",
                "k.py");
            return script ? script::print(script->module).text : script.error().render();
        };
        QVERIFY(text("call_pure_extern").contains("T.call_pure_extern(\"float32\", \"expf\", A[v_i])"));
        QVERIFY(text("call_extern").contains("T.call_extern(\"float32\", \"expf\", A[v_i])"));
    }

    /// A combiner that gives integers takes the type of what it combines.
    void combinersTakeTheTypeOfTheElements()
    {
        const auto script = te::readTeScript(
            imports
                + "count = te.comm_reducer(lambda x, y: tvm.tir.if_then_else(x > y, 1, 0), "
                  "lambda t: tvm.tir.const(0, \"int32\"), name=\"count\")\n"
                  "A = te.placeholder((8, 4), name=\"A\")\nk = te.reduce_axis((0, 4), \"k\")\n"
                  "B = te.compute((8,), lambda i: count(A[i, k], axis=k), name=\"B\")\n",
            "k.py");
        QVERIFY2(script, script ? "" : script.error().render().c_str());
        const std::string text = script::print(script->module).text;
        QVERIFY2(text.contains("T.Cast(\"float32\", T.if_then_else("), text.c_str());
        QVERIFY2(text.contains("B[v_i] = T.float32(0.0)"), text.c_str());
        // What fits already stays as it is.
        const auto fits = te::readTeScript(
            imports
                + "largest = te.comm_reducer(lambda x, y: te.max(x, y), lambda t: te.min_value(t), "
                  "name=\"m\")\n"
                  "A = te.placeholder((8, 4), name=\"A\")\nk = te.reduce_axis((0, 4), \"k\")\n"
                  "B = te.compute((8,), lambda i: largest(A[i, k], axis=k), name=\"B\")\n",
            "k.py");
        QVERIFY(fits && !script::print(fits->module).text.contains("Cast"));
    }

    void schedulesInTheFileOfAKernel()
    {
        const std::string kernel = imports
                                   + "A = te.placeholder((8,), name=\"A\")\n"
                                     "B = te.compute((8,), lambda i: A[i] * 2, name=\"B\")\n"
                                     "f = te.create_prim_func([A, B])\n";
        const auto steps = [&](const std::string &lines) -> std::string {
            const auto script = te::readTeScript(kernel + lines, "k.py");
            if (!script)
                return script.error().render();
            return script->schedules.empty() ? "none" : script->schedules.back().script();
        };
        // The last line needs no end of its own; other objects that are called so are no schedules.
        QVERIFY(
            steps(
                "from tvm.tir import Schedule\nsch = Schedule(f)\nsch.split(sch.get_loops(\"B\")[0], [2, 4])")
                .ends_with("[2, 4])\n"));
        QVERIFY(
            steps("sch = tvm.tir.Schedule(f)\nsch.parallel(sch.get_loops(\"B\")[0])\n").contains("parallel"));
        QCOMPARE(steps("sch = tvm.runtime.Scheduler(f)\nsch.parallel(1)\n"), std::string("none"));

        const auto several = te::readTeScript(kernel
                                                  + "n = 4\n"
                                                    "one = tvm.tir.Schedule(f)\n"
                                                    "two = tvm.tir.Schedule(f)\n"
                                                    "i, = one.get_loops(\"B\")\n"
                                                    "j, = two.get_loops(\"B\")\n"
                                                    "one.split(i, [n, None])\n"
                                                    "two.parallel(j)\n"
                                                    "two = tvm.tir.Schedule(one.mod)\n"
                                                    "two.unroll(two.get_loops(\"B\")[1])\n",
                                              "k.py");
        QVERIFY(several);
        QCOMPARE(several->schedules.size(), 3U);
        const auto isIn = [&](std::size_t i, const char *part) {
            return several->schedules[i].script().contains(part);
        };
        QCOMPARE(several->schedules[0].name, std::string("one"));
        QVERIFY(isIn(0, "one.split") && isIn(0, "n = 4") && !isIn(0, "two."));
        QCOMPARE(several->schedules[1].name, std::string("two (line 8)"));
        QVERIFY(isIn(1, "two.parallel") && !isIn(1, "one.split"));
        // What goes on from another schedule's module has its steps.
        QVERIFY(isIn(2, "one.split") && isIn(2, "two.unroll") && !isIn(2, "two.parallel"));
    }

    void linesThatOnlyRunThingsAreNoted()
    {
        const auto script = te::readTeScript(R"(import tvm
import numpy as np
from tvm import te
from tvm.contrib import utils
n = 128
A = te.placeholder((n,), name="A")
B = te.compute(A.shape, lambda i: A[i] * 2.0, name="B")
func = te.create_prim_func([A, B])
dev = tvm.cpu(0)
a = tvm.nd.array(np.random.uniform(size=n).astype(A.dtype), dev)
with tvm.transform.PassContext(opt_level=3):
    lib = tvm.build(func, target="llvm")
evaluator = lib.time_evaluator(lib.entry_name, dev, number=10)
if evaluator(a, a).mean > 1:
    print("slow")
for i in np.arange(3):
    result = i
assert result.shape == (n,)
temp = utils.tempdir()
)",
                                             "k.py");
        QVERIFY2(script, script ? "" : script.error().render().c_str());
        std::vector<int> lines;
        for (const support::Diagnostic &note : script->notes) {
            QCOMPARE(note.code, "te.skipped-line");
            lines.push_back(note.locations.at(0).line);
        }
        QCOMPARE(lines, (std::vector<int>{9, 10, 12, 13, 14, 16, 18, 19}));
    }

    void assertionsThatHoldAreSilent()
    {
        const auto script = te::readTeScript(R"(from tvm import te
n = te.var("n")
m = 16
A = te.placeholder((n, m), name="A")
assert m % 8 == 0 and A.shape[1] == 16, "m"
assert n > 0
assert unknown_check(A)
try:
    assert m == 17
except AssertionError:
    m = 8
B = te.compute((n, m), lambda i, j: A[i, j] + 1.0, name="B")
)",
                                             "k.py");
        QVERIFY2(script, script ? "" : script.error().render().c_str());
        QStringList notes;
        for (const support::Diagnostic &note : script->notes)
            notes << QString("%1: %2").arg(note.locations.at(0).line).arg(QString::fromStdString(note.code));
        QCOMPARE(notes.join(", "), QString("6: te.skipped-line, 7: te.skipped-line, 9: te.caught"));
        QVERIFY(script::print(script->module).text.contains("T.grid(n, 8)"));
    }

    void errorsNameTheirPlace_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("line"); // of the body, from 1
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("part"); // of the message or hint
        const auto row = [](const char *name, const char *body, const char *code, int line, int column,
                            const char *part) {
            QTest::newRow(name) << body << code << line << column << part;
        };
        const char *two = "A = te.placeholder((8, 4), name=\"A\")\n";
        row("syntax", "A = te.placeholder((8,)", "script.syntax", 1, 19, "");
        row("unknown name", "A = te.placeholder((n,), name=\"A\")", "te.unknown-name", 1, 21, "\"n\"");
        row("near name", "size = 4\nA = te.placeholder((siez,))", "te.unknown-name", 2, 21, "'size'");
        row("unknown function", "A = te.placehold((8,))", "te.unknown-name", 1, 5, "'placeholder'");
        row("unknown argument", "A = te.placeholder((8,), nane=\"A\")", "te.argument", 1, 31, "'name'");
        row("bad type", "A = te.placeholder((8,), dtype=\"float31\")", "te.argument", 1, 32, "float31");
        row("size of zero", "A = te.placeholder((8, 0), name=\"A\")", "te.bad-shape", 1, 5, "size 0");
        row("broken size", "A = te.placeholder((7 / 2,), name=\"A\")", "te.argument", 1, 20, "whole numbers");
        row("empty reduce axis", "k = te.reduce_axis((4, 4), \"k\")", "te.bad-shape", 1, 20, "0 elements");
        row("too few indices", (std::string(two) + "B = te.compute((8,), lambda i: A[i])").c_str(),
            "te.index-count", 2, 32, "2 dimensions");
        row("too many indices", (std::string(two) + "B = te.compute((8,),\n  lambda i: A[i, i, i])").c_str(),
            "te.index-count", 3, 13, "read with 3 indices");
        row("lambda of another rank",
            (std::string(two) + "B = te.compute((8, 4), lambda i: A[i, 0])").c_str(), "te.index-count", 2, 24,
            "2 dimensions, but the function takes 1 index");
        row("index out of bounds",
            (std::string(two) + "B = te.compute((8, 4), lambda i, j: A[i, j] +\n  A[j, i])").c_str(),
            "te.out-of-bounds", 3, 3, "runs from 0 to 7, but that dimension has 4 elements");
        row("constant index out of bounds",
            (std::string(two) + "B = te.compute((8,), lambda i: A[i, 4])").c_str(), "te.out-of-bounds", 2, 32,
            "is 4");
        row("reduce axis too long",
            (std::string(two)
             + "k = te.reduce_axis((0, 5), \"k\")\nB = te.compute((8,), lambda i: te.sum(A[i, k], axis=k))")
                .c_str(),
            "te.out-of-bounds", 3, 39, "dimension has 4");
        row("index of a float", (std::string(two) + "B = te.compute((8,), lambda i: A[i, 0.5])").c_str(),
            "te.index-type", 2, 32, "float32");
        row("axis that is none",
            (std::string(two) + "B = te.compute((8,), lambda i: te.sum(A[i, 0], axis=[i]))").c_str(),
            "te.not-reduce-axis", 2, 53, "te.reduce_axis");
        row("reduction inside a sum",
            (std::string(two)
             + "k = te.reduce_axis((0, 4), \"k\")\nB = te.compute((8,), lambda i: te.sum(A[i, k], axis=k) + "
               "1)")
                .c_str(),
            "te.nested-reduction", 3, 32, "whole body");
        row("exp of an integer",
            "I = te.placeholder((8,), \"int32\")\nB = te.compute((8,), lambda i: te.exp(I[i]))",
            "te.float-needed", 2, 32, "int32");
        row("floor division of floats",
            (std::string(two) + "B = te.compute((8,), lambda i: A[i, 0] // 2)").c_str(), "te.type-mismatch",
            2, 32, "float32");
        row("division of integers",
            "I = te.placeholder((8,), \"int32\")\nB = te.compute((8,), lambda i: I[i] / 2)",
            "te.ambiguous-division", 2, 32, "//");
        row("condition of elements",
            (std::string(two) + "B = te.compute((8,), lambda i: A[i, 0] if A[i, 0] > 0 else 0)").c_str(),
            "te.condition", 2, 43, "if_then_else");
        row("and of expressions",
            (std::string(two)
             + "B = te.compute((8,), lambda i: te.if_then_else(i > 1 and i < 3, A[i, 0], 0))")
                .c_str(),
            "te.condition", 2, 48, "te.all");
        row("chained comparison",
            (std::string(two) + "B = te.compute((8,), lambda i: te.if_then_else(1 < i < 3, A[i, 0], 0))")
                .c_str(),
            "te.condition", 2, 48, "te.all");
        row("condition that is no bool",
            (std::string(two) + "B = te.compute((8,), lambda i: te.if_then_else(i, A[i, 0], 0))").c_str(),
            "te.condition-type", 2, 32, "int32");
        row("nothing returned", (std::string(two) + "def f(i):\n  A[i, 0]\nB = te.compute((8,), f)").c_str(),
            "te.body-type", 4, 22, "return");
        row("value from a skipped line",
            "import numpy as np\nn = np.prod((2, 3))\nA = te.placeholder((n, 4))", "te.skipped-value", 3, 20,
            "numpy");
        row("not supported", (std::string(two) + "B = te.extern((8,), [A], lambda i, o: None)").c_str(),
            "te.unsupported", 2, 5, "te.extern");
        row("missing placeholder",
            (std::string(two)
             + "B = te.compute((8,), lambda i: A[i, 0], name=\"B\")\nf = te.create_prim_func([B])")
                .c_str(),
            "te.missing-argument", 3, 1, "\"A\"");
        row("tensor listed twice", (std::string(two) + "f = te.create_prim_func([A, A])").c_str(),
            "te.duplicate-argument", 2, 1, "\"A\"");
        row("number among the arguments", (std::string(two) + "f = te.create_prim_func([A, 4])").c_str(),
            "te.argument", 2, 25, "an int");
        row("no kernel", "x = 4", "te.no-kernel", -1, 1, "te.compute");
        row("function that needs sizes", "def f(n):\n  return te.placeholder((n,))", "te.no-kernel", 1, 1,
            "f(n)");
        row("endless loop", "while True:\n  pass", "te.too-long", 2, 3, "");
        row("endless recursion", "def f(n):\n  return f(n)\nf(1)", "te.too-deep", 2, 10, "");
        row("endless nesting", "f = lambda n: (0 + (0 + (0 + (0 + (0 + (0 + f(n)))))))\nf(1)", "te.too-deep",
            1, 45, "");
        row("sum of thousands of elements",
            (std::string(two)
             + "def f(i):\n  x = A[i, 0]\n  for n in range(1500):\n    x = x + A[i, 1]\n  return "
               "x\nB = te.compute((8,), f)")
                .c_str(),
            "te.too-deep", 7, 5, "reduce axis");
        row("value squared fifty times",
            (std::string(two)
             + "def f(i):\n  x = A[i, 0]\n  for n in range(50):\n    x = x * x + x\n  return "
               "x\nB = te.compute((8,), f)")
                .c_str(),
            "te.too-large", 7, 5, "tensor of its own");
        row("division by zero", "n = 4 // 0", "te.division-by-zero", 1, 5, "");
        row("wrong number of names", "a, b = (1, 2, 3)", "te.unpack", 1, 1, "3 values");
        row("argument of a function missing", "def f(n, m):\n  return n\nf(1)", "te.argument", 3, 1, "\"m\"");
        row("argument too many", "def f(n):\n  return n\nf(1, 2)", "te.argument", 3, 6, "");
        row("a raised error", "raise ValueError(\"x\")", "te.raise", 1, 1, "");
        row("an assertion that fails", "n = 16\nassert n == 17, \"n must be 17\"", "te.assertion", 2, 1,
            "\"n must be 17\"");
        row("an assertion without words", "assert False", "te.assertion", 1, 1, "does not hold");
        row("thread axis with an extent only", "t = te.thread_axis(3)", "te.argument", 1, 5, "threadIdx.x");
        row("thread axis of nothing", "t = te.thread_axis()", "te.argument", 1, 5, "threadIdx.x");
        row("reduce axis outside of a reduction",
            (std::string(two) + "k = te.reduce_axis((0, 4), \"k\")\nB = te.compute((8,), lambda i: A[i, k])")
                .c_str(),
            "te.foreign-axis", 3, 5, "axis=k");
        row("reduce axis that another one is reduced over",
            (std::string(two)
             + "k = te.reduce_axis((0, 4))\nl = te.reduce_axis((0, 8))\nB = te.compute((8,), lambda i: "
               "te.sum(A[i, k], axis=l))")
                .c_str(),
            "te.foreign-axis", 4, 5, "\"rv\"");
        row("axis of another tensor",
            (std::string(two)
             + "B = te.compute((8,), lambda i: A[i, 0])\nC = te.compute((8,), lambda j: A[j, B.op.axis[0]])")
                .c_str(),
            "te.foreign-axis", 3, 5, "\"i\"");
    }
    void errorsNameTheirPlace()
    {
        QFETCH(QString, body);
        QFETCH(QString, code);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(QString, part);
        const auto script = te::readTeScript(imports + body.toStdString() + "\n", "k.py");
        QVERIFY2(!script, "the script was read");
        const support::Diagnostic &error = script.error();
        QVERIFY2(error.code == code.toStdString(), error.render().c_str());
        QVERIFY2(error.locations.size() == 1, error.render().c_str());
        QVERIFY2(error.locations[0].file == "k.py", error.render().c_str());
        QVERIFY2(error.locations[0].line == line + 2, error.render().c_str());
        QVERIFY2(error.locations[0].column == column, error.render().c_str());
        QVERIFY2((error.message + error.hint).contains(part.toStdString()), error.render().c_str());
    }

    /// Calls and parentheses within each other: refused before the stack is exhausted.
    void deepNesting()
    {
        std::string deep = "f(n)";
        for (int i = 0; i < 60; ++i)
            deep = "(0 + " + deep + ")";
        const auto script = te::readTeScript("f = lambda n: " + deep + "\nf(1)\n", "k.py");
        QVERIFY(!script);
        QCOMPARE(script.error().code, "te.too-deep");
        QVERIFY2(script.error().message.contains("expressions"), script.error().message.c_str());
    }

    /// Lists, strings and expressions that are meant to exhaust memory, stack or time.
    void growthIsBounded_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("part"); ///< of the message
        const auto row = [](const char *name, const char *body, const char *code, const char *part) {
            QTest::newRow(name) << body << code << part;
        };
        const char *loop = "for i in range(60):\n    x = x + x\n";
        row("long list", "x = [0] * 10**9", "te.too-long", "1000000000 items; 100000 is the most");
        row("longer than a number", "x = [0, 1] * 2**62", "te.too-long", "100000 is the most");
        row("list that doubles", (std::string("x = [0]\n") + loop).c_str(), "te.too-long", "131072 items");
        row("string that doubles", (std::string("x = 'a'\n") + loop).c_str(), "te.too-long",
            "1048576 characters");
        row("formatted string that doubles", "x = 'a'\nfor i in range(60):\n    x = f'{x}{x}'", "te.too-long",
            "characters; 1000000 is the most");
        row("list that extends itself", "x = [0]\nfor i in range(60):\n    x.extend(x)", "te.too-long",
            "items");
        row("many lists", "y = []\nfor i in range(100):\n    y.append([0] * 90000)", "te.too-long",
            "more than 4000000 items together");
        row("long range", "x = range(2**62)", "te.too-long", "longer than 100000");
        row("power", "x = 2**(2**60)", "te.overflow", "64 bits");
        row("dimensions", "x = te.placeholder((1,) * 65)", "te.bad-shape", "65 dimensions; 64 is the most");
        row("product of sizes", "x = te.placeholder((2**30, 2**30, 2**30))", "te.bad-shape", "2^60 bytes");
        row("computed product of sizes", "x = te.compute((2**31, 2**31), lambda i, j: te.const(1))",
            "te.bad-shape", "2^60 bytes");
        row("size beyond 64 bits", "x = te.placeholder((1e300,))", "te.argument", "whole numbers");
        row("size of exponential size",
            "n = te.var('n')\nfor i in range(60):\n    n = n * n + n\nx = te.placeholder((n,))",
            "te.too-large", "a size of \"placeholder\"");
        row("reduce axis of exponential size",
            "n = te.var('n')\nfor i in range(60):\n    n = n * n + n\nk = te.reduce_axis((0, n))\n"
            "x = te.compute((8,), lambda i: te.sum(te.const(1) * k, axis=k))",
            "te.too-large", "a size of \"compute\"");
        row("deep size", "n = te.var('n')\nfor i in range(200):\n    n = n + n % 3\nx = te.placeholder((n,))",
            "te.too-large", "nested");
        row("reduce axes",
            "k = [te.reduce_axis((0, 2)) for i in range(65)]\nx = te.compute((8,), lambda i: te.sum(i, "
            "axis=k))",
            "te.too-large", "65 axes; 64 is the most");
    }
    void growthIsBounded()
    {
        QFETCH(QString, body);
        QFETCH(QString, code);
        QFETCH(QString, part);
        const auto script = te::readTeScript(imports + body.toStdString() + "\n", "k.py");
        QVERIFY2(!script, "the script was read");
        const support::Diagnostic &error = script.error();
        QVERIFY2(error.code == code.toStdString(), error.render().c_str());
        QVERIFY2(error.message.contains(part.toStdString()), error.render().c_str());
        QVERIFY2(error.locations.size() == 1 && error.locations[0].line > 2, error.render().c_str());
    }

    /// Two lists that hold one another are compared as far as can be seen, not without end.
    void listsWithinThemselves()
    {
        for (const char *lists :
             {"x = [0]\ny = [0]\nfor i in range(60):\n    x = [x, x]\n    y = [y, y]\nz = x == y\n",
              "x = [0]\nx.append(x)\nz = x == x\n",
              "x = [0]\nfor i in range(9000):\n    x = [x]\nz = x == [x]\n"})
            QVERIFY(printed(imports + lists + "A = te.placeholder((8,), name=\"A\")\n"
                            + "B = te.compute((8,), lambda i: A[i], name=\"B\")\n")
                        .contains("B[v_i] = A[v_i]"));
    }

    void teWithoutImport()
    {
        const auto script = te::readTeScript(
            "A = te.placeholder((8,), name=\"A\")\nB = te.compute((8,), lambda i: A[i] * 2, name=\"B\")\n",
            "k.py");
        QVERIFY(script);
        QCOMPARE(script->notes.front().code, "te.missing-import");
    }

    void smallestKernels()
    {
        QVERIFY(
            printed(imports
                    + "a = te.placeholder((), name=\"a\")\nb = te.compute((), lambda: a() + 1, name=\"b\")\n")
                .contains("b[()] = a[()] + T.float32(1.0)"));
        QVERIFY(printed(imports
                        + "A = te.placeholder((4, 2), name=\"A\")\nB = te.compute(A.shape, lambda *i: A(*i) "
                          "* 2, name=\"B\")\n")
                    .contains("B[v_i0, v_i1] = A[v_i0, v_i1] * T.float32(2.0)"));
    }
};

} // namespace

QTEST_GUILESS_MAIN(TeScriptTest)
#include "te_script_test.moc"
