// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/te_script.h"

#include "core/analysis/access/complete_regions.h"
#include "core/analysis/verify/verify.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"

#include <QtTest>

using namespace nestwright;

namespace {

const std::string imports = "import tvm\nfrom tvm import te, tir\n";

/// The script's kernel, or its error.
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
def main(A: T.Buffer((64, 32), "float32"), B: T.Buffer((32, 16), "float32"),
         C: T.Buffer((64, 16), "float32")):
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
        QTest::newRow("a function that makes the kernel and is never called") << R"(from tvm import te
def matmul(N=64, L=32, M=16):
    A = te.placeholder((N, L), name="A")
    B = te.placeholder((L, M), name="B")
    k = te.reduce_axis((0, L), name="k")
    C = te.compute((N, M), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    return te.create_prim_func([A, B, C])
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
B = te.compute((n,),
               lambda i: te.if_then_else(tir.any(i == 0, I[i] % 3 > 1), te.exp(-A[i]), te.power(A[i], 2)),
               name="B")
C = te.compute((n,),
               lambda i: tir.Select(B[i] > 0, te.sqrt(B[i]), tir.const(1, "float32"))
               + I[i].astype("float32") / 2, name="C")
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
            B[v_i] = T.if_then_else(v_i == 0 or 1 < I[v_i] % 3, T.exp(T.float32(0) - A[v_i]),
                                    T.pow(A[v_i], T.float32(2)))
    for i in range(n):
        with T.block("C"):
            v_i = T.axis.spatial(n, i)
            T.reads(B[v_i], I[v_i])
            T.writes(C[v_i])
            C[v_i] = (T.Select(T.float32(0) < B[v_i], T.sqrt(B[v_i]), T.float32(1))
                      + T.Cast("float32", I[v_i]) / T.float32(2))
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
        // Text that fits stays as it is.
        const auto fits = te::readTeScript(
            imports
                + "largest = te.comm_reducer(lambda x, y: te.max(x, y), lambda t: te.min_value(t), "
                  "name=\"m\")\n"
                  "A = te.placeholder((8, 4), name=\"A\")\nk = te.reduce_axis((0, 4), \"k\")\n"
                  "B = te.compute((8,), lambda i: largest(A[i, k], axis=k), name=\"B\")\n",
            "k.py");
        QVERIFY(fits && !script::print(fits->module).text.contains("Cast"));
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
