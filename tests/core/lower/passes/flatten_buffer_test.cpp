// SPDX-License-Identifier: Apache-2.0
// How buffers become one-dimensional.
#include "tests/core/lower/passes/bodies.h"
#include "tests/support/passes.h"

using namespace nestwright::tests;

class FlattenBufferTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void buffersBecomeOneDimensional()
    {
        checkPass("flatten-buffer", R"(
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

    void flattened_data()
    {
        addBodyColumns();
        row("strides of its own", R"(
    V = T.decl_buffer((4, 8), data=A.data, strides=[16, 1])
    for i, j in T.grid(4, 8):
        C[i * 8 + j] = V[i, j]
)",
            R"(
    V = T.decl_buffer((56,), data=A.data)
    for i, j in T.grid(4, 8):
        C[i * 8 + j] = V[i * 16 + j]
)");
        row("vectors", R"(
    V = T.decl_buffer((4, 8), data=A.data)
    for i in range(4):
        V[i, 0:8] = T.Broadcast(T.float32(1), 8)
)",
            R"(
    V = T.decl_buffer((32,), data=A.data)
    for i in range(4):
        V[T.Broadcast(i * 8, 8) + T.Ramp(0, 1, 8)] = T.Broadcast(T.float32(1), 8)
)");
        row("in 64 bits", R"(
    if n == 123456789:
        with T.decl_buffer((2, 2147483647), "int8") as B:
            B[n, 5] = T.int8(1)
)",
            R"(
    if n == 123456789:
        with T.decl_buffer((T.int64(4294967294),), "int8") as B:
            B[T.Cast("int64", n) * T.int64(2147483647) + T.int64(5)] = T.int8(1)
)");
        row("just in 32 bits", R"(
    if n == 123456789:
        with T.decl_buffer((1, 2147483647), "int8") as B:
            B[n, 5] = T.int8(1)
)",
            R"(
    if n == 123456789:
        with T.decl_buffer((2147483647,), "int8") as B:
            B[n * 2147483647 + 5] = T.int8(1)
)");
        row("scalars and one dimension", R"(
    with T.decl_buffer(()) as B:
        B[()] = A[3]
        C[0] = B[()]
)",
            R"(
    B = T.decl_buffer((1,))
    B[0] = A[3]
    C[0] = B[0]
)");
        row("three dimensions", R"(
    with T.decl_buffer((2, 3, 4)) as B:
        for i, j, k in T.grid(2, 3, 4):
            B[i, j, k] = A[i]
        for i, j, k in T.grid(2, 3, 4):
            C[i] = B[i, j, k]
)",
            R"(
    B = T.decl_buffer((24,))
    for i, j, k in T.grid(2, 3, 4):
        B[(i * 3 + j) * 4 + k] = A[i]
    for i, j, k in T.grid(2, 3, 4):
        C[i] = B[(i * 3 + j) * 4 + k]
)");
    }
    void flattened()
    {
        checkRow("flatten-buffer",
                 R"(A: T.Buffer((128,), "float32"), C: T.Buffer((128,), "float32"), n: T.int32)");
    }

    void parametersThatNobodyTouchesGetNoView()
    {
        constexpr auto text = R"(
@T.prim_func
def main(A: T.Buffer((4, 6), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        B[i] = T.float32(1)
)";
        checkPass("flatten-buffer", text, text);
    }
};

QTEST_GUILESS_MAIN(FlattenBufferTest)
#include "flatten_buffer_test.moc"
