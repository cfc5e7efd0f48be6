// SPDX-License-Identifier: Apache-2.0
// Programs in forms that only TVM's own files have, on every backend against the interpreter: intrinsics of
// LLVM, products of fixed-point numbers, layouts left to the caller, several buffers of one memory,
// variables that are assigned.
#include "core/analysis/access/complete_regions.h"
#include "core/backend/backend.h"
#include "core/interp/interpreter.h"
#include "core/lower/pipeline.h"
#include "core/schedule/script/reader.h"
#include "core/schedule/state_index.h"
#include "core/script/tvmscript/parser.h"
#include "core/support/host.h"
#include "tests/support/backends.h"

#include <QtTest>

#include <random>

using namespace nestwright;

namespace {

ir::Module parsed(const std::string &text)
{
    const auto module = script::parseTvmScript(text, "test.py");
    if (!module)
        qFatal("%s", (module.error().render() + "\n" + text).c_str());
    return analysis::completeRegions(*module);
}

std::string function(const std::string &parameters, const std::string &body, bool later = false)
{
    return std::string(later ? "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"
                             : "from tvm.script import tir as T\n@T.prim_func\n")
           + "def main(" + parameters + "):\n" + body;
}

const std::string vectors = "A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")";

/// One element of B for each of A.
ir::Module elementwise(const std::string &value, const std::string &dtype = "float32")
{
    return parsed(function("A: T.Buffer((64,), \"" + dtype + "\"), B: T.Buffer((64,), \"" + dtype + "\")",
                           "    for i in range(64):\n        B[i] = " + value + "\n"));
}

/// The exact product, in all its bits.
std::int32_t exactProduct(std::int64_t x, std::int64_t y, int q, int s)
{
    using Wide = __int128;
    const Wide product = static_cast<Wide>(x) * y * (static_cast<Wide>(1) << std::max(s, 0));
    const int right = q + std::max(-s, 0);
    const Wide divisor = static_cast<Wide>(1) << right;
    const Wide sum = product + divisor / 2; // then rounded down, by division
    const Wide quotient = sum / divisor - (sum % divisor < 0 ? 1 : 0);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(quotient)));
}

} // namespace

class TvmFormsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The same arithmetic runs on OpenCL in the tests of kernels and schedules; here are many small
    /// programs.
    void initTestCase() { qputenv("NESTWRIGHT_TEST_OPENCL", "0"); }
    void intrinsicsOfLlvm_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("dtype");
        const auto row = [](const char *value, const char *dtype) { QTest::newRow(value) << value << dtype; };
        const auto call = [&](const char *text, const char *dtype) {
            const std::string value = std::string("T.call_llvm_pure_intrin(\"") + dtype + "\", " + text + ")";
            QTest::newRow(text) << QString::fromStdString(value) << QString(dtype);
        };
        call("\"llvm.sqrt\", T.fabs(A[i])", "float32");
        call("\"llvm.sqrt.f32\", T.uint32(1), T.fabs(A[i])", "float32");
        call("\"llvm.exp\", A[i]", "float64");
        call("\"llvm.fma\", A[i], A[i], T.float32(0.5)", "float32");
        call("\"llvm.rint\", A[i] * T.float32(4)", "float32");
        call("\"llvm.maxnum\", A[i], A[63 - i]", "float32");
        call("\"llvm.minimum\", A[i], A[63 - i]", "float32");
        call("\"llvm.copysign\", A[i], A[63 - i]", "float32");
        call("\"llvm.powi\", A[i], 3", "float32");
        call("\"llvm.smax\", A[i], A[63 - i]", "int32");
        call("\"llvm.umin\", A[i], A[63 - i]", "int32");
        call("\"llvm.abs\", A[i], T.bool(False)", "int32");
        call("\"llvm.ctpop\", A[i]", "int64");
        call("\"llvm.ctlz\", A[i], T.bool(False)", "int32");
        call("\"llvm.sadd.sat\", A[i], A[63 - i] * T.int8(40)", "int8");
        call("\"llvm.usub.sat\", A[i], A[63 - i]", "uint8");
        row("T.call_llvm_intrin(\"float32\", \"llvm.floor\", A[i])", "float32");
    }

    void intrinsicsOfLlvm()
    {
        QFETCH(QString, value);
        QFETCH(QString, dtype);
        tests::checkBackends(elementwise(value.toStdString(), dtype.toStdString()));
    }

    void intrinsicsThatNobodyKnows()
    {
        for (const char *name :
             {"llvm.coro.begin", "llvm.trap", "llvm.x86.tdpbssd.internal", "no.such", "", "llvm.bswap"}) {
            const ir::Module module =
                elementwise(std::string("T.call_llvm_pure_intrin(\"float32\", \"") + name + "\", A[i])");
            for (const char *target : {"llvm", "c"}) {
                if (!backend::isBuilt(target::parseTarget(target)->kind))
                    continue;
                const auto compiled = backend::compile(module, *target::parseTarget(target));
                QVERIFY2(!compiled, name);
                QCOMPARE(compiled.error().code, std::string("backend.unsupported"));
                QVERIFY2(compiled.error().message.contains(name), compiled.error().message.c_str());
            }
        }
        const auto wrong = script::parseTvmScript(
            function(vectors, "    A[0] = T.call_llvm_pure_intrin(\"float32\", \"llvm.sqrt\", T.int32(1))\n"),
            "test.py");
        QVERIFY(!wrong && wrong.error().code == "script.type" && !wrong.error().locations.empty());
    }

    void dotProductsOfBytes_data()
    {
        QTest::addColumn<QString>("intrinsic");
        QTest::newRow("one instruction") << "dot_16x4_vnni";
        QTest::newRow("two instructions") << "dot_16x4_avx512";
    }

    /// Also where the processor does not have the instruction.
    void dotProductsOfBytes()
    {
        QFETCH(QString, intrinsic);
        const auto state = schedule::makeState(*script::parseTvmScript(R"(
@T.prim_func
def main(A: T.Buffer((4,), "uint8"), B: T.Buffer((16, 4), "int8"), C: T.Buffer((16,), "int32")):
    for i, k in T.grid(16, 4):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = 0
            C[vi] = C[vi] + T.Cast("int32", A[vk]) * T.Cast("int32", B[vi, vk])
)",
                                                                       "dot.py"));
        QVERIFY(state);
        const auto run = schedule::runScheduleScript(
            *state,
            "c = sch.get_block('C')\nsch.decompose_reduction(c, sch.get_loops(c)[0])\n"
            "sch.tensorize(sch.get_loops(sch.get_block('C_update'))[0], '"
                + intrinsic.toStdString() + "')\n",
            "schedule.py");
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        tests::checkBackends(state->module, run->state.module, {.seed = 3, .runs = 5});
        if (!backend::isBuilt(target::TargetKind::Llvm))
            return;
        const auto has = [&](const char *target, const char *instruction) {
            const auto text =
                backend::source(run->state.module, *target::parseTarget(target), backend::SourceKind::Asm);
            return text && text->text.contains(instruction);
        };
        const char *instruction = intrinsic == "dot_16x4_vnni" ? "vpdpbusd" : "vpmaddubsw";
        QVERIFY(has("llvm -mtriple=x86_64-linux-gnu -mcpu=icelake-server", instruction));
        QVERIFY(!has("llvm -mtriple=x86_64-linux-gnu -mcpu=haswell", "vpdpbusd"));
        if (intrinsic
            == "dot_16x4_vnni") { // in registers of 256 bits; Arm's for both kinds of bytes, or signed
            QVERIFY(has("llvm -mtriple=x86_64-linux-gnu -mcpu=alderlake", "vpdpbusd"));
            QVERIFY(!has("llvm -mtriple=x86_64-linux-gnu -mcpu=alderlake", "pmaddwd"));
            QVERIFY(has("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-v2", "usdot"));
            QVERIFY(has("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76", "sdot"));
            QVERIFY(!has("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", "sdot"));
        }
        QVERIFY(has("llvm -mtriple=x86_64-linux-gnu -mcpu=haswell", "main"));
        QVERIFY(has("llvm -mtriple=aarch64-linux-gnu", "main"));
        if (QSysInfo::buildCpuArchitecture() != QStringLiteral("x86_64"))
            return;
        for (const char *older : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
            const std::string target = std::string("llvm -mcpu=") + older;
            if (older == std::string_view("x86-64-v4") && !support::processorFeatures().contains("avx512bw"))
                continue;
            if (older == std::string_view("x86-64-v3") && !support::processorFeatures().contains("avx2"))
                continue;
            const auto why = tests::whyNotCompiledRight(*state->module.mainEntry()->function,
                                                        run->state.module, target, {.seed = 3, .runs = 20});
            QVERIFY2(!why, (target + ": " + why.value_or("")).c_str());
            if (intrinsic == "dot_16x4_vnni") // words at a time, not 32 bits
                QVERIFY(has((target + " -mtriple=x86_64-linux-gnu").c_str(), "pmaddwd"));
        }
    }

    void bitsOfOtherLanes()
    {
        tests::checkBackends(parsed(function(
            "A: T.Buffer((64,), \"int8\"), B: T.Buffer((16,), \"int32\"), C: T.Buffer((64,), \"uint8\")",
            R"(    for i in range(16):
        bytes: T.int8x4 = A[i * 4:i * 4 + 4]
        B[i] = T.reinterpret("int32", bytes)
    for i in range(16):
        word: T.int32 = B[i]
        C[i * 4:i * 4 + 4] = T.reinterpret("uint8x4", word)
)")));
        tests::checkBackends(
            elementwise("T.reinterpret(\"float64\", T.reinterpret(\"uint64\", A[i]))", "float64"));
        tests::checkBackends(
            elementwise("T.reinterpret(\"float16\", T.reinterpret(\"uint16\", A[i]))", "float16"));
        tests::checkBackends(
            elementwise("T.reinterpret(\"int32\", T.reinterpret(\"uint32\", A[i]))", "int32"));
    }

    void fixedPointProducts_data()
    {
        QTest::addColumn<int>("factor");
        QTest::addColumn<int>("fraction");
        QTest::addColumn<int>("shift");
        for (const int factor : {1 << 30, 1395864371, INT_MAX, INT_MIN, -7}) {
            for (const int fraction : {31, 7}) {
                for (const int shift : {0, 1, 9, -1, -20, -32})
                    QTest::addRow("%d, %d, %d", factor, fraction, shift) << factor << fraction << shift;
            }
        }
    }

    void fixedPointProducts()
    {
        QFETCH(int, factor);
        QFETCH(int, fraction);
        QFETCH(int, shift);
        const std::string numbers =
            std::to_string(factor) + ", " + std::to_string(fraction) + ", " + std::to_string(shift);
        const ir::Module module = elementwise("T.q_multiply_shift(A[i], " + numbers + ")", "int32");
        ir::NdArray a(ir::DataType::int32(), {64}), b(ir::DataType::int32(), {64});
        std::mt19937 random(7);
        const std::array<std::int64_t, 6> edges{INT_MIN, INT_MAX, 0, 1, -1, INT_MIN + 1};
        for (std::int64_t i = 0; i < 64; ++i)
            a.set(i, static_cast<double>(i < 6 ? edges[static_cast<std::size_t>(i)]
                                               : static_cast<std::int32_t>(random())));
        const auto check = [&](const ir::PrimFunc &f) {
            std::array<ir::NdArray *, 2> arrays{&a, &b};
            const auto run = interp::run(f, arrays, {});
            QVERIFY2(run, run ? "" : run.error().render().c_str());
            for (std::int64_t i = 0; i < 64; ++i)
                QCOMPARE(static_cast<std::int32_t>(b.at(i)),
                         exactProduct(static_cast<std::int64_t>(a.at(i)), factor, fraction, shift));
        };
        check(*module.find("main"));
        if (shift == 9 || shift == -1)
            tests::checkBackends(module);
    }

    void fixedPointProductsPerAxis()
    {
        for (const char *flags : {"True, False", "False, True", "True, True", "False, False"}) {
            const std::string text =
                std::string("T.q_multiply_shift_per_axis(A[i], 1395864371, 3, 5, 31, ") + flags + ")";
            tests::checkBackends(elementwise(text, "int32"));
        }
        // Amounts that only the run knows.
        tests::checkBackends(elementwise("T.q_multiply_shift(A[i], A[63 - i], 31, A[i] % 8 - 4)", "int32"));
    }

    void layoutsLeftToTheCaller()
    {
        tests::checkBackends(parsed(
            function("A: T.Buffer((3, 9), \"float32\", offset_factor=1), B: T.Buffer((3, 9), \"float32\", "
                     "offset_factor=4)",
                     "    for i, j in T.grid(3, 9):\n        B[i, j] = A[i, j] * T.float32(2)\n", true)));
        const std::string body = R"(    n = T.int32()
    A = T.match_buffer(a, (n, 4), strides=("s", "t"), offset_factor=1)
    B = T.match_buffer(b, (n, 4), strides=("s", "t"))
    C = T.Buffer((B.strides[0] * n,), data=B.data)
    for i, j in T.grid(n, 4):
        C[i * B.strides[0] + j * B.strides[1]] = A[i, j] + T.Cast("float32", A.elem_offset)
)";
        const ir::Module strided = parsed(function("a: T.handle, b: T.handle", body));
        tests::checkBackends(strided, {.sizes = {{"n", 5}}});
        // One stride for arrays that need different ones.
        const ir::Module torn = parsed(function("a: T.handle, b: T.handle", R"(    s = T.int32()
    A = T.match_buffer(a, (4, 4), strides=(s, 1))
    B = T.match_buffer(b, (4, 8), strides=(s, 1))
    B[0, 0] = A[0, 0]
)"));
        ir::NdArray a(ir::DataType::float32(), {4, 4}), b(ir::DataType::float32(), {4, 8});
        std::array<ir::NdArray *, 2> arrays{&a, &b};
        const auto run = interp::run(*torn.find("main"), arrays, {});
        QVERIFY(!run && run.error().code == "interp.argument" && run.error().message.contains("'s'"));
        for (const char *target : {"llvm", "c"}) {
            if (backend::isBuilt(target::parseTarget(target)->kind))
                QCOMPARE(backend::compile(torn, *target::parseTarget(target)).error().code,
                         std::string("backend.symbolic-size"));
        }
    }

    void severalBuffersOfOneMemory()
    {
        const auto state = schedule::makeState(
            *script::parseTvmScript(function("A: T.Buffer((8, 8), \"float32\"), B: T.Buffer((8, 8), "
                                             "\"float32\"), C: T.Buffer((64,), \"float32\")",
                                             R"(    A_flat = T.Buffer((64,), data=A.data)
    B_flat = T.Buffer((64,), data=B.data)
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B_flat[vi] = A_flat[vi] * T.float32(2)
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi * 8 + vj] = B[vi, vj] + T.float32(1)
)"),
                                    "alias.py"));
        QVERIFY2(state, state ? "" : state.error().render().c_str());
        tests::checkBackends(state->module);
        const auto run = schedule::runScheduleScript(
            *state, "a, b = sch.split(sch.get_loops('B')[0], [8, 8])\nsch.parallel(a)\nsch.vectorize(b)\n",
            "loops.py");
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        tests::checkBackends(state->module, run->state.module);
        for (const char *step :
             {"sch.compute_inline('B')", "sch.cache_write('B', 0, 'local')", "sch.set_scope('B', 0, 'local')",
              "sch.reverse_compute_at('C', sch.get_loops('B')[0])",
              "sch.transform_layout('B', ('write', 0), lambda i: (i // 8, i % 8))"}) {
            const auto refused = schedule::runScheduleScript(*state, step, "step.py");
            QVERIFY2(!refused, step);
            QCOMPARE(refused.error().code, std::string("schedule.alias"));
            QVERIFY(refused.error().message.contains("'A'") && refused.error().message.contains("'A_flat'"));
        }
    }

    void dependencesByWayOfAnotherBuffer()
    {
        // The second block reads the first one's writes under another name: both writing and reading it is no
        // complete block.
        const auto state = schedule::makeState(*script::parseTvmScript(
            function("A: T.Buffer((8, 8), \"float32\")", R"(    F = T.Buffer((64,), data=A.data)
    for i in range(63):
        with T.block("A"):
            vi = T.axis.spatial(63, i)
            F[vi + 1] = A[vi // 8, vi % 8]
)"),
            "alias.py"));
        QVERIFY(state);
        const auto run =
            schedule::runScheduleScript(*state, "sch.parallel(sch.get_loops('A')[0])\n", "loops.py");
        QVERIFY(!run && run.error().message.contains("both reads and writes"));
        const auto two = schedule::makeState(*script::parseTvmScript(
            function("A: T.Buffer((8, 8), \"float32\"), B: T.Buffer((64,), \"float32\")",
                     R"(    F = T.Buffer((64,), data=A.data)
    for i in range(64):
        with T.block("first"):
            vi = T.axis.spatial(64, i)
            F[vi] = B[vi] + T.float32(1)
    for i, j in T.grid(8, 8):
        with T.block("second"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi * 8 + vj] = A[vi, vj]
)"),
            "two.py"));
        QVERIFY(two);
        const analysis::FunctionIndex &index = *two->index->of(two->module.find("main")->root()->id);
        const analysis::Scope &scope = index.scope(index.root());
        const auto isRaw = [](const analysis::Dependence &d) {
            return d.kind == analysis::DependenceKind::Raw;
        };
        QCOMPARE(std::ranges::count_if(scope.dependences, isRaw), 1);
    }

    void variablesThatAreAssigned()
    {
        tests::checkBackends(parsed(function("V: T.Buffer((9,), \"float32\"), out: T.Buffer((9,), \"int64\")",
                                             R"(    with T.sblock("count"):
        T.reads()
        T.writes()
        for v in T.parallel(9):
            low: T.int64
            high: T.int64 = T.int64(9)
            low = T.int64(0)
            while low < high:
                middle: T.int64 = low + (high - low >> T.int64(1))
                if V[middle] < V[v]:
                    low = middle + T.int64(1)
                else:
                    high = middle
            out[v] = low
)",
                                             true)));
        tests::checkBackends(parsed(function(vectors, R"(    total = T.float32(0)
    for i in range(64):
        with T.sblock("B"):
            vi = T.axis.opaque(64, i)
            total = total + A[vi]
            B[vi] = total
)",
                                             true)));
    }

    void conditionsAsIndices() { tests::checkBackends(elementwise("A[A[i] > A[63 - i]]")); }

    void programsThatCannotRunSaySo()
    {
        const ir::Module pointers =
            parsed(function("A: T.Buffer((8,), \"handle\"), B: T.Buffer((8,), \"handle\")",
                            "    for i in range(8):\n        B[i] = A[i]\n"));
        const auto lowered = lower::lower(pointers, {});
        QVERIFY(!lowered && lowered.error().message.contains("'A' of pointers"));
        const auto arguments = interp::makeArguments(*pointers.find("main"), 1);
        QVERIFY(!arguments && arguments.error().message.contains("'A' of pointers"));
        for (const char *body :
             {"    A[0] = T.reinterpret(\"int64\", B[0])\n", "    A[0] = T.Cast(\"float32\", T.handle())\n",
              "    A[0] = A.data.astype(\"float32\")\n", "    A[0] = T.cast(\"float32\", B.data)\n",
              "    A[0] = T.q_multiply_shift(A[0], 1, 31, 0)\n"}) {
            const auto module = script::parseTvmScript(function(vectors, body), "test.py");
            QVERIFY2(!module, body);
            QCOMPARE(module.error().code, std::string("script.type"));
            QVERIFY(!module.error().locations.empty());
        }
    }
};

QTEST_GUILESS_MAIN(TvmFormsTest)
#include "tvm_forms_test.moc"
