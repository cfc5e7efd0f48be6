// SPDX-License-Identifier: Apache-2.0
// Each pass alone: what it makes of a small program, and that the program still computes the same.
#include "tests/support/passes.h"

#include <QtTest>

#include <string>

using nestwright::tests::checkPass;

class PassesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initBecomesAGuardedStatement()
    {
        checkPass("lower-init", R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(B[vi])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(B[vi])
            if vk == 0:
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)");
    }

    void blocksBecomeStatements()
    {
        checkPass("lower-blocks", R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32"), B: T.Buffer((10,), "float32")):
    for i_0, i_1 in T.grid(3, 4):
        with T.block("B"):
            T.where(i_0 * 4 + i_1 < 10)
            vi = T.axis.spatial(10, i_0 * 4 + i_1)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = A[vi] + T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32"), B: T.Buffer((10,), "float32")):
    for i_0, i_1 in T.grid(3, 4):
        with T.attr("B", "nw.block", 4):
            if i_0 * 4 + i_1 < 10:
                B[i_0 * 4 + i_1] = A[i_0 * 4 + i_1] + T.float32(1)
)");
    }

    void memoryGoesToTheLoopThatNeedsIt()
    {
        checkPass("lower-blocks", R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    B = T.alloc_buffer((8, 16))
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, 15 - vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, 15 - vj]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    for i in range(8):
        with T.decl_buffer((8, 16)) as B:
            for j in range(16):
                with T.attr("B", "nw.block", 4):
                    B[i, j] = A[i, j] * T.float32(2)
            for j in range(16):
                with T.attr("C", "nw.block", 6):
                    C[i, j] = B[i, 15 - j]
)");
    }

    /// Each round reads what the one before wrote: the memory must live through all of them.
    void carriedValuesKeepTheirMemoryOutside()
    {
        checkPass("lower-blocks", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((9,))
    with T.block("first"):
        T.reads()
        T.writes(B[0])
        B[0] = T.float32(0)
    for i in range(8):
        with T.block("step"):
            vi = T.axis.opaque(8, i)
            T.reads(A[vi], B[vi])
            T.writes(B[vi + 1])
            B[vi + 1] = A[vi] + B[vi]
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi + 1])
            T.writes(C[vi])
            C[vi] = B[vi + 1]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    with T.decl_buffer((9,)) as B:
        with T.attr("first", "nw.block", 2):
            B[0] = T.float32(0)
        for i in range(8):
            with T.attr("step", "nw.block", 4):
                B[i + 1] = A[i] + B[i]
        for i in range(8):
            with T.attr("C", "nw.block", 6):
                C[i] = B[i + 1]
)");
    }

    /// A sum that goes on from round to round, its init among the statements already.
    void sumsKeepTheirMemoryOutside()
    {
        checkPass("lower-blocks", R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i_k_fused in range(32):
        with T.block("B"):
            vi = T.axis.spatial(8, i_k_fused // 4)
            vk = T.axis.reduce(4, i_k_fused % 4)
            T.reads(A[vi, vk])
            T.writes(B[vi])
            if vk == 0:
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i_k_fused // 4)
            T.reads(B[vi])
            T.writes(C[vi])
            C[vi] = B[vi]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8,), "float32")):
    with T.decl_buffer((8,)) as B:
        for i_k_fused in range(32):
            with T.attr("B", "nw.block", 3):
                if i_k_fused % 4 == 0:
                    B[i_k_fused // 4] = T.float32(0)
                B[i_k_fused // 4] = B[i_k_fused // 4] + A[i_k_fused // 4, i_k_fused % 4]
            with T.attr("C", "nw.block", 4):
                C[i_k_fused // 4] = B[i_k_fused // 4]
)");
    }

    void allocationsShrinkToWhatIsTouched()
    {
        checkPass("compact-buffers", R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    for i, j_0 in T.grid(8, 4):
        with T.decl_buffer((8, 16)) as B:
            for j_1 in range(4):
                B[i, j_0 * 4 + j_1] = A[i, j_0 * 4 + j_1] * T.float32(2)
            for j_1 in range(4):
                C[i, j_0 * 4 + j_1] = B[i, j_0 * 4 + j_1]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    for i, j_0 in T.grid(8, 4):
        with T.decl_buffer((1, 4)) as B:
            for j_1 in range(4):
                B[i - i, j_0 * 4 + j_1 - j_0 * 4] = A[i, j_0 * 4 + j_1] * T.float32(2)
            for j_1 in range(4):
                C[i, j_0 * 4 + j_1] = B[i - i, j_0 * 4 + j_1 - j_0 * 4]
)");
    }

    void buffersBecomeOneDimensional()
    {
        checkPass("flatten-buffers", R"(
@T.prim_func
def main(A: T.Buffer((4, 6), "float32"), B: T.Buffer((), "float32")):
    with T.decl_buffer((2, 3)) as C:
        for i, j in T.grid(2, 3):
            C[i, j] = A[i + 1, j * 2]
        B[()] = C[1, 2]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((4, 6), "float32"), B: T.Buffer((), "float32")):
    A_1 = T.decl_buffer((24,), data=A.data)
    B_1 = T.decl_buffer((1,), data=B.data)
    with T.decl_buffer((6,)) as C:
        for i, j in T.grid(2, 3):
            C[i * 3 + j] = A_1[(i + 1) * 6 + j * 2]
        B_1[0] = C[5]
)");
    }

    void guardsThatAlwaysHoldGo()
    {
        checkPass("simplify", R"(
@T.prim_func
def main(A: T.Buffer((12,), "float32")):
    for i, j in T.grid(3, 4):
        if i * 4 + j < 12:
            A[(i * 4 + j) // 4 * 4 + j] = T.float32(1)
        if j > 7:
            A[0] = T.float32(2)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((12,), "float32")):
    for i, j in T.grid(3, 4):
        A[i * 4 + j] = T.float32(1)
)");
    }

    void guardedLoopsAreCut()
    {
        checkPass("partition-loops", R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32")):
    for i_0, i_1 in T.grid(3, 4):
        if i_0 * 4 + i_1 < 10:
            A[i_0 * 4 + i_1] = T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32")):
    for i_0, i_1 in T.grid(2, 4):
        A[i_0 * 4 + i_1] = T.float32(1)
    for i_0 in range(2, 3):
        for i_1 in range(2):
            A[T.Mul(2, 4) + i_1] = T.float32(1)
        for i_1 in range(2, 4):
            if T.Mul(2, 4) + i_1 < 10:
                A[T.Mul(2, 4) + i_1] = T.float32(1)
)");
    }

    void paddingIsCutOff()
    {
        checkPass("partition-loops", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((10,), "float32")):
    for i in range(10):
        B[i] = T.if_then_else(1 <= i and i < 9, A[i - 1], T.float32(0))
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((10,), "float32")):
    for i in range(1):
        B[0] = T.if_then_else(T.LE(1, 0) and T.LT(0, 9), A[T.Sub(0, 1)], T.float32(0))
    for i in range(1, 9):
        B[i] = A[i - 1]
    for i in range(9, 10):
        B[9] = T.if_then_else(T.LE(1, 9) and T.LT(9, 9), A[T.Sub(9, 1)], T.float32(0))
)");
    }

    void parallelLoopsStayWhole()
    {
        checkPass("partition-loops", R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32")):
    for i_0 in T.parallel(3):
        for i_1 in T.unroll(4):
            if i_0 * 4 + i_1 < 10:
                A[i_0 * 4 + i_1] = T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32")):
    for i_0 in T.parallel(3):
        if i_0 < 2:
            for i_1 in T.unroll(4):
                A[i_0 * 4 + i_1] = T.float32(1)
        else:
            for i_1 in T.unroll(4):
                if i_0 * 4 + i_1 < 10:
                    A[i_0 * 4 + i_1] = T.float32(1)
)");
    }

    void vectorizedLoopsBecomeVectors()
    {
        checkPass("vectorize-loops", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(8):
        for j in T.vectorized(8):
            B[i * 8 + j] = A[i * 8 + j] * A[i] + T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(8):
        B[i * 8:i * 8 + 8] = A[i * 8:i * 8 + 8] * T.Broadcast(A[i], 8) + T.Broadcast(T.float32(1), 8)
)");
    }

    void oddVectorsBecomePowersOfTwo()
    {
        checkPass("vectorize-loops", R"(
@T.prim_func
def main(A: T.Buffer((7,), "float32"), B: T.Buffer((7,), "float32")):
    for j in T.vectorized(7):
        B[j] = A[j]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((7,), "float32"), B: T.Buffer((7,), "float32")):
    B[0:4] = A[0:4]
    B[4:6] = A[4:6]
    B[6] = A[6]
)");
    }

    void guardedVectorsAreMasked()
    {
        checkPass("vectorize-loops", R"(
@T.prim_func
def main(A: T.Buffer((12,), "float32"), s: T.Buffer((1,), "float32"), n: T.int32):
    for j in T.vectorized(8):
        if j < n:
            A[j] = s[0]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((12,), "float32"), s: T.Buffer((1,), "float32"), n: T.int32):
    if 0 < n:
        A.vstore([T.Ramp(0, 1, 8)], T.Broadcast(s[0], 8), predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
)");
    }

    /// All lanes add to one element: there is no vector form.
    void whatHasNoVectorFormStaysALoop()
    {
        checkPass("vectorize-loops", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((1,), "float32")):
    for j in T.vectorized(8):
        B[0] = B[0] + A[j]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((1,), "float32")):
    for j in range(8):
        B[0] = B[0] + A[j]
)");
    }

    void unrolledLoopsBecomeCopies()
    {
        checkPass("unroll-loops", R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32")):
    for i in T.unroll(2):
        for j in range(3):
            A[i * 3 + j] = T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32")):
    for j in range(3):
        A[T.Mul(0, 3) + j] = T.float32(1)
    for j in range(3):
        A[T.Mul(1, 3) + j] = T.float32(1)
)");
    }

    void longLoopsAreNotUnrolled()
    {
        constexpr auto text = R"(
@T.prim_func
def main(A: T.Buffer((1000,), "float32")):
    for i in T.unroll(1000):
        A[i] = T.float32(1)
)";
        checkPass("unroll-loops", text, text);
    }

    void nothingIsLeftOfWhatDoesNothing()
    {
        checkPass("remove-no-ops", R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32")):
    for i in range(6):
        T.evaluate(0)
    for i in range(1):
        A[i] = T.float32(1)
    if T.bool(False):
        A[1] = T.float32(1)
    else:
        A[2] = T.float32(2)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32")):
    A[0] = T.float32(1)
    A[2] = T.float32(2)
)");
    }

    /// Rows 4096 bytes apart all fall onto the same sets of the cache.
    void clashingTilesAreStaged()
    {
        checkPass("stage-tiles", R"(
@T.prim_func
def main(A: T.Buffer((16384,), "float32"), B: T.Buffer((16384,), "float32")):
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1024 + j] = B[i * 1024 + j] + A[i * 1024 + k]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((16384,), "float32"), B: T.Buffer((16384,), "float32")):
    with T.decl_buffer((64,), scope="local") as B_tile:
        for i in range(16):
            for j in T.vectorized(4):
                B_tile[i * 4 + j] = B[i * 1024 + j]
        for k in range(16):
            for i, j in T.grid(16, 4):
                B_tile[i * 4 + j] = B_tile[i * 4 + j] + A[i * 1024 + k]
        for i in range(16):
            for j in T.vectorized(4):
                B[i * 1024 + j] = B_tile[i * 4 + j]
)");
    }

    void otherTilesStayWhereTheyAre()
    {
        constexpr auto text = R"(
@T.prim_func
def main(A: T.Buffer((16384,), "float32"), B: T.Buffer((16384,), "float32")):
    for k in range(16):
        for i, j in T.grid(16, 4):
            B[i * 1000 + j] = B[i * 1000 + j] + A[i * 1000 + k]
)";
        checkPass("stage-tiles", text, text);
    }

    void manyStoresAreNotUnrolled()
    {
        std::string stores;
        for (int k = 0; k < 32; ++k)
            stores +=
                "        A[i * 32 + " + std::to_string(k) + "] = T.float32(" + std::to_string(k) + ")\n";
        const std::string text = R"(
@T.prim_func
def main(A: T.Buffer((6400,), "float32")):
    for i in T.unroll(200):
)" + stores;
        checkPass("unroll-loops", text, text);
    }

    void anEmptyBranchGoesWithItsCondition()
    {
        checkPass("remove-no-ops", R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        if A[i] < T.float32(0):
            T.evaluate(0)
        B[i] = A[i]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        B[i] = A[i]
)");
    }

    void armsOfAChoiceAreSimplifiedUnderItsCondition()
    {
        checkPass("simplify", R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        B[i] = T.if_then_else(i < 4, A[T.min(i, 7)], A[T.max(i, 2)])
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        B[i] = T.if_then_else(i < 4, A[i], A[T.max(i, 2)])
)");
    }

    void aSharedConditionStaysOneOfVectors()
    {
        checkPass("vectorize-loops", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), S: T.Buffer((1,), "float32")):
    for i in T.vectorized(8):
        B[i] = T.Select(S[0] < T.float32(0), A[i], T.float32(1))
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), S: T.Buffer((1,), "float32")):
    B[0:8] = T.Select(T.Broadcast(S[0] < T.float32(0), 8), A[0:8], T.Broadcast(T.float32(1), 8))
)");
    }

    void whatDataAllowIsComputedWithoutABranch()
    {
        // The loads lie within the buffers, so that both halves can be computed; a division cannot.
        checkPass("simplify", R"(
@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), C: T.Buffer((16,), "bool")):
    for i in range(16):
        C[i] = A[i] != 0 and B[i] != 0
    for i in range(16):
        C[i] = A[i] != 0 and B[i] // A[i] != 0
    for i in range(16):
        C[i] = A[i] != 0 or B[i + 1] != 0
    for i in range(15):
        C[i] = A[i] != 0 or B[i + 1] != 0
    for i in range(16):
        C[i] = i < 8 and B[i] != 0
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), C: T.Buffer((16,), "bool")):
    for i in range(16):
        C[i] = T.bitwise_and(A[i] != 0, B[i] != 0)
    for i in range(16):
        C[i] = A[i] != 0 and B[i] // A[i] != 0
    for i in range(16):
        C[i] = A[i] != 0 or B[i + 1] != 0
    for i in range(15):
        C[i] = T.bitwise_or(A[i] != 0, B[i + 1] != 0)
    for i in range(16):
        C[i] = i < 8 and B[i] != 0
)");
    }
};

QTEST_GUILESS_MAIN(PassesTest)
#include "passes_test.moc"
