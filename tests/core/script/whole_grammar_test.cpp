// SPDX-License-Identifier: Apache-2.0
// Less common constructs of programs: pointers to typed memory, reducers, constants in memory, calls between
// functions, targets, macros, scalable vectors. Each is read, printed and read again in every dialect.
#include "core/ir/node/equality.h"
#include "core/ir/runnable.h"
#include "core/script/print/printer.h"
#include "core/script/python/parser.h"
#include "core/script/relax_functions.h"
#include "core/script/tvmscript/parser.h"
#include "tests/core/script/one_function.h"

#include <QtTest>

using namespace nestwright;
using nestwright::tests::function;
using script::Dialect;

namespace {

constexpr const char *imports = "from tvm import tir\n"
                                "from tvm.script import ir as I\n"
                                "from tvm.script import tir as T\n";

ir::Module parsed(const std::string &text)
{
    const auto module = script::parseTvmScript(imports + text, "test.py");
    if (!module)
        qFatal("%s", module.error().render().c_str());
    return *module;
}

std::string printed(const std::string &text, Dialect dialect = Dialect::Tvm023)
{
    return script::print(parsed(text), dialect).text;
}

} // namespace

class WholeGrammarTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void roundTrip_data()
    {
        QTest::addColumn<std::string>("text");
        const auto row = [](const char *name, const std::string &text) { QTest::newRow(name) << text; };
        row("pointer parameters",
            "@T.prim_func\ndef main(p: T.handle(\"int8\"), q: T.handle(\"int8\", \"shared\"), "
            "r: T.handle):\n    T.evaluate(T.call_extern(\"int32\", \"f\", p, q, r))\n");
        row("pointer let", function("p: T.handle(\"int32\", \"local\") = T.address_of(I[3])\nT.evaluate(p)"));
        row("pointer let in a scope",
            function("with T.LetStmt(T.address_of(I[3]), T.handle(\"int32\")) as p:\n"
                     "    T.evaluate(p)\nI[0] = 1"));
        row("free pointer", function("p = T.handle(\"float32\", \"shared\")\n"
                                     "V = T.decl_buffer((4,), data=p, scope=\"shared\")\nV[0] = A[0]"));
        row("shared memory of parameters",
            "@T.prim_func\ndef main(a: T.handle, b: T.handle):\n"
            "    A = T.match_buffer(a, (8, 8))\n"
            "    B = T.match_buffer(b, (64,), data=A.data)\n    B[0] = A[1, 1]\n");
        row("return type", "@T.prim_func\ndef main(x: T.float16) -> T.float16:\n    return x * x\n");
        row("realize", function("W = T.Buffer((8, 8))\nT.realize(W[0:n, 2:4], \"shared\")\nW[0, 2] = A[0]"));
        row("realize in a scope", function("with T.realize(A[0:8], \"local\"):\n    A[0] = 1.0\nI[0] = 2"));
        row("constants in memory", function("k = T.allocate_const([[1, -2], [3, 4]], \"int32\", [2, 2])\n"
                                            "K = T.Buffer((2, 2), \"int32\", data=k)\nI[0] = K[1, 0]"));
        row("float constants in memory",
            function("k = T.allocate_const([0.5, 1, float(\"inf\")], \"float16\", [3])\n"
                     "T.evaluate(k)"));
        row("reducer",
            function("T.attr(T.comm_reducer(lambda a, b: a * b, [T.float32(1)]), \"reduce_scope\", "
                     "T.reinterpret(\"handle\", T.uint64(0)))\nA[0] = 1.0"));
        row("reducer of pairs",
            function("with T.attr(T.comm_reducer(lambda i, a, j, b: (T.Select(a < b, i, j), T.min(a, b)), "
                     "[0, T.max_value(\"float32\")]), \"reduce_scope\", 0):\n    A[0] = 1.0\nI[0] = 1"));
        row("attribute of several buffers",
            function("T.attr([A, I], \"buffer_bind_scope\", T.tvm_tuple(n, 1))\nA[0] = 2.0"));
        row("index maps",
            function("T.func_attr({\"m\": T.index_map(lambda i, j: (i // 4, j, i % 4), "
                     "inverse_index_map=lambda a, b, c: (a * 4 + c, b))})\n"
                     "for i in range(4):\n    with T.block(\"b\"):\n        T.block_attr({\"maps\": "
                     "[T.index_map(lambda i: (i,)), T.index_map(lambda x: x + 1)]})\n        A[i] = 1.0"));
        row("prefetch", function("T.prefetch(A, [T.Range(n, n + 4)])\nT.prefetch(I, [])\n"
                                 "T.prefetch(A, [T.Range(8)])\nA[0] = 1.0"));
        row("attributes of nothing", function("T.attr({\"device_id\": n, \"device_type\": 1})\nA[0] = 1.0"));
        row("names by T.bind", function("x = T.bind(n + 1)\ny = T.bind(0)\nI[x] = y"));
        row("names by T.Bind", function("x = T.int32()\nT.Bind(n + 1, var=x)\ny = T.Bind(n)\nI[x] = y"));
        row("address of a buffer", function("T.evaluate(T.address_of(A))"));
        row("buffers for an intrinsic",
            function("T.evaluate(T.call_intrin(\"float32x4\", \"tirx.masked_load\", A, T.Ramp(n, 1, 4), "
                     "T.Broadcast(T.bool(True), 4)))"));
        row("sizes in words",
            "@T.prim_func\ndef main(A: T.Buffer((\"n\", \"m * 8 + n\")), B: T.Buffer((\"m\",))):\n"
            "    for i in range(B.shape[0]):\n        B[i] = A[0, i]\n");
        row("calls between functions",
            "@I.ir_module\nclass Mod:\n    @T.prim_func\n    def main(A: T.Buffer((4,), \"float32\")):\n"
            "        Mod.twice(A.data, 4)\n        A[0] = Mod.half(A[1])\n        Mod.half(A[2]) + "
            "Mod.half(A[3])\n"
            "        T.call_tir(cls.nothing)\n"
            "    @T.prim_func(private=True)\n    def twice(p: T.handle(\"float32\"), n: T.int32):\n"
            "        T.evaluate(0)\n"
            "    @T.prim_func\n    def half(x: T.float32) -> T.float32:\n        return x * 0.5\n"
            "    @T.prim_func\n    def nothing():\n        T.evaluate(0)\n");
        row("records in attributes", function("T.func_attr({\"a\": {\"b\": [1, {\"c\": \"d\"}], \"e\": 1.5}, "
                                              "\"f\": {}, \"g\": []})\nI[0] = 1"));
        row("targets",
            function("T.func_attr({\"t\": T.target({\"kind\": \"cuda\", \"host\": T.target(\"llvm\")}), "
                     "\"u\": T.target(\"cuda\", host=\"c\")})\nI[0] = 1"));
        row("buffer in an annotation", function("with T.block(\"b\"):\n    T.reads()\n    T.writes(A[0])\n"
                                                "    T.block_attr({\"layout\": [A, I]})\n    A[0] = 1.0"));
        row("scalable vectors",
            function("A[0:T.vscale() * 4] = A[8:8 + T.vscale() * 4]\n"
                     "A[T.Ramp(n, 2, T.vscale() * 4)] = T.Broadcast(1.0, 4 * T.vscale())"));
        row("scalable masks",
            function("A.vstore([T.Ramp(0, 1, T.vscale())], T.Broadcast(T.float32(2), T.vscale()), "
                     "predicate=T.get_active_lane_mask(\"uint1xvscalex1\", n, 9))"));
        row("narrow types", "@T.prim_func\ndef main(A: T.Buffer((4,), \"float8_e4m3fn\"), "
                            "B: T.Buffer((4,), \"int4\")):\n    A[0] = T.float8_e4m3fn(0.5)\n"
                            "    A[1] = T.float8_e4m3fn(A[2])\n    B[0] = T.int4(-3)\n"
                            "    T.evaluate(T.float6_e3m2fn(0))\n    T.evaluate(T.float4_e2m1fn(1.5))\n");
        row("leaving loops",
            function("for i in range(9):\n    if i == n:\n        continue\n    while I[0] < i:\n"
                     "        break\n    I[i] = 2"));
        row("step of a loop",
            function("for i in range(1, n, 3):\n    I[i] = i\nfor j in T.unroll(0, 8, step=2):\n"
                     "    I[j] = n"));
        row("thread axis of an attribute",
            function("t = T.int32()\nT.attr(T.iter_var(t, None, \"ThreadIndex\", \"threadIdx.y\"), "
                     "\"thread_extent\", 8)\nI[t] = 1"));
        row("intrinsics of packed calls",
            function(
                "s: T.handle = T.tvm_stack_alloca(\"arg_value\", 4)\n"
                "d: T.uint8 = T.tvm_struct_get(s, 0, 5, \"uint8\")\n"
                "T.tvm_struct_set(s, 1, 12, T.Cast(\"int64\", d))\nT.call_packed_lowered(\"f\", s, s, 0, 1)\n"
                "if T.isnullptr(s):\n    T.tvm_throw_last_error()\nT.assume(n > 3)"));
        row("intrinsics of warps",
            function("I[0] = T.tvm_warp_shuffle(T.tvm_warp_activemask(), I[1], n % 32, 32, 32)\n"
                     "T.ptx_commit_group()\nT.ptx_wait_group(1)\nT.ptx_cp_async(\"float32\", A.data, n, "
                     "I.data, 0, 16)\n"
                     "T.mma_fill(\"float32\", 8, A.data, 0)"));
        row("intrinsic without a function",
            function("T.evaluate(T.call_intrin(\"int32\", \"tir.dma_wait\", n, 0))"));
        row("lanes combined", function("T.evaluate((A[0:4] > 0) and (A[4:8] > 1 or n > 3))"));
        row("nodes of lanes combined", function("T.evaluate(T.And(A[0:4] > T.Broadcast(T.float32(0), 4), "
                                                "A[4:8] > T.Broadcast(T.float32(1), 4)))"));
        row("least of constants", function("T.evaluate(T.Min(1, 2))\nT.evaluate(T.Max(T.Min(n, n), 3))"));
    }
    void roundTrip()
    {
        QFETCH(std::string, text);
        const ir::Module module = parsed(text);
        for (const Dialect dialect : script::allDialects) {
            const std::string once = script::print(module, dialect).text;
            const auto again = script::parseTvmScript(once, "printed.py");
            QVERIFY2(again.has_value(), (once + (again ? "" : again.error().render())).c_str());
            const auto difference = ir::firstDifference(module, *again);
            QVERIFY2(!difference, (once + difference.value_or("")).c_str());
            QCOMPARE(script::print(*again, dialect).text, once);
        }
    }

    void sugar_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("plain");
        const auto row = [](const char *name, const std::string &text, const std::string &plain) {
            QTest::newRow(name) << text << plain;
        };
        row("macro",
            "@T.macro\ndef put(buffer, at, *, value):\n    buffer[at] = value\n"
                + function("for i in range(8):\n    put(I, i, value=i * 2)"),
            function("for i in range(8):\n    I[i] = i * 2"));
        row("macro sees the file",
            "k = 5\n@T.macro\ndef put():\n    T.evaluate(k)\n"
                + function("for k in range(8):\n    put()\n    I[k] = 1"),
            function("for i in range(8):\n    T.evaluate(5)\n    I[i] = 1"));
        row("macro sees the caller",
            "k = 5\n@T.macro(hygienic=False)\ndef put():\n    T.evaluate(k)\n"
                + function("for k in range(8):\n    put()\n    I[k] = 1"),
            function("for i in range(8):\n    T.evaluate(i)\n    I[i] = 1"));
        row("function of indices",
            "def place(i, j):\n    row = i % 4\n    return row * 8 + j, j // 2\n"
                + function("for i in range(4):\n    a, b = T.meta_var(place(i, 3))\n    I[a] = b"),
            function("for i in range(4):\n    I[i % 4 * 8 + 3] = 1"));
        row("list in a shape",
            "dims = (4, 8)\n@T.prim_func\ndef main(a: T.handle):\n"
            "    A = T.match_buffer(a, [2, *dims])\n    for *ij, k in T.grid(*A.shape):\n"
            "        A[(*ij, k)] = 0.0\n",
            "@T.prim_func\ndef main(A: T.Buffer((2, 4, 8), \"float32\")):\n    for i, j, k in T.grid(2, 4, "
            "8):\n"
            "        A[i, j, k] = 0.0\n");
        row("a star for one loop",
            "m = 40 >> 0\n" + function("for *i, j in T.grid(4, 8):\n    I[i[0] * 8 + j] = m >> 3"),
            function("for i_0, j in T.grid(4, 8):\n    I[i_0 * 8 + j] = 5"));
        row("all loops by one name",
            "@T.prim_func\ndef main(A: T.Buffer((2, 4), \"float32\")):\n"
            "    for at in T.grid(*A.shape):\n        A[at] = 0.0\n",
            "@T.prim_func\ndef main(A: T.Buffer((2, 4), \"float32\")):\n    for i, j in T.grid(2, 4):\n"
            "        A[i, j] = 0.0\n");
        row("slice of one", function("A[n:n + 1:1] = 2.0"), function("A[n] = 2.0"));
        row("least of numbers", function("I[0] = T.min(4, 2) + T.max(n, T.max(1, 3))"),
            function("I[0] = 2 + T.max(n, 3)"));
        row("conditions of lanes", function("T.evaluate(A[0:4] > 0 and n > 1)"),
            function("T.bitwise_and(A[0:4] > T.Broadcast(T.float32(0), 4), T.Broadcast(n > 1, 4))"));
        row("annotations joined",
            function("with T.block(\"b\"):\n    T.block_attr({\"k\": {\"x\": 1}})\n"
                     "    T.block_attr({\"k\": {\"y\": 2}})\n    I[0] = 1"),
            function("with T.block(\"b\"):\n    T.block_attr({\"k\": {\"x\": 1, \"y\": 2}})\n    I[0] = 1"));
        row("suffix of names",
            function("with T.block_name_suffix_context(\"_x\"):\n    with T.block(\"b\"):\n        I[0] = 1"),
            function("with T.block(\"b_x\"):\n    I[0] = 1"));
        row("vector load of a type", function("x = A.vload([n], \"float32x4\")\nA.vstore([0], x)"),
            function("x = A[T.Ramp(n, 1, 4)]\nA[T.Ramp(0, 1, 4)] = x"));
        row("reinterpretation as the same type", function("A[0] = T.reinterpret(A[1], dtype=\"float32\")"),
            function("A[0] = A[1]"));
        row("store by a function", function("T.buffer_store(I, n, [3])"), function("I[3] = n"));
        row("older type dtype", function("T.evaluate(T.tvm_struct_get(A.data, 0, 1, dtype=\"handle\"))"),
            function("T.evaluate(T.tvm_struct_get(A.data, 0, 1, \"handle\"))"));
        row("expression as a statement", function("n + 1"), function("T.evaluate(n + 1)"));
    }
    void sugar()
    {
        QFETCH(std::string, text);
        QFETCH(std::string, plain);
        const auto difference = ir::firstDifference(parsed(text), parsed(plain));
        QVERIFY2(!difference, (printed(text) + difference.value_or("")).c_str());
    }

    void allocationsOfLaterVersions()
    {
        const std::string text = "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"
                                 "def main(A: T.Buffer((4,))):\n"
                                 "    B = T.alloc_buffer((4,), scope=\"local\", annotations={\"k\": 1})\n"
                                 "    B[0] = A[0]\n    A[1] = B[0]\n";
        const auto module = script::parseTvmScript(text, "later.py");
        QVERIFY(module);
        const std::string later = script::print(*module, Dialect::Latest).text;
        QVERIFY2(later.contains("B = T.alloc_buffer((4,), scope=\"local\", annotations={\"k\": 1})"),
                 later.c_str());
        const std::string before = script::print(*module).text;
        QVERIFY2(before.contains("T.allocate([4], \"float32\", \"local\", annotations={\"k\": 1})"),
                 before.c_str());
        for (const std::string &again : {later, before}) {
            const auto read = script::parseTvmScript(again, "again.py");
            QVERIFY(read);
            QVERIFY(ir::structurallyEqual(*module, *read));
        }
    }

    void matrixInstructionsOfLaterVersions()
    {
        const std::string call =
            function("T.ptx_legacy.ldmatrix(\"float16\", False, 4, \".b16\", A.data, 0, A.data, 0)");
        QVERIFY(printed(call).contains("T.ptx_ldmatrix(\"float16\", T.bool(False), 4,"));
        QVERIFY(
            printed(call, Dialect::Latest).contains("T.ptx_legacy.ldmatrix(\"float16\", T.bool(False), 4,"));
        const std::string fill = function("T.mma_fill(\"float32\", 8, A.data, 0)");
        const std::string later = printed(fill, Dialect::Latest);
        QVERIFY(later.contains("T.cuda.mma_fill_legacy(\"float32\", 8, A.data, 0)"));
        QVERIFY(!ir::firstDifference(parsed(later), parsed(fill)));
        for (const auto &[before, now] :
             {std::pair("T.ptx_cp_async(\"float16\", A.data, 0, A.data, 8, 16)",
                        "T.s_tir.cp_async_raw(\"float16\", A.data, 0, A.data, 8, 16)"),
              std::pair("T.make_filled_simdgroup_matrix(A.data, 0, T.float16(0.0), 8, 8)",
                        "T.metal.make_filled_simdgroup_matrix(A.data, 0, T.float16(0.0), 8, 8)"),
              std::pair("T.simdgroup_multiply_accumulate(A.data, 0, A.data, 1, A.data, 2, A.data, 0)",
                        "T.metal.simdgroup_multiply_accumulate(A.data, 0, A.data, 1, A.data, 2, A.data, 0)"),
              std::pair("T.simd_shuffle(A[0], 3)", "T.metal.simd_shuffle(A[0], 3)"),
              std::pair("T.simd_shuffle_up(A[0], 1)", "T.metal.simd_shuffle_up(A[0], 1)"),
              std::pair("T.simd_shuffle_down(A[0], 1)", "T.metal.simd_shuffle_down(A[0], 1)")}) {
            QVERIFY2(printed(function(now)).contains(before), printed(function(now)).c_str());
            QVERIFY(printed(function(before), Dialect::Latest).contains(now));
        }
    }

    /// The functions of Relax are left out; those of TVMScript are read.
    void functionsOfRelax()
    {
        const std::string text = R"(
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm")]})
    @T.prim_func
    def add(A: T.Buffer((8,), "float32")):
        for i in range(8):
            A[i] = A[i] + T.float32(1)
    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.add, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
            gv: R.Tensor((8,), dtype="float32") = lv
            R.output(gv)
        return gv
)";
        const auto module = script::parseTvmScript(text, "relax.py");
        QVERIFY2(module, module ? "" : module.error().render().c_str());
        QCOMPARE(module->functions().size(), std::size_t{1});
        QCOMPARE(module->functions().front().name, std::string("add"));
        const auto notes = script::leftOutFunctions(*script::py::parse(text, "relax.py"));
        QCOMPARE(notes.size(), std::size_t{1});
        QCOMPARE(notes.front().code, std::string("script.relax-function"));
        QVERIFY(notes.front().message.contains("'main'"));
        QCOMPARE(notes.front().locations.front().line, 13);
        const auto only = script::parseTvmScript(
            "from tvm.script import relax as R\n@I.ir_module\nclass Module:\n    @R.function\n"
            "    def main(x: R.Tensor((8,))):\n        return x\n",
            "relax.py");
        QVERIFY(!only);
        QCOMPARE(only.error().code, std::string("script.no-function"));
    }

    void absoluteValuesOfIntegersAreChoices()
    {
        const std::string text = printed("@T.prim_func\ndef main(n: T.int32, u: T.uint8, x: T.float32):\n"
                                         "    T.evaluate(T.abs(n))\n    T.evaluate(T.abs(u))\n"
                                         "    T.evaluate(T.abs(x))\n");
        QVERIFY2(text.contains("T.Select(n >= 0, n, 0 - n)"), text.c_str());
        QVERIFY2(text.contains("T.evaluate(u)\n"), text.c_str());
        QVERIFY2(text.contains("T.fabs(x)"), text.c_str());
    }

    void typesOfPointersCount()
    {
        const std::string body = "):\n    T.evaluate(p)\n", head = "@T.prim_func\ndef main(p: T.handle";
        QVERIFY(ir::firstDifference(parsed(head + body), parsed(head + "(\"void\")" + body)));
        QVERIFY(ir::firstDifference(parsed(head + "(\"int8\")" + body), parsed(head + "(\"int16\")" + body)));
        QVERIFY(!ir::firstDifference(parsed(head + "(\"int8\")" + body),
                                     parsed(head + "(\"int8\", \"global\")" + body)));
    }

    void texts()
    {
        QVERIFY(printed("@T.prim_func\ndef main(p: T.handle(\"int8\")) -> T.int32:\n    return 3\n")
                    .ends_with(
                        "    def main(p: T.handle(\"int8\", \"global\")) -> T.int32:\n        return 3\n"));
        QVERIFY(printed(function("A[0:T.vscale() * 2] = T.Broadcast(1.0, 2 * T.vscale())"))
                    .ends_with("A[0:T.vscale() * 2] = T.Broadcast(T.float32(1.0), T.vscale() * 2)\n"));
        QVERIFY(printed(function("T.realize(A[0:4], \"local\")\nT.evaluate(T.float8_e5m2(0.25))"))
                    .ends_with("T.realize(A[0:4], \"local\")\n        T.evaluate(T.float8_e5m2(0.25))\n"));
    }

    void programsThatDoNotRun_data()
    {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<std::string>("what");
        const auto row = [](const char *body, const char *what) {
            QTest::newRow(body) << std::string(body) << std::string(what);
        };
        row("I[0] = n", "");
        row("k = T.allocate_const([1], \"int32\", [1])\nT.evaluate(k)", "the constant memory 'k'");
        row("A[0] = T.Cast(\"float32\", T.float8_e5m2(1))", "the type float8_e5m2");
        row("A[0:T.vscale()] = T.Broadcast(1.0, T.vscale())", "the type float32xvscalex1");
        row("for i in range(4):\n    break", "");
        row("T.prefetch(A, [T.Range(0, 4)])", "the intrinsic 'prefetch'");
        row("T.realize(A[0:4], \"local\")\nA[0] = 1.0", ""); // no memory of its own
        row("B = T.decl_buffer((8,))\nT.realize(B[0:4], \"local\")\nB[0] = 1.0", "T.realize");
        row("T.call_intrin(\"int32\", \"tir.dma_wait\", 0)", "the intrinsic 'dma_wait'");
    }
    void programsThatDoNotRun()
    {
        QFETCH(std::string, body);
        QFETCH(std::string, what);
        const ir::Module module = parsed(function(body));
        QCOMPARE(ir::notRunnable(*module.functions().front().function).value_or(""), what);
    }
};

QTEST_APPLESS_MAIN(WholeGrammarTest)
#include "whole_grammar_test.moc"
