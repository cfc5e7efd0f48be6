// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// B = A * 2.
constexpr const char *twice = R"(
@T.prim_func
def main(A: T.Buffer((64, 48), "float32"), B: T.Buffer((64, 48), "float32")):
    for i, j in T.grid(64, 48):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
)";

/// The inner loop begins where the outer one says.
constexpr const char *rotated = R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i, j in T.grid(16, 4):
        with T.block("B"):
            vi = T.axis.spatial(64, i * 4 + (i + j) % 4)
            B[vi] = A[vi]
)";

} // namespace

class BlockizeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// i // 3 has three values though 8 is no multiple of 3; the block inside must not take i for it.
    void aQuotientThatDoesNotDivide()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4, 3), "float32")):
    for j, i in T.grid(4, 8):
        with T.block("B"):
            vj = T.axis.spatial(4, j)
            vi = T.axis.spatial(3, i // 3)
            B[vj, vi] = A[vj, vi] + T.float32(1)
)",
                       "sch.blockize(sch.get_loops('B')[1])", R"(
@T.prim_func
def main(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4, 3), "float32")):
    for j in range(4):
        with T.block("B_o"):
            vj_o = T.axis.spatial(4, j)
            vi_o = T.axis.spatial(1, 0)
            for i in range(8):
                with T.block("B"):
                    vi_i = T.axis.spatial(3, i // 3)
                    B[vj_o, vi_i] = A[vj_o, vi_i] + T.float32(1)
)");
    }

    void everything()
    {
        checkPrimitive(twice, R"(
i, j = sch.get_loops('B')
sch.blockize(i)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((64, 48), "float32"), B: T.Buffer((64, 48), "float32")):
    with T.block("B_o"):
        vi_o = T.axis.spatial(1, 0)
        vj_o = T.axis.spatial(1, 0)
        T.reads(A[0:64, 0:48])
        T.writes(B[0:64, 0:48])
        for i, j in T.grid(64, 48):
            with T.block("B"):
                vi_i, vj_i = T.axis.remap("SS", [i, j])
                T.reads(A[vi_i, vj_i])
                T.writes(B[vi_i, vj_i])
                B[vi_i, vj_i] = A[vi_i, vj_i] * T.float32(2.0)
)");
    }

    void tiles()
    {
        checkPrimitive(twice, R"(
i, j = sch.get_loops('B')
i0, i1 = sch.split(i, [None, 16])
j0, j1 = sch.split(j, [None, 16])
sch.reorder(i0, j0, i1, j1)
b = sch.blockize(i1)
sch.parallel(sch.get_loops(b)[0])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((64, 48), "float32"), B: T.Buffer((64, 48), "float32")):
    for i_0 in T.parallel(4):
        for j_0 in range(3):
            with T.block("B_o"):
                vi_o, vj_o = T.axis.remap("SS", [i_0, j_0])
                T.reads(A[vi_o * 16:vi_o * 16 + 16, vj_o * 16:vj_o * 16 + 16])
                T.writes(B[vi_o * 16:vi_o * 16 + 16, vj_o * 16:vj_o * 16 + 16])
                for i_1, j_1 in T.grid(16, 16):
                    with T.block("B"):
                        vi_i, vj_i = T.axis.remap("SS", [i_1, j_1])
                        T.reads(A[vi_o * 16 + vi_i, vj_o * 16 + vj_i])
                        T.writes(B[vi_o * 16 + vi_i, vj_o * 16 + vj_i])
                        B[vi_o * 16 + vi_i, vj_o * 16 + vj_i] = (A[vi_o * 16 + vi_i, vj_o * 16 + vj_i]
                                                                 * T.float32(2.0))
)");
    }

    void unitVariablesGo()
    {
        checkPrimitive(twice, R"(
i, j = sch.get_loops('B')
i0, i1 = sch.split(i, [64, 1])
j0, j1 = sch.split(j, [None, 16])
sch.reorder(i0, j0, i1, j1)
sch.blockize(i1, preserve_unit_iters=False)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((64, 48), "float32"), B: T.Buffer((64, 48), "float32")):
    for i_0, j_0 in T.grid(64, 3):
        with T.block("B_o"):
            vi_o, vj_o = T.axis.remap("SS", [i_0, j_0])
            T.reads(A[vi_o, vj_o * 16:vj_o * 16 + 16])
            T.writes(B[vi_o, vj_o * 16:vj_o * 16 + 16])
            for i_1, j_1 in T.grid(1, 16):
                with T.block("B"):
                    vj_i = T.axis.spatial(16, j_1)
                    T.reads(A[vi_o, vj_o * 16 + vj_i])
                    T.writes(B[vi_o, vj_o * 16 + vj_i])
                    B[vi_o, vj_o * 16 + vj_i] = A[vi_o, vj_o * 16 + vj_i] * T.float32(2.0)
)");
    }

    void reductionTiles()
    {
        checkPrimitive(product, R"(
i, j, k = sch.get_loops('C')
i0, i1 = sch.split(i, [None, 8])
j0, j1 = sch.split(j, [None, 8])
k0, k1 = sch.split(k, [None, 8])
sch.reorder(i0, j0, k0, i1, j1, k1)
sch.blockize(i1)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32"),
         C: T.Buffer((32, 32), "float32")):
    for i_0, j_0, k_0 in T.grid(4, 4, 4):
        with T.block("C_o"):
            vi_o, vj_o, vk_o = T.axis.remap("SSR", [i_0, j_0, k_0])
            T.reads(A[vi_o * 8:vi_o * 8 + 8, vk_o * 8:vk_o * 8 + 8],
                    B[vk_o * 8:vk_o * 8 + 8, vj_o * 8:vj_o * 8 + 8])
            T.writes(C[vi_o * 8:vi_o * 8 + 8, vj_o * 8:vj_o * 8 + 8])
            with T.init():
                for i_1, j_1 in T.grid(8, 8):
                    with T.block("C_init"):
                        vi_i_init, vj_i_init = T.axis.remap("SS", [i_1, j_1])
                        T.reads()
                        T.writes(C[vi_o * 8 + vi_i_init, vj_o * 8 + vj_i_init])
                        C[vi_o * 8 + vi_i_init, vj_o * 8 + vj_i_init] = T.float32(0.0)
            for i_1, j_1, k_1 in T.grid(8, 8, 8):
                with T.block("C"):
                    vi_i, vj_i, vk_i = T.axis.remap("SSR", [i_1, j_1, k_1])
                    T.reads(C[vi_o * 8 + vi_i, vj_o * 8 + vj_i], A[vi_o * 8 + vi_i, vk_o * 8 + vk_i],
                            B[vk_o * 8 + vk_i, vj_o * 8 + vj_i])
                    T.writes(C[vi_o * 8 + vi_i, vj_o * 8 + vj_i])
                    C[vi_o * 8 + vi_i, vj_o * 8 + vj_i] = (C[vi_o * 8 + vi_i, vj_o * 8 + vj_i]
                                                           + A[vi_o * 8 + vi_i, vk_o * 8 + vk_i]
                                                           * B[vk_o * 8 + vk_i, vj_o * 8 + vj_i])
)");
    }

    void reductionAlone()
    {
        checkPrimitive(product, R"(
i, j, k = sch.get_loops('C')
sch.blockize(k)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32"),
         C: T.Buffer((32, 32), "float32")):
    for i, j in T.grid(32, 32):
        with T.block("C_o"):
            vi_o, vj_o = T.axis.remap("SS", [i, j])
            vk_o = T.axis.reduce(1, 0)
            T.reads(A[vi_o, 0:32], B[0:32, vj_o])
            T.writes(C[vi_o, vj_o])
            with T.init():
                with T.block("C_init"):
                    T.reads()
                    T.writes(C[vi_o, vj_o])
                    C[vi_o, vj_o] = T.float32(0.0)
            for k in range(32):
                with T.block("C"):
                    vk_i = T.axis.reduce(32, k)
                    T.reads(C[vi_o, vj_o], A[vi_o, vk_i], B[vk_i, vj_o])
                    T.writes(C[vi_o, vj_o])
                    C[vi_o, vj_o] = C[vi_o, vj_o] + A[vi_o, vk_i] * B[vk_i, vj_o]
)");
    }

    void decomposed()
    {
        checkPrimitive(product, R"(
i, j, k = sch.get_loops('C')
i0, i1 = sch.split(i, [None, 8])
j0, j1 = sch.split(j, [None, 8])
k0, k1 = sch.split(k, [None, 8])
sch.reorder(i0, j0, k0, i1, j1, k1)
sch.decompose_reduction('C', k0)
sch.blockize(i1)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32"),
         C: T.Buffer((32, 32), "float32")):
    for i_0, j_0 in T.grid(4, 4):
        for i_1_init, j_1_init in T.grid(8, 8):
            with T.block("C_init"):
                vi = T.axis.spatial(32, i_0 * 8 + i_1_init)
                vj = T.axis.spatial(32, j_0 * 8 + j_1_init)
                T.reads()
                T.writes(C[vi, vj])
                C[vi, vj] = T.float32(0.0)
        for k_0 in range(4):
            with T.block("C_update_o"):
                vi_o, vj_o, vk_o = T.axis.remap("SSR", [i_0, j_0, k_0])
                T.reads(C[vi_o * 8:vi_o * 8 + 8, vj_o * 8:vj_o * 8 + 8],
                        A[vi_o * 8:vi_o * 8 + 8, vk_o * 8:vk_o * 8 + 8],
                        B[vk_o * 8:vk_o * 8 + 8, vj_o * 8:vj_o * 8 + 8])
                T.writes(C[vi_o * 8:vi_o * 8 + 8, vj_o * 8:vj_o * 8 + 8])
                for i_1, j_1, k_1 in T.grid(8, 8, 8):
                    with T.block("C_update"):
                        vi_i, vj_i, vk_i = T.axis.remap("SSR", [i_1, j_1, k_1])
                        T.reads(C[vi_o * 8 + vi_i, vj_o * 8 + vj_i], A[vi_o * 8 + vi_i, vk_o * 8 + vk_i],
                                B[vk_o * 8 + vk_i, vj_o * 8 + vj_i])
                        T.writes(C[vi_o * 8 + vi_i, vj_o * 8 + vj_i])
                        C[vi_o * 8 + vi_i, vj_o * 8 + vj_i] = (C[vi_o * 8 + vi_i, vj_o * 8 + vj_i]
                                                               + A[vi_o * 8 + vi_i, vk_o * 8 + vk_i]
                                                               * B[vk_o * 8 + vk_i, vj_o * 8 + vj_i])
)");
    }

    void twiceOver()
    {
        checkPrimitive(product, R"(
i, j, k = sch.get_loops('C')
i0, i1 = sch.split(i, [None, 8])
j0, j1 = sch.split(j, [None, 8])
k0, k1 = sch.split(k, [None, 8])
sch.reorder(i0, j0, k0, i1, j1, k1)
b = sch.blockize(i1)
sch.blockize(sch.get_loops(b)[2])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32"),
         C: T.Buffer((32, 32), "float32")):
    for i_0, j_0 in T.grid(4, 4):
        with T.block("C_o_o"):
            vi_o_o, vj_o_o = T.axis.remap("SS", [i_0, j_0])
            vk_o_o = T.axis.reduce(1, 0)
            T.reads(A[vi_o_o * 8:vi_o_o * 8 + 8, 0:32], B[0:32, vj_o_o * 8:vj_o_o * 8 + 8])
            T.writes(C[vi_o_o * 8:vi_o_o * 8 + 8, vj_o_o * 8:vj_o_o * 8 + 8])
            with T.init():
                with T.block("C_o_init"):
                    T.reads()
                    T.writes(C[vi_o_o * 8:vi_o_o * 8 + 8, vj_o_o * 8:vj_o_o * 8 + 8])
                    for i_1, j_1 in T.grid(8, 8):
                        with T.block("C_init"):
                            vi_i_init, vj_i_init = T.axis.remap("SS", [i_1, j_1])
                            T.reads()
                            T.writes(C[vi_o_o * 8 + vi_i_init, vj_o_o * 8 + vj_i_init])
                            C[vi_o_o * 8 + vi_i_init, vj_o_o * 8 + vj_i_init] = T.float32(0.0)
            for k_0 in range(4):
                with T.block("C_o"):
                    vk_o_i = T.axis.reduce(4, k_0)
                    T.reads(C[vi_o_o * 8:vi_o_o * 8 + 8, vj_o_o * 8:vj_o_o * 8 + 8],
                            A[vi_o_o * 8:vi_o_o * 8 + 8, vk_o_i * 8:vk_o_i * 8 + 8],
                            B[vk_o_i * 8:vk_o_i * 8 + 8, vj_o_o * 8:vj_o_o * 8 + 8])
                    T.writes(C[vi_o_o * 8:vi_o_o * 8 + 8, vj_o_o * 8:vj_o_o * 8 + 8])
                    for i_1, j_1, k_1 in T.grid(8, 8, 8):
                        with T.block("C"):
                            vi_i, vj_i, vk_i = T.axis.remap("SSR", [i_1, j_1, k_1])
                            T.reads(C[vi_o_o * 8 + vi_i, vj_o_o * 8 + vj_i],
                                    A[vi_o_o * 8 + vi_i, vk_o_i * 8 + vk_i],
                                    B[vk_o_i * 8 + vk_i, vj_o_o * 8 + vj_i])
                            T.writes(C[vi_o_o * 8 + vi_i, vj_o_o * 8 + vj_i])
                            C[vi_o_o * 8 + vi_i, vj_o_o * 8 + vj_i] = (
                                C[vi_o_o * 8 + vi_i, vj_o_o * 8 + vj_i]
                                + A[vi_o_o * 8 + vi_i, vk_o_i * 8 + vk_i]
                                * B[vk_o_i * 8 + vk_i, vj_o_o * 8 + vj_i])
)");
    }

    void aRepeatedReductionKeepsItsInit()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i, again, k in T.grid(4, 2, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)",
                     "sch.blockize(sch.get_loops('B')[1])", "schedule.reduction-repeated");
    }

    /// An init without reduction variables runs with each point; several blocks share no place for it
    /// outside.
    void severalBlocksKeepTheirInits()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32"), C: T.Buffer((4, 8), "float32")):
    for i in range(4):
        for j in range(8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                with T.init():
                    B[vi, vj] = T.float32(1)
                B[vi, vj] = B[vi, vj] + A[vi, vj]
        for j in range(8):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] * T.float32(2)
)",
                       "sch.blockize([sch.get_block('B'), sch.get_block('C')])", R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32"), C: T.Buffer((4, 8), "float32")):
    for i in range(4):
        with T.block("outer_B_C_"):
            vi_o = T.axis.spatial(4, i)
            vj_o = T.axis.spatial(1, 0)
            T.reads(B[vi_o:vi_o + (vi_o + 1 - vi_o), 0:8], A[vi_o:vi_o + (vi_o + 1 - vi_o), 0:8])
            T.writes(C[vi_o:vi_o + (vi_o + 1 - vi_o), 0:8], B[vi_o:vi_o + (vi_o + 1 - vi_o), 0:8])
            for j in range(8):
                with T.block("B"):
                    vj_i = T.axis.spatial(8, j)
                    T.reads(A[vi_o, vj_i])
                    T.writes(B[vi_o, vj_i])
                    with T.init():
                        B[vi_o, vj_i] = T.float32(1)
                    B[vi_o, vj_i] = B[vi_o, vj_i] + A[vi_o, vj_i]
            for j in range(8):
                with T.block("C"):
                    vj_i = T.axis.spatial(8, j)
                    T.reads(B[vi_o, vj_i])
                    T.writes(C[vi_o, vj_i])
                    C[vi_o, vj_i] = B[vi_o, vj_i] * T.float32(2)
)");
    }

    void refused()
    {
        checkRefused(twice, R"(
i, j = sch.get_loops('B')
f = sch.fuse(i, j)
a, b = sch.split(f, [None, 36])
sch.blockize(b)
)",
                     "schedule.no-subspace");
        checkRefused(rotated, R"(
i, j = sch.get_loops('B')
sch.blockize(j)
)",
                     "schedule.no-subspace");
    }
};

QTEST_GUILESS_MAIN(BlockizeTest)
#include "blockize_test.moc"
