// SPDX-License-Identifier: Apache-2.0
// parse(print(m)) equals m, in both dialects, and printing the parsed module gives the same text again.
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using script::Dialect;

namespace {

struct Case {
    const char *name;
    const char *body; ///< of a function with the parameters below
};

constexpr const char *head = R"(
from tvm.script import tir as T
@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32"), I: T.Buffer((64,), "int32"),
         H: T.Buffer((64,), "float16"), L: T.Buffer((64,), "int64"), S: T.Buffer((), "float32"), p: T.handle,
         n: T.int32, x: T.float32, u: T.uint8, q: T.int64, flag: T.bool):
)";

constexpr Case cases[] = {
    // Expressions.
    {"arithmetic", "I[0] = n * (n + 1) - (n - (n - 3)) * 2 + n // 3 % 4"},
    {"precedence", "I[0] = (n + 1) * (n - 2) // (n * 3) % (n + 7)"},
    {"right operands", "I[0] = n - (n - (n - 1)) - (n + n) * (n * n)"},
    {"comparisons", "T.evaluate(n < 3 and n <= 4 or n > 5 and not n >= 6)"},
    {"equalities", "T.evaluate((n == 3) == (n != 4))"},
    {"not of or", "T.evaluate(not (n < 3 or n > 5))"},
    {"float division", "A[0, 0] = A[0, 1] / (A[0, 2] / A[0, 3])"},
    {"integer division", "I[0] = T.truncdiv(n, 3) + T.truncmod(n, 3)"},
    {"kept constants", "I[0] = T.Add(1, 2) + T.Mul(n, 1) + T.Sub(n, 0)"},
    {"kept conditions", "T.evaluate(T.And(T.bool(True), n < 3))"},
    {"not of a constant", "T.evaluate(T.Not(T.bool(True)))"},
    {"min and max", "I[0] = T.min(T.max(n, 3), T.min(4, 5))"},
    {"three in max", "I[0] = T.max(n, I[1], 7)"},
    {"unary minus", "I[0] = -n"},
    {"negative constants", "I[0] = n * -1 - -2147483648"},
    {"select", "A[0, 0] = T.Select(n < 3, A[0, 1], T.float32(0))"},
    {"if_then_else", "A[0, 0] = T.if_then_else(n < 3 and n > 0, A[n, 1], 0.0)"},
    {"casts", "L[0] = T.Cast(\"int64\", n) * T.Cast(\"int64\", 3) + T.int64(n)"},
    {"int64", "L[0] = q * 3 + T.int64(9223372036854775807)"},
    {"uint8", "T.evaluate(u + T.uint8(200))"},
    {"uint64", "T.evaluate(T.Cast(\"uint64\", q) + T.uint64(18446744073709551615))"},
    {"bool constants", "T.evaluate(T.bool(True))"},
    {"bool parameter", "T.evaluate(flag or T.bool(False))"},
    {"float16", "H[0] = H[1] * T.float16(1.5)"},
    {"bfloat16", "T.evaluate(T.bfloat16(1.5) * T.Cast(\"bfloat16\", x))"},
    {"float64", "T.evaluate(T.float64(0.1))"},
    {"tenth", "A[0, 0] = T.float32(0.1) + T.float32(1e-30) + T.float32(1e30)"},
    {"infinities", "A[0, 0] = T.float32(\"inf\") - T.float32(\"-inf\")"},
    {"nan", "A[0, 0] = T.float32(\"nan\")"},
    {"minus zero", "A[0, 0] = T.float32(-0.0)"},
    {"bare float", "A[0, 0] = A[0, 1] * 2.5"},
    {"limits", "T.evaluate(T.max_value(\"int8\"))\nT.evaluate(T.min_value(\"float32\"))"},
    {"math", "A[0, 0] = T.exp(x) + T.tanh(x) * T.sigmoid(x) - T.sqrt(T.erf(x)) + T.pow(x, 2.0)"},
    {"rounding", "A[0, 0] = T.floor(x) + T.ceil(x) + T.round(x) + T.fabs(x)"},
    {"bit operations", "I[0] = (n & 3 | n ^ 5) << 2 >> 1"},
    {"invert", "I[0] = ~n"},
    {"absolute", "I[0] = T.abs(n)\nA[0, 0] = T.abs(x)"},
    {"likely", "T.evaluate(T.likely(n < 3))"},
    {"let", "I[0] = T.Let(y * y, where={y: n + 1})"},
    {"let in let", "I[0] = T.Let(T.Let(y + z, where={z: y * 2}), where={y: n + 1})"},
    {"ramp", "T.evaluate(T.Ramp(n, 2, 4) + T.Broadcast(3, 4))"},
    {"vector load", "A[0, 0:4] = B[n, 4:8] * T.Broadcast(T.float32(2), 4)"},
    {"choice of vectors", "A[0, 0:4] = T.if_then_else(n < 3, A[n, 1], T.Broadcast(T.float32(2), 4))"},
    {"strided vector", "A[0, 0:16:4] = B[n, 1:9:2]"},
    {"slice and step", "A[0:1, 0:8:2] = B[0:1, 0:4]"},
    {"reversed vector", "A[0, T.Ramp(3, -1, 4)] = B[0, 0:4]"},
    {"gather", "A[0, 0:4] = B[0, T.Cast(\"int32x4\", T.Ramp(T.int64(0), T.int64(1), 4))]"},
    {"masked", "A.vstore([0, T.Ramp(0, 1, 4)], A.vload([1, T.Ramp(0, 1, 4)], predicate=T.Broadcast(flag, "
               "4)), predicate=T.Broadcast(flag, 4))"},
    {"scalar buffer", "S[()] = S[()] + x"},
    {"augmented", "I[n] += 3\nA[0, 0] *= 2.0"},
    {"extern", "T.call_extern(\"int32\", \"foo\", A.data, n, T.float32(1))"},
    {"pure extern", "A[0, 0] = T.call_pure_extern(\"float32\", \"cosf\", x)"},
    {"llvm intrinsic", "A[0, 0] = T.call_llvm_pure_intrin(\"float32\", \"llvm.fma\", x, x, x)"},
    {"packed", "T.call_packed(\"f\", n, p)"},
    {"address", "T.call_extern(\"int32\", \"foo\", T.address_of(A[3, 4]))"},
    {"access pointer",
     "T.call_extern(\"int32\", \"foo\", A.access_ptr(\"rw\"), B.access_ptr(\"r\", offset=16))"},
    {"older types", "I[0] = T.reinterpret(x, dtype=\"int32\")\nT.call_extern(\"f\", n, dtype=\"\")\nA[0, 0] "
                    "= T.if_then_else(n < 3, x, 0.0, dtype=\"float32\")"},
    {"named variable", "m = T.Var(\"m\", \"int64\")\nL[0] = m"},
    {"zero offset of 64 bits", "C = T.match_buffer(p, (n, 4), elem_offset=T.int64(0))\nC[0, 0] = x"},
    {"zero offset of 32 bits", "C = T.match_buffer(p, (T.int64(4),), elem_offset=0)\nC[0] = x"},
    {"offset of another type", "m = T.int64()\nC = T.match_buffer(p, (n, 4), elem_offset=m)\nC[0, 0] = x"},
    {"stride of another type", "m = T.int64()\nC = T.match_buffer(p, (4,), strides=[m])\nC[0] = x"},
    {"reinterpret", "I[0] = T.reinterpret(\"int32\", x)"},
    {"storage sync", "T.tvm_storage_sync(\"shared\")"},
    {"strings", "T.call_extern(\"int32\", \"q\\\"uo\\\\te\\n\\t\\x01é\")"},
    {"matrix intrinsics",
     "T.tvm_fill_fragment(p, 16, 16, 16, 0, T.float32(0))\nT.tvm_mma_sync(p, 0, p, 0, p, 0, p, 0)"},
    {"ceildiv", "I[0] = T.ceildiv(n, 4)"},
    {"all and any", "T.evaluate(T.all(n < 3, n > 1, n != 2))\nT.evaluate(T.any(n < 3, n > 1))"},
    {"chain", "T.evaluate(0 < n < 16)"},
    {"shape members", "I[0] = A.shape[0] + n"},
    {"astype", "A[0, 0] = n.astype(\"float32\")"},
    {"python constants", "I[0] = 2 ** 10 + (1 << 4) + n"},
    // Loops.
    {"serial", "for i in range(16):\n    I[i] = i"},
    {"range from", "for i in range(4, 16):\n    I[i] = i"},
    {"symbolic range", "for i in T.serial(n, n + 4):\n    I[i] = i"},
    {"ending at a variable", "for i in T.serial(1, n):\n    I[i] = i"},
    {"grid", "for i, j, k in T.grid(4, 4, 4):\n    I[i * 16 + j * 4 + k] = i"},
    {"grid in one name", "for l in T.grid(4, 4):\n    I[l[0] * 4 + l[1]] = 1"},
    {"triangle", "for i in range(16):\n    for j in range(i):\n        I[j] = i"},
    {"kinds", "for i in T.parallel(2):\n    for j in T.vectorized(4):\n        for k in T.unroll(4):\n       "
              "     I[i * 16 + j * 4 + k] = i"},
    {"grid around parallel", "for i, j in T.grid(2, 2):\n    for k in T.parallel(4):\n        for l, m in "
                             "T.grid(2, 2):\n            I[i + j + k + l + m] = 0"},
    {"thread binding",
     "for b in T.thread_binding(4, thread=\"blockIdx.x\"):\n    for t in T.thread_binding(16, "
     "thread=\"threadIdx.x\", annotations={\"a\": 1}):\n        I[b * 16 + t] = t"},
    {"thread positional", "for b in T.thread_binding(4, \"blockIdx.x\"):\n    I[b] = b"},
    {"thread from", "for b in T.thread_binding(0, 4, thread=\"blockIdx.x\"):\n    I[b] = b"},
    {"annotations", "for i in T.serial(16, annotations={\"pragma_auto_unroll_max_step\": 16, \"f\": 1.5, "
                    "\"b\": True, \"s\": \"text\", \"l\": [1, [2, \"x\"], T.int64(3)], \"none\": None, "
                    "\"g\": T.float32(0.1)}):\n    I[i] = i"},
    {"int64 loop", "for i in T.serial(T.int64(16)):\n    L[i] = i"},
    {"int64 grid", "for i, j in T.grid(T.int64(4), T.int64(4)):\n    L[i * T.int64(4) + j] = i + j"},
    {"empty body", "for i in range(16):\n    pass"},
    {"evaluate", "for i in range(16):\n    T.evaluate(7)"},
    {"same names", "for i in range(16):\n    I[i] = 0\nfor i in range(16):\n    I[i] = 1"},
    {"shadowed name", "for i in range(16):\n    for i in range(4):\n        I[i] = 1"},
    {"launch_thread", "bx = T.launch_thread(\"blockIdx.x\", 4)\ntx = T.launch_thread(\"threadIdx.x\", "
                      "16)\nI[bx * 16 + tx] = 0"},
    {"with launch_thread", "with T.launch_thread(\"blockIdx.x\", 4) as bx:\n    I[bx] = 0\nI[1] = 3"},
    {"env_thread", "tx = T.env_thread(\"threadIdx.x\")\nT.launch_thread(tx, 16)\nI[tx] = 0"},
    // Control flow.
    {"if", "if n < 3:\n    I[0] = 1"},
    {"if else", "if n < 3:\n    I[0] = 1\nelse:\n    I[0] = 2"},
    {"elif", "if n < 3:\n    I[0] = 1\nelif n < 4:\n    I[0] = 2\nelse:\n    I[0] = 3"},
    {"while", "while I[0] < n:\n    I[0] = I[0] + 1"},
    {"assert", "I[1] = 3\nassert n < 3, \"too \\\"many\\\"\"\nI[0] = 1\nI[2] = 2"},
    {"with assert", "with T.Assert(n < 3, \"too many\"):\n    I[0] = 1\nI[2] = 2"},
    {"return", "if n < 3:\n    return 7\nI[0] = 1"},
    // Bindings and memory.
    {"let statement", "y: T.int32 = n + 1\nI[0] = y * y"},
    {"plain assignment", "y = n + 1\nz = y * 2\nI[0] = y * z"},
    {"let float", "y: T.float32 = 1.5\nA[0, 0] = y"},
    {"let statement with", "with T.LetStmt(n + 1) as y:\n    I[0] = y\nI[1] = 3"},
    {"let twice", "for i in range(4):\n    y: T.int32 = i\n    I[0] = y\nfor i in range(4):\n    y: T.int32 "
                  "= i + 1\n    I[0] = y"},
    {"later let", "y: T.let[T.int32] = n + 1\nI[0] = y"},
    {"allocate", "buf = T.allocate([16, 4], \"int8\", \"shared\")\nbuf_1 = T.Buffer((64,), \"int8\", "
                 "data=buf, scope=\"shared\")\nbuf_1[3] = T.int8(1)"},
    {"with allocate",
     "with T.allocate([16], \"float32\", \"global\") as buf:\n    T.evaluate(buf)\nI[0] = 1"},
    {"allocate with annotations", "buf = T.allocate([16], \"float32\", \"global\", "
                                  "annotations={\"disable_lower_builtin\": True})\nT.evaluate(buf)"},
    {"decl_buffer", "buf = T.allocate([16], \"float32\", \"local\")\nb = T.decl_buffer((4, 4), data=buf, "
                    "scope=\"local\")\nb[1, 2] = x"},
    {"decl_buffer alone", "b = T.decl_buffer((4, 4), \"int32\", scope=\"local\")\nb[1, 2] = 3"},
    {"with decl_buffer",
     "with T.decl_buffer((4, 4), \"int32\", scope=\"local\") as b:\n    b[1, 2] = 3\nI[0] = 3"},
    {"view of a parameter", "C = T.Buffer((256,), data=A.data)\nC[n] = C[n + 1]"},
    {"attr", "T.attr(A.data, \"storage_alignment\", 128)\nI[0] = 1\nI[1] = 2"},
    {"with attr", "with T.attr(\"node\", \"key\", \"value\"):\n    I[0] = 1\nI[1] = 2"},
    {"attr of nothing", "T.attr(None, \"key\", n * 2)\nI[0] = 1"},
    {"free variable", "m = T.int32()\nI[0] = m"},
    {"handle variable", "m = T.handle(\"float32\")\nT.call_extern(\"int32\", \"f\", m)"},
    {"func_attr", "T.func_attr({\"tir.noalias\": True, \"tir.is_scheduled\": 1, \"name\": \"x\"})\nI[0] = 1"},
    {"global_symbol", "T.func_attr({\"global_symbol\": \"other\"})\nI[0] = 1"},
    // Blocks.
    {"opaque block",
     "with T.block(\"a\"):\n    T.reads(A[0, 0:16])\n    T.writes(B[0, 0:16])\n    B[0, 0] = A[0, 0]"},
    {"two opaque blocks", "with T.block(\"a\"):\n    T.reads()\n    T.writes()\n    I[0] = 1\nwith "
                          "T.block(\"b\"):\n    T.reads()\n    T.writes()\n    I[0] = 2"},
    {"nested root", "with T.block(\"root\"):\n    T.reads()\n    T.writes()\n    with T.block(\"a\"):\n      "
                    "  T.reads()\n        T.writes()\n        I[0] = 1"},
    {"root with attributes",
     "with T.block(\"root\"):\n    T.block_attr({\"meta_schedule.parallel\": 32})\n    for i in range(4):\n  "
     "      with T.block(\"a\"):\n            v = T.axis.spatial(4, i)\n            I[v] = 1"},
    {"root without blocks", "with T.block(\"root\"):\n    for i in range(4):\n        I[i] = 1"},
    {"root with allocation only", "C = T.alloc_buffer((16,), \"int32\")\nfor i in range(4):\n    C[i] = 1"},
    {"missing regions",
     "for i in range(16):\n    with T.block(\"a\"):\n        v = T.axis.S(16, i)\n        I[v] = v"},
    {"missing writes", "for i in range(16):\n    with T.block(\"a\"):\n        v = T.axis.S(16, i)\n        "
                       "T.reads(I[v])\n        I[v] = I[v] + 1"},
    {"axis kinds", "for i, j, k in T.grid(4, 4, 4):\n    with T.block(\"a\"):\n        vi = "
                   "T.axis.spatial((1, 5), i + 1)\n        vj = T.axis.reduce(4, j)\n        vk = "
                   "T.axis.scan(4, k)\n        vl = T.axis.S(16, i * 4 + j)\n        I[vi] = vj + vk + vl"},
    {"remap groups", "for i, j, k, l in T.grid(2, 3, 4, 5):\n    with T.block(\"a\"):\n        vi, vj = "
                     "T.axis.remap(\"SR\", [i, j])\n        vk = T.axis.opaque(4, k)\n        vl = "
                     "T.axis.remap(\"S\", [l])\n        I[vi] = vj + vk + vl"},
    {"region forms",
     "for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.S(4, i)\n        T.reads([A[v * 4:v * "
     "4 + 4, 0:16], B[v, v:v + 2]])\n        T.writes(A, S[()])\n        S[()] = A[v * 4, 0]"},
    {"hand-written region",
     "for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.S(4, i)\n        T.reads(A[v * 4:(v + "
     "1) * 4, 0:16])\n        T.writes(A[0:16, v])\n        A[v, v] = 1.0"},
    {"predicate", "for i in range(5):\n    with T.block(\"a\"):\n        v = T.axis.S(16, i * 4)\n        "
                  "T.where(i < 4 and n < 3)\n        I[v] = 1"},
    {"block attributes",
     "for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.S(4, i)\n        T.block_attr({\"a\": "
     "1, \"buffer_dim_align\": [[0, 0, 32, 8]]})\n        T.block_attr({\"b\": \"x\"})\n        I[v] = 1"},
    {"init", "for i, k in T.grid(4, 4):\n    with T.block(\"a\"):\n        v, w = T.axis.remap(\"SR\", [i, "
             "k])\n        with T.init():\n            for j in range(2):\n                I[v * 2 + j] = "
             "0\n        I[v] += w"},
    {"inner allocation", "for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.S(4, i)\n        "
                         "T.reads()\n        T.writes(I[v])\n        C = T.alloc_buffer((4,), \"int32\", "
                         "scope=\"local\")\n        C[0] = 1\n        I[v] = C[0]"},
    {"allocation forms",
     "C = T.alloc_buffer([16, 16], dtype=\"float16\", scope=\"shared\", align=128, strides=[32, 1], "
     "elem_offset=8, offset_factor=8, axis_separators=[1])\nfor i in range(4):\n    with T.block(\"a\"):\n   "
     "     v = T.axis.S(4, i)\n        C[v, v] = T.float16(0)"},
    {"match_buffer", "for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.S(4, i)\n        "
                     "T.reads(A[v * 4:v * 4 + 4, 0:16])\n        T.writes()\n        C = T.match_buffer(A[v "
                     "* 4:v * 4 + 4, 0:16], (4, 16), strides=(\"s0\", \"s1\"), offset_factor=1)\n        "
                     "T.call_extern(\"int32\", \"f\", C.data, C.strides[0], C.elem_offset)"},
    {"match_buffer of a variable",
     "for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.S(4, i)\n        s = T.int32()\n      "
     "  C = T.match_buffer(A[v * 4:v * 4 + 4, 0:16], (4, 16), strides=[s, s], elem_offset=v)\n        "
     "T.call_extern(\"int32\", \"f\", C.data, s)"},
    {"match_buffer plain", "for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.S(4, i)\n       "
                           " C = T.match_buffer(A[v, 0:16], (16,))\n        C[3] = 1.0"},
    {"nested blocks", "for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.S(4, i)\n        "
                      "T.reads()\n        T.writes(I[v * 4:v * 4 + 4])\n        for j in range(4):\n         "
                      "   with T.block(\"b\"):\n                w = T.axis.S(4, j)\n                "
                      "T.reads()\n                T.writes(I[v * 4 + w])\n                I[v * 4 + w] = 1"},
    {"outer remap",
     "for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.S(4, i)\n        with "
     "T.block(\"b\"):\n            w, z = T.axis.remap(\"SS\", [i, i])\n            I[w] = v + z"},
    {"int64 block", "for i in T.serial(T.int64(4)):\n    with T.block(\"a\"):\n        v = "
                    "T.axis.spatial(T.int64(4), i)\n        L[v] = v + T.int64(1)"},
    {"adapting domain", "for i in T.serial(T.int64(4)):\n    with T.block(\"a\"):\n        v = "
                        "T.axis.spatial(4, i)\n        L[v] = v + 1"},
    {"symbolic block", "for i in range(n):\n    with T.block(\"a\"):\n        v = T.axis.spatial(n, i)\n     "
                       "   T.reads(I[v:n])\n        T.writes(I[v])\n        I[v] = I[v] + I[n - 1]"},
    {"comment and docstring", "\"\"\"doc\n  string\"\"\"\n# a comment\nI[0] = 1  # behind"},
    {"long line", "I[0] = (n +\n   1) * \\\n   2"},
    {"semicolons", "I[0] = 1; I[1] = 2"},
};

std::string indented(const std::string &body)
{
    std::string text = "    ";
    for (const char c : body) {
        text += c;
        if (c == '\n')
            text += "    ";
    }
    return text + "\n";
}

void checkRoundTrip(const ir::Module &module)
{
    for (const Dialect dialect : script::allDialects) {
        const std::string text = script::print(module, dialect).text;
        const auto again = script::parseTvmScript(text, "printed.py");
        QVERIFY2(again.has_value(), (again ? "" : again.error().render() + "\n" + text).c_str());
        const auto difference = ir::firstDifference(module, *again);
        QVERIFY2(!difference, (difference.value_or("") + "\n" + text).c_str());
        QCOMPARE(ir::structuralHash(*again), ir::structuralHash(module));
        QCOMPARE(script::print(*again, dialect).text, text);
    }
}

} // namespace

class RoundTripTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sharedPrograms_data()
    {
        QTest::addColumn<std::string>("text");
        for (const tests::Program &program : tests::programs())
            QTest::newRow(std::string(program.name).c_str()) << std::string(program.text);
    }
    void sharedPrograms()
    {
        QFETCH(std::string, text);
        checkRoundTrip(tests::parsed(text));
    }

    void statements_data()
    {
        QTest::addColumn<std::string>("body");
        for (const Case &row : cases)
            QTest::newRow(row.name) << std::string(row.body);
    }
    void statements()
    {
        QFETCH(std::string, body);
        const auto module = script::parseTvmScript(head + indented(body), "test.py");
        QVERIFY2(module.has_value(), module ? "" : module.error().render().c_str());
        checkRoundTrip(*module);
    }

    void deepExpressions()
    {
        std::string sum = "n", nest;
        for (int i = 0; i < 290; ++i)
            sum += " * 3 + n";
        for (int i = 0; i < 90; ++i)
            nest += std::string(static_cast<std::size_t>(i) + 4, ' ') + "if n < " + std::to_string(i) + ":\n";
        nest += std::string(94, ' ') + "I[0] = 1\n";
        checkRoundTrip(*script::parseTvmScript(head + indented("I[0] = " + sum), "test.py"));
        checkRoundTrip(*script::parseTvmScript(head + nest, "test.py"));
    }

    void idsArePreOrder()
    {
        const ir::Module module = tests::program("mm_relu");
        std::vector<std::uint32_t> ids;
        ir::forEachStmt(module.functions().front().function->body, [&](const ir::Stmt &s) {
            if (const auto *loop = s.as<ir::For>())
                ids.push_back(loop->id.value);
            else if (const auto *block = s.as<ir::Block>())
                ids.push_back(block->id.value);
            return true;
        });
        QCOMPARE(ids.size(), 8U); // root, i, j, k, C, i, j, D
        for (std::size_t i = 0; i < ids.size(); ++i)
            QCOMPARE(ids[i], i + 1);
    }
};

QTEST_GUILESS_MAIN(RoundTripTest)
#include "round_trip_test.moc"
