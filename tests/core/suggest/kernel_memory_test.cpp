// SPDX-License-Identifier: Apache-2.0
/// Memory of blocks and threads, as the lowered program takes it.
#include "core/schedule/apply.h"
#include "core/suggest/kernel_memory.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::suggest;

namespace {

/// Rows of 100 through shared memory, one at a time, and sums of two a thread.
constexpr std::string_view program = R"(
@T.prim_func
def main(A: T.Buffer((8, 100), "float16"), B: T.Buffer((8, 50), "float32"), n: T.int32):
    S = T.alloc_buffer((8, 100), "float16", scope="shared")
    L = T.alloc_buffer((8, 50, 3), "float16", scope="local")
    for b in T.thread_binding(8, thread="blockIdx.x"):
        for t in T.thread_binding(50, thread="threadIdx.x"):
            for c in range(2):
                with T.block("S"):
                    vb, vc = T.axis.spatial(8, b), T.axis.spatial(100, t * 2 + c)
                    S[vb, vc] = A[vb, vc]
        for t in T.thread_binding(50, thread="threadIdx.x"):
            for k in range(3):
                with T.block("L"):
                    vb, vt, vk = T.axis.remap("SSS", [b, t, k])
                    L[vb, vt, vk] = S[vb, (vt * 7 + vk) % 100]
            with T.block("B"):
                vb, vt = T.axis.remap("SS", [b, t])
                B[vb, vt] = T.Cast("float32", L[vb, vt, 0] + L[vb, vt, 1] + L[vb, vt, 2])
)";

} // namespace

class KernelMemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asMuchAsIsInUse()
    {
        const auto found = kernelMemory(tests::parsed(program), *target::parseTarget("cuda"));
        QVERIFY2(found, found ? "" : found.error().render().c_str());
        QCOMPARE(found->size(), std::size_t{2});
        const BufferMemory &shared = found->front(), &local = found->back();
        QCOMPARE(memorySentence(shared), std::string("S takes 200 bytes of shared memory of each block"));
        QCOMPARE(shared.registers(), std::int64_t{0});
        QCOMPARE(memorySentence(local), std::string("L takes 6 bytes of each thread: 2 registers"));
        QVERIFY(local.isOfThread && local.scope == "local");
    }

    void withoutAny()
    {
        QVERIFY(kernelMemory(tests::program("row_sum"), *target::parseTarget("opencl"))->empty());
    }

    void refusedAsLoweringIs()
    {
        const auto refused = kernelMemory(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((64,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        with T.block("A"):
            v = T.axis.spatial(32, t)
            A[v] = T.float32(0)
            for u in T.thread_binding(64, thread="threadIdx.x"):
                B[u] = T.float32(0)
)"),
                                          *target::parseTarget("cuda"));
        QVERIFY(!refused && refused.error().message.contains("threadIdx.x"));
    }
};

QTEST_GUILESS_MAIN(KernelMemoryTest)
#include "kernel_memory_test.moc"
