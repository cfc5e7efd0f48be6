// SPDX-License-Identifier: Apache-2.0
#include "tests/support/passes.h"

#include <QtTest>

using namespace nestwright::tests;

class LowerInitTest : public QObject {
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
};

QTEST_GUILESS_MAIN(LowerInitTest)
#include "lower_init_test.moc"
