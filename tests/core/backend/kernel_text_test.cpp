// SPDX-License-Identifier: Apache-2.0
// The text of kernels as OpenCL C and CUDA.
#include "core/backend/backend.h"
#include "tests/support/backends.h"
#include "tests/support/programs.h"
#include "tests/support/shared_stages.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

backend::Source sourceOf(std::string_view text, target::TargetKind kind)
{
    target::Target target;
    target.kind = kind;
    const auto source = backend::source(parsed(text), target,
                                        kind == target::TargetKind::Cuda ? backend::SourceKind::Cuda
                                                                         : backend::SourceKind::OpenCl);
    if (!source)
        qFatal("%s", source.error().render().c_str());
    return *source;
}

constexpr std::string_view reversed = R"(
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32"), n: T.int32):
    with T.decl_buffer((64,), scope="shared") as S:
        for bx in T.thread_binding(16, thread="blockIdx.y"):
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                S[tx] = A[bx * 64 + tx]
                B[bx * 64 + tx] = T.exp(S[63 - tx]) + T.Cast("float32", n)
)";

} // namespace

class KernelTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void openCl()
    {
        QCOMPARE(QString::fromStdString(sourceOf(reversed, target::TargetKind::OpenCl).text),
                 R"(/* Made by Nestwright. OpenCL C 1.2. */

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void main_kernel(__global const float *restrict A, __global float *restrict B, const int n)
{
    __local __attribute__((aligned(16))) float S[64];
    const int bx = get_group_id(1);
    const int tx = get_local_id(0);
    S[tx] = A[bx * 64 + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    B[bx * 64 + tx] = exp(S[63 - tx]) + (float)n;
}
)");
    }

    void cuda()
    {
        QCOMPARE(QString::fromStdString(sourceOf(reversed, target::TargetKind::Cuda).text),
                 R"(// Made by Nestwright. CUDA C++; needs no header.

extern "C" __global__ __launch_bounds__(64)
void main_kernel(const float *__restrict__ A, float *__restrict__ B, const int n)
{
    __shared__ __align__(16) float S[64];
    const int bx = blockIdx.y;
    const int tx = threadIdx.x;
    S[tx] = A[bx * 64 + tx];
    __syncthreads();
    B[bx * 64 + tx] = expf(S[63 - tx]) + (float)n;
}
)");
    }

    /// In one piece of memory, where arrays lie where others lay.
    void arraysOfABlockShareMemory()
    {
        const QString cuda =
            QString::fromStdString(sourceOf(sharedStages(64), target::TargetKind::Cuda).text);
        QVERIFY2(cuda.contains(R"(
    __shared__ __align__(16) unsigned char nw_shared[512];
    float *const S = (float *)(nw_shared);
    float *const P = (float *)(nw_shared + 256);
    float *const Q = (float *)(nw_shared);
)"),
                 qPrintable(cuda));
        const QString openCl =
            QString::fromStdString(sourceOf(sharedStages(64), target::TargetKind::OpenCl).text);
        QVERIFY2(openCl.contains(R"(
    __local __attribute__((aligned(16))) unsigned char nw_shared[512];
    __local float *const S = (__local float *)(nw_shared);
)"),
                 qPrintable(openCl));
    }

    /// More than a kernel may have of itself comes with the launch.
    void muchSharedMemoryComesWithTheLaunch()
    {
        const auto source = backend::source(
            parsed(sharedStages(8192)), *target::parseTarget("cuda -arch=sm_80"), backend::SourceKind::Cuda);
        QVERIFY(source);
        const QString text = QString::fromStdString(source->text);
        QVERIFY2(text.contains("    extern __shared__ __align__(16) unsigned char nw_shared[];\n"
                               "    float *const S = (float *)(nw_shared);\n"
                               "    float *const P = (float *)(nw_shared + 32768);\n"),
                 qPrintable(text));
        QVERIFY2(text.contains("\n// A launch gives a block 65536 bytes of shared memory.\n"),
                 qPrintable(text));
    }

    void loopsHaveLines()
    {
        const backend::Source source = sourceOf(reversed, target::TargetKind::OpenCl);
        QCOMPARE(source.spans.size(), 2U);
        QCOMPARE(source.spans[0].firstLine, 6);
        QCOMPARE(source.spans[1].firstLine, 7);
    }

    void parts_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("openCl");
        QTest::addColumn<QString>("cuda");
        const auto row = [](const char *name, const QString &parameters, const QString &body,
                            const char *openCl, const char *cuda) {
            QTest::newRow(name) << "@T.prim_func\ndef main(" + parameters + "):\n" + body << openCl << cuda;
        };
        const QString ints = R"(A: T.Buffer((64,), "int64"), B: T.Buffer((64,), "int64"))";
        row("a helper", ints,
            "    for i in T.thread_binding(64, thread=\"threadIdx.x\"):\n        B[i] = T.min(A[i], B[i])\n",
            "static inline int64_t nw_min_i64(", "static __device__ __forceinline__ int64_t nw_min_i64(");
        row("a type of C", ints,
            "    for i in T.thread_binding(64, thread=\"threadIdx.x\"):\n        B[i] = T.min(A[i], B[i])\n",
            "typedef long int64_t;", "typedef long int64_t;");
        row("an error", ints,
            "    for i in T.thread_binding(64, thread=\"threadIdx.x\"):\n        B[i] = A[i] // B[i]\n",
            "__global int *restrict nw_status)", "int *__restrict__ nw_status)");
        row("threads that hand over memory of the device", ints,
            "    for i in T.thread_binding(64, thread=\"threadIdx.x\"):\n        B[i] = A[i]\n        A[i] = "
            "B[63 - i]\n",
            "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);", "__syncthreads();");
        row("half precision", R"(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "float16"))",
            "    for i in T.thread_binding(64, thread=\"threadIdx.x\"):\n        B[i] = A[i] + A[i]\n",
            "vload_half", "nw_from_f16");
        row("double precision", R"(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"))",
            "    for i in T.thread_binding(64, thread=\"threadIdx.x\"):\n        B[i] = T.exp(A[i])\n",
            "#pragma OPENCL EXTENSION cl_khr_fp64 : enable", "exp(A[i])");
        const QString vectors = R"(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32"))";
        const QString copy =
            "    for i in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
            "        for v in T.vectorized(%1):\n            B[i * %1 + v] = A[i * %1 + v + %2]\n";
        const QString fused = "    for b in T.thread_binding(4, thread=\"blockIdx.x\"):\n"
                              "        for i in T.thread_binding(16, thread=\"threadIdx.x\"):\n"
                              "            B[(b * 16 + i) // %1] = A[0]\n";
        row("a quotient of block and thread", ints, fused.arg(24), "B[(b * 2 + (i >> 3)) / 3] = A[0];",
            "B[(b * 2 + (i >> 3)) / 3] = A[0];");
        row("one whose divisor is a multiple", ints, fused.arg(32), "B[b >> 1] = A[0];", "B[b >> 1] = A[0];");
        row("one that shares nothing", ints, fused.arg(3), "B[(b * 16 + i) / 3] = A[0];",
            "B[(b * 16 + i) / 3] = A[0];");
        row("a copy of four numbers", vectors, copy.arg(4).arg(4),
            "*(__global uint4 *)&B[i * 4] = *(__global const uint4 *)&A[i * 4 + 4];",
            "*(uint4 *)&B[i * 4] = *(const uint4 *)&A[i * 4 + 4];");
        row("a copy of eight in halves", vectors, copy.arg(8).arg(0),
            "*(__global uint4 *)&B[i * 8 + 4] = *(__global const uint4 *)&A[i * 8 + 4];",
            "*(uint4 *)&B[i * 8 + 4] = *(const uint4 *)&A[i * 8 + 4];");
        row("a copy from an even place", vectors, copy.arg(4).arg(2),
            "*(__global uint2 *)&B[i * 4 + 2] = *(__global const uint2 *)&A[i * 4 + 4];",
            "*(uint2 *)&B[i * 4] = *(const uint2 *)&A[i * 4 + 2];");
        row("a copy from an odd place", vectors, copy.arg(4).arg(1), "B[i * 4 + lane] = A[i * 4 + 1 + lane];",
            "B[i * 4 + lane] = A[i * 4 + 1 + lane];");
        row("a copy of half precision", R"(A: T.Buffer((256,), "float16"), B: T.Buffer((256,), "float16"))",
            copy.arg(8).arg(0), "*(__global uint4 *)&B[i * 8]", "*(uint4 *)&B[i * 8]");
        row("a copy of two of half precision",
            R"(A: T.Buffer((256,), "float16"), B: T.Buffer((256,), "float16"))", copy.arg(2).arg(0),
            "*(__global ushort2 *)&B[i * 2] = *(__global const ushort2 *)&A[i * 2];",
            "*(ushort2 *)&B[i * 2] = *(const ushort2 *)&A[i * 2];");
        row("a copy of four bytes", R"(A: T.Buffer((256,), "int8"), B: T.Buffer((256,), "int8"))",
            copy.arg(4).arg(0), "*(__global uchar4 *)&B[i * 4] = *(__global const uchar4 *)&A[i * 4];",
            "*(uchar4 *)&B[i * 4] = *(const uchar4 *)&A[i * 4];");
        const QString view = "    V = T.decl_buffer((128,), data=A.data, elem_offset=%1)\n"
                             "    for i in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
                             "        for v in T.vectorized(4):\n            B[i * 4 + v] = V[i * 4 + v]\n";
        row("a copy of a view from a multiple", vectors, view.arg(4),
            "*(__global uint4 *)&B[i * 4] = *(__global const uint4 *)&V[i * 4 + 4];",
            "*(uint4 *)&B[i * 4] = *(const uint4 *)&V[i * 4 + 4];");
        row("a copy of a view from between", vectors, view.arg(1), "B[i * 4 + lane] = V[i * 4 + lane + 1];",
            "B[i * 4 + lane] = V[i * 4 + lane + 1];");
        row("a copy within one array", vectors,
            "    for i in T.thread_binding(16, thread=\"threadIdx.x\"):\n"
            "        for v in T.vectorized(4):\n            B[i * 4 + v] = B[i * 4 + v + 64]\n",
            "B[i * 4 + 64 + lane]", "B[i * 4 + 64 + lane]");
        row("no thread", ints, "    for i in range(64):\n        B[i] = A[i]\n",
            "reqd_work_group_size(1, 1, 1)", "__global__\nvoid main_kernel(");
    }
    void parts()
    {
        QFETCH(QString, program);
        QFETCH(QString, openCl);
        QFETCH(QString, cuda);
        const std::string text = program.toStdString();
        const auto check = [&](target::TargetKind kind, const QString &part) {
            const QString found = QString::fromStdString(sourceOf(text, kind).text);
            QVERIFY2(found.contains(part), qPrintable(found));
        };
        check(target::TargetKind::OpenCl, openCl);
        check(target::TargetKind::Cuda, cuda);
    }

    /// An OpenCL compiler that takes a number of another type for one elsewhere reads what was there before.
    void elementsOfVectorsAreReadAsTheyWereCopied()
    {
        const ir::Module module = parsed(R"(
@T.prim_func
def main(A: T.Buffer((128,), "float16"), B: T.Buffer((128,), "float16")):
    for i in T.thread_binding(32, thread="threadIdx.x"):
        with T.decl_buffer((4,), "float16", scope="local") as L:
            for j in range(2):
                for v in T.vectorized(2):
                    L[j * 2 + v] = A[i * 4 + j * 2 + v]
            for v in range(4):
                B[i * 4 + v] = L[v] + L[v]
)");
        target::Target target;
        target.kind = target::TargetKind::OpenCl;
        const auto source = backend::source(module, target, backend::SourceKind::OpenCl);
        QVERIFY(source);
        QVERIFY2(source->text.contains("    __attribute__((aligned(16))) unsigned short L[4];\n"),
                 source->text.c_str());
        QVERIFY(source->text.contains("*(__private ushort2 *)&L[j * 2]"));
        if (!backend::checkDevice(target))
            QSKIP("no OpenCL device");
        const auto why = whyNotCompiledRight(*module.mainEntry()->function, module, "opencl", {});
        QVERIFY2(!why, why.value_or("").c_str());
    }

    /// By instructions where the GPU has them, else by their bits.
    void smallFloatsAreConverted()
    {
        const auto textOf = [](const char *type) {
            return sourceOf(std::format(R"(
@T.prim_func
def main(A: T.Buffer((64,), "{0}"), B: T.Buffer((64,), "{0}")):
    for i in T.thread_binding(64, thread="threadIdx.x"):
        B[i] = A[i] * A[i]
)",
                                        type),
                            target::TargetKind::Cuda)
                .text;
        };
        for (const auto &[type, condition, instruction] :
             {std::tuple{"float16", "#ifdef __CUDA_ARCH__\n    uint16_t result;", "cvt.rn.f16.f32 %0, %1;"},
              std::tuple{"float16", "nw_mul_f16(uint16_t a, uint16_t b)\n{\n#ifdef __CUDA_ARCH__\n",
                         "mul.f16 %0, %1, %2;"},
              std::tuple{"bfloat16",
                         "#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800\n    uint16_t result;",
                         "cvt.rn.bf16.f32 %0, %1;"},
              std::tuple{"bfloat16",
                         "#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900\n    uint16_t result;",
                         "mul.bf16 %0, %1, %2;"}}) {
            const std::string text = textOf(type);
            const std::size_t begin = text.find(condition), at = text.find(instruction, begin);
            QVERIFY2(begin != std::string::npos && at != std::string::npos, text.c_str());
            QVERIFY2(at < text.find("#else\n", begin), text.c_str());
            QVERIFY2(text.find("#endif\n", at) != std::string::npos, text.c_str());
        }
        QVERIFY(!textOf("float32").contains("#if"));
    }

    /// Sums and products keep them as they lie in memory; other languages work in float.
    void smallFloatsAreAdded()
    {
        const auto textOf = [](target::TargetKind kind) {
            const std::string text = sourceOf(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "float16")):
    for i in T.thread_binding(64, thread="threadIdx.x"):
        B[i] = B[i] - A[i] * T.float16(3) + T.exp(A[i])
)",
                                              kind)
                                         .text;
            return text.substr(text.find("    B["));
        };
        const std::string cuda = textOf(target::TargetKind::Cuda),
                          openCl = textOf(target::TargetKind::OpenCl);
        QVERIFY2(cuda.contains("= nw_add_f16(nw_sub_f16(B[i], nw_mul_f16(A[i], 0x4200 /* 3 */)), nw_to_f16("),
                 cuda.c_str());
        QVERIFY2(!openCl.contains("nw_add_f16") && openCl.contains("nw_round_f16("), openCl.c_str());
    }

    void powersOfTwoAreShifts()
    {
        const std::string text = sourceOf(R"(
@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    for i in T.thread_binding(64, thread="threadIdx.x"):
        B[i // 8 * 8 + i % 8] = A[i] // 4 + (A[i] - 9) % 16 * 2 + A[i] // 6
)",
                                          target::TargetKind::Cuda)
                                     .text;
        QVERIFY2(text.contains("(A[i] >> 2)") && text.contains(" & 15)"), text.c_str());
        QVERIFY2(text.contains("nw_floordiv_i64(A[i], 6"), text.c_str());
    }

    /// A small array before a large one would leave room between them.
    void largeSharedArraysComeFirst()
    {
        const std::string text = sourceOf(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for b in T.thread_binding(1, thread="blockIdx.x"):
        with T.decl_buffer((2,), scope="shared") as S, T.decl_buffer((64,), scope="shared") as L:
            for i in T.thread_binding(64, thread="threadIdx.x"):
                L[i] = A[i]
                if i < 2:
                    S[i] = A[i]
                B[i] = L[63 - i] + S[i % 2]
)",
                                          target::TargetKind::Cuda)
                                     .text;
        const std::size_t large = text.find("float L[64]"), small = text.find("float S[2]");
        QVERIFY2(large != std::string::npos && small != std::string::npos && large < small, text.c_str());
    }

    void whatKernelsCannotDoIsRefused()
    {
        target::Target target;
        target.kind = target::TargetKind::OpenCl;
        const auto refused = backend::source(parsed(R"(
@T.prim_func
def main(B: T.Buffer((64,), "float32"), n: T.int32):
    for i in T.thread_binding(64, thread="threadIdx.x"):
        with T.decl_buffer((n,), scope="local") as L:
            for k in range(n):
                L[k] = T.float32(1)
            for k in range(n):
                B[i] = B[i] + L[k]
)"),
                                             target, backend::SourceKind::OpenCl);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("backend.unsupported"));
        QVERIFY(refused.error().message.contains("'L'"));
    }
};

QTEST_GUILESS_MAIN(KernelTextTest)
#include "kernel_text_test.moc"
