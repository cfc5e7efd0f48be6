// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class LayoutTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void buffer()
    {
        checkPrimitive(
            mmRelu,
            "sch.transform_layout('Y', buffer=('write', 0), index_map=lambda i, j: (j // 4, i, j % 4))", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((2, 8, 4))
    for i, j, k in T.grid(8, 8, 8):
        with T.block("Y"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                Y[vj // 4, vi, vj % 4] = T.float32(0)
            Y[vj // 4, vi, vj % 4] = Y[vj // 4, vi, vj % 4] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vj // 4, vi, vj % 4], T.float32(0))
)");
        checkSchedule(chain, "sch.transform_layout('C', 'B', lambda i, j: (j, i))\ni, j = "
                             "sch.get_loops('C')\nsch.compute_at('B', j)");
        checkSchedule(chain, "sch.transform_layout('B', 'B', lambda i, j: (i * 12 + j,))\ni, j = "
                             "sch.get_loops('C')\nsch.compute_at('B', i)");
        checkSchedule(
            chain,
            "sch.transform_layout('B', 'B', lambda i, j: (j // 4, i, j % 4))\ni, j = sch.get_loops('C')\n"
            "a, b = sch.split(j, [None, 4])\nsch.compute_at('B', a)");
    }

    void block()
    {
        checkPrimitive(chain, "sch.transform_block_layout('C', lambda i, j: (j // 4, i, j % 4))", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for ax0, ax1, ax2 in T.grid(3, 10, 4):
        with T.block("C"):
            v0, v1, v2 = T.axis.remap("SSS", [ax0, ax1, ax2])
            C[v1, v0 * 4 + v2] = B[v1, v0 * 4 + v2] + T.float32(1)
)");
        checkSchedule(mmRelu, "sch.transform_block_layout('Y', lambda i, j, k: (i * 8 + j, k // 2, k % 2))");
        checkSchedule(reshape, "sch.transform_block_layout('C', lambda i: (i // 12, i % "
                               "12))\nsch.compute_at('B', sch.get_loops('C')[0])");
    }

    void reductionOfOneStepKeepsItsInit()
    {
        constexpr const char *before = R"(
@T.prim_func
def main(A: T.Buffer((4, 3), "float32"), C: T.Buffer((4, 3), "float32")):
    B = T.alloc_buffer((4, 3))
    for i, j, k in T.grid(4, 3, 1):
        with T.block("B"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                B[vi, vj] = T.float32(0)
            B[vi, vj] = B[vi, vj] + A[vi, vj + vk]
    for i, j in T.grid(4, 3):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] * T.float32(2)
)";
        checkRefused(before,
                     "sch.transform_block_layout('B', lambda i, j, k: (i // 2, k, j, i % "
                     "2))\nsch.reverse_compute_inline('C')",
                     "schedule.has-init");
    }

    void refused()
    {
        checkRefused(chain, "sch.transform_layout('B', 'B', lambda i, j: (i // 4, j, i % 4))",
                     "schedule.not-bijective", "divide");
        checkRefused(chain, "sch.transform_layout('B', 'B', lambda i, j: (i + j,))",
                     "schedule.not-bijective");
        checkRefused(chain, "sch.transform_layout('B', 'B', lambda i: (i,))", "schedule.index-map");
        checkRefused(chain, "sch.transform_layout('C', 'C', lambda i, j: (j, i))", "schedule.not-allocated",
                     "cache_write");
        checkRefused(chain, "sch.transform_layout('C', ('read', 1), lambda i, j: (j, i))",
                     "schedule.buffer-index");
        checkRefused(mmRelu, "sch.transform_block_layout('Y', lambda i, j, k: (i, j * 8 + k))",
                     "schedule.iter-kind");
        checkRefused(chain,
                     "i, j = sch.get_loops('B')\nsch.split(i, [2, 5])\nsch.transform_block_layout('B', "
                     "lambda i, j: (j, i))",
                     "schedule.not-affine-trivially", "split");
        checkRefused(chain,
                     "i, j = sch.get_loops('C')\nsch.compute_at('B', i)\nsch.transform_block_layout('C', "
                     "lambda i, j: (j, i))",
                     "schedule.not-only-child");
        checkRefused(chain, "sch.transform_block_layout('B', lambda i, j: (i,))", "schedule.not-bijective");
    }
};

QTEST_GUILESS_MAIN(LayoutTest)
#include "layout_test.moc"
