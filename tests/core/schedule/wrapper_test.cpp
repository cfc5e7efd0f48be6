// SPDX-License-Identifier: Apache-2.0
/// Wrapper blocks, as loop_partition makes them: the blocks in them count for all other primitives.
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// C reads the mirrored elements of B.
constexpr const char *mirrored = R"(
@T.prim_func
def main(A: T.Buffer((8, 6), "float32"), C: T.Buffer((8, 6), "float32")):
    B = T.alloc_buffer((8, 6))
    for i, j in T.grid(8, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j in T.grid(8, 6):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[7 - vi, vj] * T.float32(2)
)";

/// C reads the element of B at the same place.
constexpr const char *chain = R"(
@T.prim_func
def main(A: T.Buffer((8, 6), "float32"), C: T.Buffer((8, 6), "float32")):
    B = T.alloc_buffer((8, 6))
    for i, j in T.grid(8, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j in T.grid(8, 6):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] * T.float32(2)
)";

/// C reads rows of B backwards.
constexpr const char *turned = R"(
@T.prim_func
def main(A: T.Buffer((8, 6), "float32"), C: T.Buffer((8, 6), "float32")):
    B = T.alloc_buffer((8, 6))
    for i, j in T.grid(8, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j in T.grid(8, 6):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, 5 - vj] * T.float32(2)
)";

/// The sums of the columns.
constexpr const char *sums = R"(
@T.prim_func
def main(A: T.Buffer((8, 6), "float32"), B: T.Buffer((6,), "float32")):
    for k, j in T.grid(8, 6):
        with T.block("B"):
            vk, vj = T.axis.remap("RS", [k, j])
            with T.init():
                B[vj] = T.float32(0)
            B[vj] = B[vj] + A[vk, vj]
)";

} // namespace

class WrapperTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Iteration 0 of C reads elements of the last one of B.
    void mergeSeesReaders()
    {
        checkRefused(mirrored, R"(
bi, bj = sch.get_loops('B')
ci, cj = sch.get_loops('C')
sch.loop_partition(cj, [2, None])
sch.merge(bi, ci)
)",
                     "schedule.order");
    }
    void mergeSeesWriters()
    {
        checkRefused(mirrored, R"(
bi, bj = sch.get_loops('B')
ci, cj = sch.get_loops('C')
sch.loop_partition(bj, [2, None])
sch.merge(bi, ci)
)",
                     "schedule.order");
    }
    void mergeOfWhatFits()
    {
        checkSchedule(turned, R"(
bi, bj = sch.get_loops('B')
ci, cj = sch.get_loops('C')
sch.loop_partition(cj, [2, None])
sch.merge(bi, ci)
)");
    }

    void computeAtMakesWhatIsReadInside()
    {
        checkPrimitive(mirrored, R"(
ci, cj = sch.get_loops('C')
sch.loop_partition(cj, [2, None])
sch.compute_at('B', ci)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8, 6), "float32"), C: T.Buffer((8, 6), "float32")):
    B = T.alloc_buffer((8, 6))
    for i in range(8):
        for ax0 in range(6):
            with T.block("B"):
                vi = T.axis.spatial(8, 7 - i)
                vj = T.axis.spatial(6, ax0)
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj] + T.float32(1)
        with T.block("C_j_common"):
            T.reads()
            T.writes()
            with T.block("C_j0_partition"):
                T.reads()
                T.writes()
                for j0 in range(2):
                    with T.block("C_j0"):
                        vi, vj = T.axis.remap("SS", [i, j0])
                        T.reads(B[7 - vi, vj])
                        T.writes(C[0:8, 0:2])
                        C[vi, vj] = B[7 - vi, vj] * T.float32(2)
            with T.block("C_j1_partition"):
                T.reads()
                T.writes()
                for j1 in range(2, 6):
                    with T.block("C_j1"):
                        vi = T.axis.spatial(8, i)
                        vj = T.axis.spatial((2, 6), j1)
                        T.reads(B[7 - vi, vj])
                        T.writes(C[0:8, 2:6])
                        C[vi, vj] = B[7 - vi, vj] * T.float32(2)
)");
    }

    /// In the first iterations only a part of C's reads would be there.
    void reverseComputeAtWantsAllThatIsRead()
    {
        checkRefused(mirrored, R"(
bi, bj = sch.get_loops('B')
ci, cj = sch.get_loops('C')
sch.loop_partition(ci, [2, None])
sch.reverse_compute_at('C_i_common', bi)
)",
                     "schedule.region-not-covered");
    }

    /// Blocks in the wrapper use the loop around it. Partitioned blocks declare more than the one element
    /// that they write each time.
    void reverseComputeAtOfAWrapperWantsAllThatIsReadInside()
    {
        for (const char *program : {mirrored, chain})
            checkRefused(program, R"(
bi, bj = sch.get_loops('B')
sch.loop_partition(bj, [4, None])
ci, cj = sch.get_loops('C')
sch.loop_partition(ci, [4, None])
sch.reverse_compute_at('C_i_common', bi)
)",
                         "schedule.region-not-covered");
    }

    void loopsAroundStay()
    {
        checkRefused(chain, R"(
bi, bj = sch.get_loops('B')
sch.loop_partition(bj, [2, None])
sch.compute_at('B_j_common', sch.get_loops('C')[1])
)",
                     "schedule.uses-loop");
    }

    void outputsStayWhereTheyAre()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] * T.float32(2)
)",
                     R"(
sch.loop_partition(sch.get_loops('B')[0], [2, None])
sch.compute_at('B_i_common', sch.get_loops('C')[0])
)",
                     "schedule.output-block");
    }

    void copyOfWhatIsWrittenInside()
    {
        checkSchedule(chain, R"(
bi, bj = sch.get_loops('B')
sch.loop_partition(bi, [2, None])
cached = sch.cache_read('C', 0, 'local')
sch.compute_at(cached, sch.get_loops('C')[0])
)");
    }
    void copyForReadersInside()
    {
        checkSchedule(chain, R"(
ci, cj = sch.get_loops('C')
sch.loop_partition(ci, [2, None])
sch.cache_write('B', 0, 'local')
b, = sch.get_consumers('B')
sch.compute_at('B', sch.get_loops(b)[0])
)");
    }

    /// Each part would begin the sum again.
    void reductionAround()
    {
        constexpr const char *inner = R"(
k, j = sch.get_loops('B')
sch.loop_partition(j, [2, None])
)";
        checkRefused(sums, inner + std::string("sch.loop_partition(k, [3, None])"),
                     "schedule.partitioned-reduction");
        checkRefused(sums, inner + std::string("sch.decompose_reduction('B_j0', sch.get_loops('B_j0')[0])"),
                     "schedule.loop-below-reduction");
    }
    void reductionTurnedAround()
    {
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((8, 4, 6), "float32"), B: T.Buffer((4, 6), "float32")):
    for k, i, j in T.grid(8, 4, 6):
        with T.block("B"):
            vk, vi, vj = T.axis.remap("RSS", [k, i, j])
            with T.init():
                B[vi, vj] = T.float32(0)
            B[vi, vj] = B[vi, vj] + A[vk, vi, vj]
)",
                      R"(
k, i, j = sch.get_loops('B')
sch.loop_partition(j, [2, None])
sch.reorder(i, k)
)");
    }

    /// Where a part has one iteration the variable begins elsewhere than at 0.
    void blockizePartOfOneIteration()
    {
        for (const char *target : {"0", "1"}) {
            for (const char *preserve : {"True", "False"})
                checkSchedule(chain, std::string("i, j = sch.get_loops('C')\n"
                                                 "sch.loop_partition(i, [7, None])\n"
                                                 "sch.blockize(sch.get_loops('C_i1')[")
                                         + target + "], preserve_unit_iters=" + preserve + ")");
        }
    }

    /// The part's loop makes rows together with one around the wrapper.
    void blockizeMixedLoops()
    {
        checkRefused(chain, R"(
i, j = sch.get_loops('B')
i0, i1 = sch.split(i, [2, 4])
sch.loop_partition(i1, [3, None])
sch.blockize(sch.get_loops('B_i_10')[0])
)",
                     "schedule.no-subspace");
    }

    /// Copies of elements that a part makes only now and then, or never.
    void copiesOfPartsUnderAPredicate()
    {
        constexpr const char *guarded = R"(
@T.prim_func
def main(A: T.Buffer((1, 6), "float32"), B: T.Buffer((1, 6), "float32")):
    for i, j in T.grid(2, 6):
        with T.block("B"):
            vi = T.axis.spatial(1, i)
            vj = T.axis.spatial(6, j)
            T.where(i < 1)
            B[vi, vj] = A[vi, vj] + T.float32(1)
)";
        checkRefused(guarded,
                     "i, j = sch.get_loops('B')\nsch.loop_partition(j, [1, None])\n"
                     "sch.cache_write('B_j0', 0, 'local')",
                     "schedule.predicate", "loop_partition");
        checkRefused(chain,
                     "i, j = sch.get_loops('C')\ni0, i1 = sch.split(i, [12, None])\n"
                     "sch.loop_partition(i0, [9, None])\nsch.reindex('C_i_01', ('write', 0))",
                     "schedule.predicate");
    }

    /// The part's loop begins at its first iteration.
    void factorsBeginAtZero()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
    for i, k in T.grid(2, 3):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)",
                     "i, k = sch.get_loops('B')\nsch.loop_partition(i, [1, None])\n"
                     "i1, k = sch.get_loops('B_i1')\nsch.split(k, [None, 3], preserve_unit_iters=False)\n"
                     "sch.rfactor(i1, 0)",
                     "schedule.loop-start");
    }

    /// A block around a wrapper and another block declares the regions of both.
    void blockizeWithAnother()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    with T.block("C"):
        T.reads(A[0])
        T.writes(C[0])
        C[0] = A[0]
)",
                       R"(
sch.loop_partition(sch.get_loops('B')[0], [2, None])
sch.blockize(['B_i_common', 'C'])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float32")):
  with T.block("root"):
    with T.block("outer_B_i_common_C_"):
        T.reads(A[0:8])
        T.writes(C[0], B[0:8])
        with T.block("B_i_common"):
            T.reads()
            T.writes()
            with T.block("B_i0_partition"):
                T.reads()
                T.writes()
                for i0 in range(2):
                    with T.block("B_i0"):
                        vi = T.axis.spatial((0, 2), i0)
                        T.reads(A[0:2])
                        T.writes(B[0:2])
                        B[vi] = A[vi] + T.float32(1)
            with T.block("B_i1_partition"):
                T.reads()
                T.writes()
                for i1 in range(2, 8):
                    with T.block("B_i1"):
                        vi = T.axis.spatial((2, 8), i1)
                        T.reads(A[2:8])
                        T.writes(B[2:8])
                        B[vi] = A[vi] + T.float32(1)
        with T.block("C"):
            T.reads(A[0])
            T.writes(C[0])
            C[0] = A[0]
)");
    }
};

QTEST_GUILESS_MAIN(WrapperTest)
#include "wrapper_test.moc"
