// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class ComputeInlineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
            B[vi] = T.Let(q * q, where={q: A[vi] + T.float32(1)})
    for i in range(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = B[vi] * T.exp(B[vi])
)",
                       "sch.compute_inline('B')", R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = T.Let(q * q, where={q: A[vi] + T.float32(1)}) * T.exp(
                T.Let(r * r, where={r: A[vi] + T.float32(1)}))
)");
    }

    /// The extent of a stage depends on a loop around it through whole quotients: 8 to 15 make one row more.
    void lengthsThatDependOnALoop()
    {
        const auto program = [](const std::string &rows) {
            return R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), C: T.Buffer((32, 2), "float32")):
    P = T.alloc_buffer((4,))
    B = T.alloc_buffer((4,))
    for i in range(4):
        with T.block("P"):
            vi = T.axis.spatial(4, i)
            P[vi] = A[vi] + T.float32(1)
    for r in range(32):
        for x in range()"
                   + rows + R"():
            with T.block("B"):
                vx = T.axis.spatial(4, r // 16 + x)
                B[vx] = P[vx]
        for h in range(2):
            with T.block("C"):
                vr, vh = T.axis.remap("SS", [r, h])
                C[vr, vh] = B[(vr // 8 + vh) // 2]
)";
        };
        checkSchedule(program("r // 8 % 2 + 1"), "sch.compute_inline('P')");
        checkRefused(program("r // 4 % 2 + 1"), "sch.compute_inline('P')", "analysis.not-stage-pipeline");
    }

    void elementWise()
    {
        checkPrimitive(chain, "sch.compute_inline('B')", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] * T.float32(2) + T.float32(1)
)");
    }

    void intoAReduction()
    {
        checkPrimitive(stencil, "sch.compute_inline('B')", R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i, r in T.grid(16, 3):
        with T.block("C"):
            vi, vr = T.axis.remap("SR", [i, r])
            T.reads(A[vi + vr - 1])
            T.writes(C[vi])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + T.if_then_else(vi + vr >= 1 and vi + vr < 17, A[vi + vr - 1], T.float32(0))
)");
    }

    void reshaped()
    {
        checkPrimitive(reshape, "sch.compute_inline('B')", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((120,), "float32")):
    for i in range(120):
        with T.block("C"):
            vi = T.axis.spatial(120, i)
            C[vi] = A[vi // 12, vi % 12] * T.float32(2) + T.float32(1)
)");
    }

    void splitBlockAndSeveralConsumers()
    {
        checkSchedule(chain, "i, j = sch.get_loops('B')\nsch.split(j, [None, 5])\nsch.compute_inline('B')");
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] * B[7 - vi]
    for i in range(8):
        with T.block("D"):
            vi = T.axis.spatial(8, i)
            D[vi] = B[vi] + T.float32(3)
)",
                      "sch.compute_inline('B')");
        checkSchedule(symbolic, "sch.compute_inline('B')");
    }

    void afterComputeAt()
    {
        checkSchedule(chain, "i, j = sch.get_loops('C')\nsch.compute_at('B', i)\nsch.compute_inline('B')");
    }

    /// A variable that has one value need not be an index.
    void axesOfOneElement()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((1, 8, 4), "float32"), C: T.Buffer((8, 4), "float32")):
    B = T.alloc_buffer((8, 4))
    for u, i, j in T.grid(1, 8, 4):
        with T.block("B"):
            vu, vi, vj = T.axis.remap("SSS", [u, i, j])
            B[vi, vj] = A[vu, vi, vj] + T.float32(1)
    for i, j in T.grid(8, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] * T.float32(2)
)",
                       "sch.compute_inline('B')", R"(
@T.prim_func
def main(A: T.Buffer((1, 8, 4), "float32"), C: T.Buffer((8, 4), "float32")):
    for i, j in T.grid(8, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = (A[0, vi, vj] + T.float32(1)) * T.float32(2)
)");
    }

    /// Digits in the middle are taken out as TVM does it: first the quotient.
    void digitsOfAnIndex()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((3, 5, 7), "float32"), C: T.Buffer((105,), "float32")):
    B = T.alloc_buffer((105,))
    for i, j, k in T.grid(3, 5, 7):
        with T.block("B"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            B[vi * 35 + vj * 7 + vk] = A[vi, vj, vk]
    for i in range(105):
        with T.block("C"):
            vi = T.axis.spatial(105, i)
            C[vi] = B[vi]
)",
                       "sch.compute_inline('B')", R"(
@T.prim_func
def main(A: T.Buffer((3, 5, 7), "float32"), C: T.Buffer((105,), "float32")):
    for i in range(105):
        with T.block("C"):
            vi = T.axis.spatial(105, i)
            C[vi] = A[vi // 35, vi // 7 % 5, vi % 7]
)");
    }

    /// Indices that are no variables tell the iteration where they are different for each.
    void bijectiveIndices()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((4, 14), "float32"), C: T.Buffer((56,), "float32")):
    B = T.alloc_buffer((56,))
    for i, j in T.grid(4, 14):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi * 14 + vj] = A[vi, vj] + T.float32(1)
    for i in range(56):
        with T.block("C"):
            vi = T.axis.spatial(56, i)
            C[vi] = B[vi] * T.float32(2)
)",
                       "sch.compute_inline('B')", R"(
@T.prim_func
def main(A: T.Buffer((4, 14), "float32"), C: T.Buffer((56,), "float32")):
    for i in range(56):
        with T.block("C"):
            vi = T.axis.spatial(56, i)
            C[vi] = (A[vi // 14, vi % 14] + T.float32(1)) * T.float32(2)
)");
        // Also where an axis is taken apart, runs backwards, or has one element.
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((4, 14), "float32"), C: T.Buffer((4, 14), "float32")):
    B = T.alloc_buffer((7, 4, 2, 1))
    for i, j, u in T.grid(4, 14, 1):
        with T.block("B"):
            vi, vj, vu = T.axis.remap("SSS", [i, j, u])
            B[vj // 2, 3 - vi, vj % 2, vu] = A[vi, vj] * T.Cast("float32", vi + vu)
    for i, j in T.grid(4, 14):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vj // 2, 3 - vi, vj % 2, 0] + B[vj // 2, vi, vj % 2, 0]
)",
                      "sch.compute_inline('B')");
    }

    void forwardsToTheConsumer()
    {
        const schedule::State before = scheduled(chain);
        const auto run = schedule::runScheduleScript(
            before, "b = sch.get_block('B')\nc = sch.get_block('C')\nsch.compute_inline(b)", "");
        QVERIFY(run);
        const auto applied = schedule::apply(before, run->steps[2].step);
        QVERIFY(applied);
        QVERIFY(applied->forward(*run->steps[0].outputs[0].as<ir::StmtId>())
                == *run->steps[1].outputs[0].as<ir::StmtId>());
    }

    void refused()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi]
    for i in range(2):
        with T.block("C"):
            vi = T.axis.spatial(2, i)
            T.reads(B[vi * 4:vi * 4 + 4])
            T.writes(C[vi * 4:vi * 4 + 4])
            C[vi * 4:vi * 4 + 4] = B[vi * 4:vi * 4 + 4]
)",
                     "sch.compute_inline('B')", "schedule.not-inlinable", "read as a vector");
        checkRefused(mmRelu, "sch.compute_inline('Y')", "schedule.has-init");
        checkRefused(mmRelu, "sch.compute_inline('C')", "schedule.output-block");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((4, 14), "float32"), C: T.Buffer((17,), "float32")):
    B = T.alloc_buffer((17,))
    for i, j in T.grid(4, 14):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi + vj] = A[vi, vj]
    for i in range(17):
        with T.block("C"):
            vi = T.axis.spatial(17, i)
            C[vi] = B[vi]
)",
                     "sch.compute_inline('B')", "schedule.not-inlinable", "which of its iterations");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i, j in T.grid(8, 2):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi] = A[vj] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] + T.float32(2)
)",
                     "sch.compute_inline('B')", "schedule.not-inlinable");
        // One element of B for each digit of an index, and one value of many for each element.
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8, 2), "float32"), C: T.Buffer((2, 4), "float32")):
    B = T.alloc_buffer((2, 4))
    for i, j in T.grid(8, 2):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi // 4, vi % 4] = A[vi, vj]
    for i, j in T.grid(2, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj]
)",
                     "sch.compute_inline('B')", "schedule.not-inlinable",
                     "depends on 'vj', which does not index 'B'");
        checkRefused(chain, "i, j = sch.get_loops('B')\nsch.compute_inline('A')", "analysis.unknown-block");
    }

    /// One row of several is written; elsewhere its reader would find nothing.
    void oneRowOfSeveral()
    {
        const auto program = [](const std::string &rows, const std::string &read) {
            return R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer(()"
                   + rows + R"(, 8))
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[2, vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[)"
                   + read + R"(, vi]
)";
        };
        checkSchedule(program("4", "2"), "sch.compute_inline('B')");
        checkSchedule(program("3", "2"), "sch.compute_inline('B')");
        checkRefused(program("4", "1"), "sch.compute_inline('B')", "analysis.not-stage-pipeline");
    }
};

QTEST_GUILESS_MAIN(ComputeInlineTest)
#include "compute_inline_test.moc"
