// SPDX-License-Identifier: Apache-2.0
#include "tests/support/passes.h"

#include <QtTest>

using namespace nestwright::tests;

class LowerInitBlockTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initBecomesAGuardedStatement()
    {
        checkPass("lower-init-block", R"(
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

    void severalReductionsBeginTogether()
    {
        checkPass("lower-init-block", R"(
@T.prim_func
def main(A: T.Buffer((4, 8, 2), "float32"), B: T.Buffer((4,), "float32")):
    for i, k, l in T.grid(4, 8, 2):
        with T.block("B"):
            vi, vk, vl = T.axis.remap("SRR", [i, k, l])
            T.reads(A[vi, vk, vl])
            T.writes(B[vi])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk, vl]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((4, 8, 2), "float32"), B: T.Buffer((4,), "float32")):
    for i, k, l in T.grid(4, 8, 2):
        with T.block("B"):
            vi, vk, vl = T.axis.remap("SRR", [i, k, l])
            T.reads(A[vi, vk, vl])
            T.writes(B[vi])
            if vk == 0 and vl == 0:
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk, vl]
)");
    }

    void aReductionMayBeginElsewhere()
    {
        checkPass("lower-init-block", R"(
@T.prim_func
def main(A: T.Buffer((4, 10), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 8):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            vk = T.axis.reduce((2, 10), k + 2)
            T.reads(A[vi, vk])
            T.writes(B[vi])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((4, 10), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 8):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            vk = T.axis.reduce((2, 10), k + 2)
            T.reads(A[vi, vk])
            T.writes(B[vi])
            if vk == 2:
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)");
    }

    void withoutReductionsTheInitRunsEachTime()
    {
        checkPass("lower-init-block", R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi])
            T.writes(B[vi])
            with T.init():
                B[vi] = T.float32(1)
            B[vi] = B[vi] + A[vi]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = T.float32(1)
            B[vi] = B[vi] + A[vi]
)");
    }

    /// As blockize leaves it.
    void anInitMayHoldABlock()
    {
        checkPass("lower-init-block", R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i, k_0 in T.grid(4, 2):
        with T.block("B_o"):
            vi, vk_o = T.axis.remap("SR", [i, k_0])
            T.reads(A[vi, vk_o * 4:vk_o * 4 + 4])
            T.writes(B[vi])
            with T.init():
                with T.block("B_init"):
                    T.reads()
                    T.writes(B[vi])
                    B[vi] = T.float32(0)
            for k_1 in range(4):
                with T.block("B"):
                    vk_i = T.axis.reduce(4, k_1)
                    T.reads(B[vi], A[vi, vk_o * 4 + vk_i])
                    T.writes(B[vi])
                    B[vi] = B[vi] + A[vi, vk_o * 4 + vk_i]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i, k_0 in T.grid(4, 2):
        with T.block("B_o"):
            vi, vk_o = T.axis.remap("SR", [i, k_0])
            T.reads(A[vi, vk_o * 4:vk_o * 4 + 4])
            T.writes(B[vi])
            if vk_o == 0:
                with T.block("B_init"):
                    T.reads()
                    T.writes(B[vi])
                    B[vi] = T.float32(0)
            for k_1 in range(4):
                with T.block("B"):
                    vk_i = T.axis.reduce(4, k_1)
                    T.reads(B[vi], A[vi, vk_o * 4 + vk_i])
                    T.writes(B[vi])
                    B[vi] = B[vi] + A[vi, vk_o * 4 + vk_i]
)");
    }

    void blocksWithinBlocksAreLowered()
    {
        checkPass("lower-init-block", R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("row"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi, 0:8])
            T.writes(B[vi])
            for k in range(8):
                with T.block("B"):
                    vk = T.axis.reduce(8, k)
                    T.reads(A[vi, vk])
                    T.writes(B[vi])
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("row"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi, 0:8])
            T.writes(B[vi])
            for k in range(8):
                with T.block("B"):
                    vk = T.axis.reduce(8, k)
                    T.reads(A[vi, vk])
                    T.writes(B[vi])
                    if vk == 0:
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]
)");
    }

    void blocksWithoutInitStay()
    {
        constexpr auto text = R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(B[vi], A[vi, vk])
            T.writes(B[vi])
            B[vi] = B[vi] + A[vi, vk]
)";
        checkPass("lower-init-block", text, text);
    }
};

QTEST_GUILESS_MAIN(LowerInitBlockTest)
#include "lower_init_block_test.moc"
