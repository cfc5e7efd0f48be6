// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node/equality.h"
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
        checkSchedule(chain,
                      "sch.transform_layout('C', 'B', tvm.tir.IndexMap.from_func(lambda i, j: (j, i,), "
                      "inverse_index_map=lambda i, j: (j, i,), index_dtype='int32'))\n");
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
        // A number of a wider type is meant to be; a plain one is an index like the others.
        const char *typed = R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for ax0 in range(T.%s(1)):
        for ax1, ax2 in T.grid(10, 12):
            with T.block("C"):
                v0, v1, v2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                C[v1, v2] = B[v1, v2] + T.float32(1)
)";
        checkPrimitive(chain, "sch.transform_block_layout('C', lambda i, j: (T.int64(0), i, j))",
                       QString::asprintf(typed, "int64").toStdString());
        checkPrimitive(chain, "sch.transform_block_layout('C', lambda i, j: (0, i, j))",
                       QString::asprintf(typed, "int32").toStdString());
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
                     "schedule.not-inlinable");
    }

    void paddingFilledByTheWriter()
    {
        checkPrimitive(chain,
                       "sch.transform_layout('B', 'B', lambda i, j: (i // 4, j, i % 4), pad_value=0.0)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((3, 12, 4))
    for axis0, axis1, axis2 in T.grid(3, 12, 4):
        with T.block("B"):
            v_axis0, v_axis1, v_axis2 = T.axis.remap("SSS", [axis0, axis1, axis2])
            B[v_axis0, v_axis1, v_axis2] = T.if_then_else(v_axis0 == 2 and 2 <= v_axis2, T.float32(0),
                                                          A[v_axis0 * 4 + v_axis2, v_axis1] * T.float32(2))
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi // 4, vj, vi % 4] + T.float32(1)
)");
    }

    /// A number becomes one of the buffer that is laid out, be it the one that the block reads.
    void paddingOfWhatIsRead()
    {
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((10,), "int8"), C: T.Buffer((10,), "float32")):
    B = T.alloc_buffer((10,), "int8")
    for i in range(10):
        with T.block("B"):
            vi = T.axis.spatial(10, i)
            B[vi] = A[vi]
    for i in range(10):
        with T.block("C"):
            vi = T.axis.spatial(10, i)
            C[vi] = T.Cast("float32", B[vi])
)",
                      "sch.transform_layout('C', ('read', 0), lambda i: (i // 4, i % 4), pad_value=3)");
    }

    void paddingOfAReduction()
    {
        checkSchedule(mmRelu, "sch.transform_layout('Y', 'Y', lambda i, j: (i // 3, j // 5, i % 3, j % 5), "
                              "pad_value=lambda a, b, c, d: T.Cast('float32', a + d))");
        checkSchedule(mmRelu, "sch.transform_layout('Y', 'Y', lambda i, *o: ((i + 1) // 4, (i + 1) % 4, *o), "
                              "pad_value=1.5)");
    }

    void paddingFilledBehindTheWriter()
    {
        constexpr const char *twoOutputs = R"(
@T.prim_func
def main(A: T.Buffer((14,), "int32"), C: T.Buffer((14,), "int32"), D: T.Buffer((14,), "int32")):
    B = T.alloc_buffer((14,), "int32")
    for i in range(14):
        with T.block("B"):
            vi = T.axis.spatial(14, i)
            B[vi] = A[vi]
            C[vi] = 0
    for i in range(14):
        with T.block("D"):
            vi = T.axis.spatial(14, i)
            D[vi] = B[vi]
)";
        checkPrimitive(twoOutputs, "sch.transform_layout('B', 'B', lambda i: [i // 4, i % 4], pad_value=7)",
                       R"(
@T.prim_func
def main(A: T.Buffer((14,), "int32"), C: T.Buffer((14,), "int32"), D: T.Buffer((14,), "int32")):
    B = T.alloc_buffer((4, 4), "int32")
    for i in range(14):
        with T.block("B"):
            vi = T.axis.spatial(14, i)
            B[vi // 4, vi % 4] = A[vi]
            C[vi] = 0
    for axis0, axis1 in T.grid(4, 4):
        with T.block("buffer_B_padding"):
            v_axis0, v_axis1 = T.axis.remap("SS", [axis0, axis1])
            T.where(axis0 == 3 and 2 <= axis1)
            B[v_axis0, v_axis1] = 7
    for i in range(14):
        with T.block("D"):
            vi = T.axis.spatial(14, i)
            D[vi] = B[vi // 4, vi % 4]
)");
    }

    void withoutPaddingWhenNobodyTouchesIt()
    {
        checkPrimitive(chain,
                       "sch.transform_layout('B', 'B', lambda i, j: (i // 4, j, i % 4), "
                       "assume_injective_transform=True)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((3, 12, 4))
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi // 4, vj, vi % 4] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi // 4, vj, vi % 4] + T.float32(1)
)");
    }

    void ofAParameter()
    {
        const schedule::State before = scheduled(chain);
        const auto after = schedule::runScheduleScript(
            before, "sch.transform_layout('B', 'A', lambda i, j: (i // 4, j, i % 4), pad_value=3.0)",
            "steps.py");
        QVERIFY2(after, after ? "" : after.error().render().c_str());
        const schedule::State expected = scheduled(R"(
@T.prim_func
def main(A: T.Buffer((3, 12, 4), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for axis0, axis1, axis2 in T.grid(3, 12, 4):
        with T.block("buffer_A_assumptions"):
            v_axis0, v_axis1, v_axis2 = T.axis.remap("SSS", [axis0, axis1, axis2])
            T.evaluate(T.assume(not (v_axis0 == 2 and 2 <= v_axis2)
                                or A[v_axis0, v_axis1, v_axis2] == T.float32(3)))
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi // 4, vj, vi % 4] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
        const auto difference = ir::firstDifference(expected.module, after->state.module);
        QVERIFY2(!difference, difference.value_or("").c_str());
    }

    /// Whether there is padding is known only when the size is.
    void paddingByASize()
    {
        checkPrimitive(R"(
@T.prim_func
def main(a: T.handle, C: T.Buffer((14,), "int32")):
    n = T.int32()
    A = T.match_buffer(a, (14, n), "int32")
    B = T.alloc_buffer((14,), "int32")
    for i in range(14):
        with T.block("B"):
            vi = T.axis.spatial(14, i)
            B[vi] = A[vi, 0]
    for i in range(14):
        with T.block("C"):
            vi = T.axis.spatial(14, i)
            C[vi] = B[vi] * 2
)",
                       "sch.transform_layout('B', 'B', lambda i: (i // n, i % n), pad_value=7)", R"(
@T.prim_func
def main(a: T.handle, C: T.Buffer((14,), "int32")):
    n = T.int32()
    A = T.match_buffer(a, (14, n), "int32")
    B = T.alloc_buffer(((-14 % n + 14) // n, n), "int32")
    for axis0, axis1 in T.grid((-14 % n + 14) // n, n):
        with T.block("B"):
            v_axis0, v_axis1 = T.axis.remap("SS", [axis0, axis1])
            B[v_axis0, v_axis1] = T.if_then_else(-14 % n != 0 and (v_axis1 + v_axis0 * n) // n == 14 // n
                                                 and 14 % n <= (v_axis1 + v_axis0 * n) % n,
                                                 7, A[v_axis1 + v_axis0 * n, 0])
    for i in range(14):
        with T.block("C"):
            vi = T.axis.spatial(14, i)
            C[vi] = B[vi // n, vi % n] * 2
)");
    }

    void refused()
    {
        checkRefused(chain, "sch.transform_layout('B', 'B', lambda i, j: (i // 4, j, i % 4))",
                     "schedule.padding", "pad_value");
        checkRefused(chain, "sch.transform_layout('B', 'B', lambda i, j: (i + j,))",
                     "schedule.not-injective");
        checkRefused(chain, "sch.transform_layout('B', 'B', lambda i, j: (i // 2, j))",
                     "schedule.not-injective");
        checkRefused(chain, "sch.transform_layout('B', 'B', lambda i, j: (i // 4, j, i % 4), pad_value=0)",
                     "schedule.pad-type", "type");
        checkRefused(chain,
                     "sch.transform_layout('B', 'B', lambda i, j: (i // 4, j, i % 4), "
                     "pad_value=T.float64(0))",
                     "schedule.pad-type");
        checkRefused(chain,
                     "sch.transform_layout('B', 'B', lambda i, j: (i // 4, j, i % 4), "
                     "pad_value=lambda i, j, k: (0.0, 0.0))",
                     "schedule.pad-value");
        checkRefused(chain, "sch.transform_layout('B', 'B', lambda i, j: (i // m, j, i % m))",
                     "schedule.index-map");
        checkRefused(chain, "sch.transform_layout('B', 'B', lambda i: (i,))", "schedule.index-map");
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
