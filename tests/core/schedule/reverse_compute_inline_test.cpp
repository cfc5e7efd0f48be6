// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class ReverseComputeInlineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void elementWise()
    {
        checkPrimitive(chain, "sch.reverse_compute_inline('C')", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] * T.float32(2) + T.float32(1)
)");
    }

    /// Each of the places that read a value with a variable gets a variable of its own.
    void valuesWithVariables()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    B = T.alloc_buffer((4,))
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            B[vi] = T.Let(q * q, where={q: A[vi] * A[vi]})
    for i in range(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = B[vi] * B[vi]
)",
                       "sch.reverse_compute_inline('C')", R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            C[vi] = T.Let(q * q, where={q: A[vi] * A[vi]}) * T.Let(r * r, where={r: A[vi] * A[vi]})
)");
    }

    void smallerConsumerGetsPredicate()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), D: T.Buffer((12,), "float32"), C: T.Buffer((8, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(8, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + D[vj]
)",
                       "sch.reverse_compute_inline('C')", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), D: T.Buffer((12,), "float32"), C: T.Buffer((8, 12), "float32")):
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i < 8)
            C[vi, vj] = A[vi, vj] * T.float32(2) + D[vj]
)");
    }

    /// As where one row was padded for an instruction that makes many.
    void oneRowOfMany()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((12,), "float32"), C: T.Buffer((1, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vj] * T.Cast("float32", vi)
    for i, j in T.grid(1, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[3, vj] + T.float32(1)
)",
                       "sch.reverse_compute_inline('C')", R"(
@T.prim_func
def main(A: T.Buffer((12,), "float32"), C: T.Buffer((1, 12), "float32")):
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i == 3)
            C[0, vj] = A[vj] * T.Cast("float32", vi) + T.float32(1)
)");
    }

    void reshaped()
    {
        checkPrimitive(reshape, "sch.reverse_compute_inline('C')", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((120,), "float32")):
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vj + vi * 12] = A[vi, vj] * T.float32(2) + T.float32(1)
)");
        checkSchedule(reshape,
                      "i, j = sch.get_loops('B')\nsch.split(j, [None, 5])\nsch.reverse_compute_inline('C')");
    }

    void iterationsThatReadNothingAreNotLost()
    {
        constexpr const char *bordered = R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((6,))
    for i in range(6):
        with T.block("B"):
            vi = T.axis.spatial(6, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = T.if_then_else(vi >= 1 and vi < 7, B[vi - 1], T.float32(0))
)";
        checkRefused(bordered, "sch.reverse_compute_inline('C')", "schedule.not-inlinable", "compute_inline");
        checkRefused(bordered, "sch.reverse_compute_at('C', sch.get_loops('B')[0])",
                     "schedule.iterations-lost", "compute_at");
        checkSchedule(bordered, "sch.compute_inline('B')");
    }

    void indexOfSeveralVariables()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((5, 2), "float32"), C: T.Buffer((5, 1, 2), "float32")):
    B = T.alloc_buffer((5, 2))
    for i, j in T.grid(5, 2):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j, k in T.grid(5, 2, 2):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            T.where(j < 1)
            C[vi, vj, vk] = B[vi, vj + vk]
)",
                     "sch.reverse_compute_inline('C')", "schedule.not-inlinable", "");
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((5, 2), "float32"), C: T.Buffer((5, 1, 2), "float32")):
    B = T.alloc_buffer((5, 2))
    for i, j in T.grid(5, 2):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j, k in T.grid(5, 1, 2):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            C[vi, vj, vk] = B[vi, vj + vk]
)",
                      "sch.reverse_compute_inline('C')");
    }

    /// All of the digits that C reads at together are one of its variables, though it ends within the last
    /// row.
    void consumerOfSeparateDigits()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((20,), "float32"), C: T.Buffer((18,), "float32")):
    B = T.alloc_buffer((5, 4))
    for i, j in T.grid(5, 4):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi * 4 + vj] * T.float32(2)
    for i in range(18):
        with T.block("C"):
            vi = T.axis.spatial(18, i)
            C[vi] = B[vi // 4, vi % 4] + T.float32(1)
)",
                       "sch.reverse_compute_inline('C')", R"(
@T.prim_func
def main(A: T.Buffer((20,), "float32"), C: T.Buffer((18,), "float32")):
    for i, j in T.grid(5, 4):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i * 4 + j < 18)
            C[vj + vi * 4] = A[vi * 4 + vj] * T.float32(2) + T.float32(1)
)");
    }

    /// Only where the consumer has an element is anything stored.
    void predicateOfTheConsumerTakesThatOfTheProducersPlace()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((7, 8), "float32")):
    B = T.alloc_buffer((7, 8))
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i < 7)
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(7, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)",
                       "sch.reverse_compute_inline('C')", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((7, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i < 7)
            C[vi, vj] = A[vi, vj] * T.float32(2) + T.float32(1)
)");
    }

    /// The predicate says where the consumer's variables are in their domains, in the terms of the producer's
    /// values.
    void predicateOverSplitLoops()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((6, 8), "float32")):
    B = T.alloc_buffer((8, 8))
    for i0, i1, j in T.grid(4, 2, 8):
        with T.block("B"):
            vi = T.axis.spatial(8, i0 * 2 + i1)
            vj = T.axis.spatial(8, j)
            B[vi, vj] = A[vi, vj]
    for i, j in T.grid(6, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj]
)",
                       "sch.reverse_compute_inline('C')", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((6, 8), "float32")):
    for i0, i1, j in T.grid(4, 2, 8):
        with T.block("B"):
            vi = T.axis.spatial(8, i0 * 2 + i1)
            vj = T.axis.spatial(8, j)
            T.where(i0 * 2 + i1 < 6)
            C[vi, vj] = A[vi, vj]
)");
    }

    void splitConsumer()
    {
        checkSchedule(chain,
                      "i, j = sch.get_loops('C')\nsch.split(j, [None, 5])\nsch.reverse_compute_inline('C')");
        checkSchedule(symbolic, "sch.reverse_compute_inline('C')");
    }

    /// The producer's loops go beyond its domain; where the consumer is within its own says nothing of that.
    void predicatesOfBoth()
    {
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((6, 10), "float32"), C: T.Buffer((6, 9), "float32")):
    B = T.alloc_buffer((6, 10))
    for i, j in T.grid(6, 10):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j in T.grid(6, 9):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] * T.float32(2)
)",
                      "i, j = sch.get_loops('B')\nsch.split(i, [None, 4])\nsch.reverse_compute_inline('C')");
    }

    /// A copy may take the place of a block without reduction that begins with an init.
    void copiesOfABlockWithAnInit()
    {
        constexpr std::string_view before = R"(
@T.prim_func
def main(A: T.Buffer((6, 8), "float32"), C: T.Buffer((8, 6), "float32")):
    B = T.alloc_buffer((6, 8))
    for i, j in T.grid(6, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            with T.init():
                B[vi, vj] = T.float32(3)
            B[vi, vj] = B[vi, vj] + A[vi, vj]
    for i, j in T.grid(6, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vj, vi] = B[vi, vj]
)";
        checkPrimitive(before, "sch.reverse_compute_inline('C')", R"(
@T.prim_func
def main(A: T.Buffer((6, 8), "float32"), C: T.Buffer((8, 6), "float32")):
    for i, j in T.grid(6, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(C[vj, vi])
            with T.init():
                C[vj, vi] = T.float32(3)
            C[vj, vi] = C[vj, vi] + A[vi, vj]
)");
        // Any other change would apply to the init, and once more to the result.
        std::string changes(before);
        changes.replace(changes.rfind("B[vi, vj]"), 9, "B[vi, vj] + T.float32(1)");
        checkRefused(changes, "sch.reverse_compute_inline('C')", "schedule.not-inlinable",
                     "decompose_reduction");
    }

    void refused()
    {
        checkRefused(mmRelu, "sch.reverse_compute_inline('C')", "analysis.not-complete");
        checkRefused(mmRelu, "sch.reverse_compute_inline('Y')", "schedule.has-init");
        checkRefused(stencil, "sch.reverse_compute_inline('C')", "schedule.has-init");
        checkRefused(chain, "sch.reverse_compute_inline('B')", "schedule.not-inlinable");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8, 4), "float32")):
    B = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    for i, j in T.grid(8, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi] + T.float32(2)
)",
                     "sch.reverse_compute_inline('C')", "schedule.not-inlinable");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] + B[7 - vi]
)",
                     "sch.reverse_compute_inline('C')", "schedule.not-inlinable");
    }
};

QTEST_GUILESS_MAIN(ReverseComputeInlineTest)
#include "reverse_compute_inline_test.moc"
