// SPDX-License-Identifier: Apache-2.0
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// Each thread of a block fills its element of `B` and reads that of another.
std::string exchange(const std::string &scope)
{
    return R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    B = T.alloc_buffer((64,), "float32", scope=")"
           + scope + R"(")
    for b in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(16, thread="threadIdx.x"):
            with T.block("B"):
                vi = T.axis.spatial(64, b * 16 + t)
                B[vi] = A[vi] + T.float32(1)
            with T.block("C"):
                vi = T.axis.spatial(64, b * 16 + (15 - t))
                C[vi] = B[vi]
)";
}

} // namespace

class SharedMemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// All that the threads of a block have written is there to be read, so a copy holds all of it.
    void copyOfWhatThreadsFillTogether()
    {
        checkPrimitive(exchange("shared"), "sch.cache_read('C', 0, 'local')", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    B = T.alloc_buffer((64,), "float32", scope="shared")
    B_local = T.alloc_buffer((64,), "float32", scope="local")
    for b in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(16, thread="threadIdx.x"):
            with T.block("B"):
                vi = T.axis.spatial(64, b * 16 + t)
                B[vi] = A[vi] + T.float32(1)
            for ax0 in range(16):
                with T.block("B_local"):
                    v0 = T.axis.spatial(64, b * 16 + ax0)
                    B_local[v0] = B[v0]
            with T.block("C"):
                vi = T.axis.spatial(64, b * 16 + (15 - t))
                C[vi] = B_local[vi]
)");
    }

    void threadsDoNotShareOtherMemory()
    {
        for (const char *scope : {"global", "local"})
            checkRefused(exchange(scope), "sch.cache_read('C', 0, 'local')", "analysis.region-cover", "'B'");
    }

    /// Indices that rise with one loop and fall with another are written whole too.
    void writtenInAnyDirection() { checkSchedule(exchange("shared"), "sch.cache_write('C', 0, 'local')"); }
};

QTEST_GUILESS_MAIN(SharedMemoryTest)
#include "shared_memory_test.moc"
