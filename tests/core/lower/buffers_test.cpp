// SPDX-License-Identifier: Apache-2.0
// Which allocations shrink, and how buffers become one-dimensional.
#include "tests/core/lower/bodies.h"

using namespace nestwright::tests;

class BuffersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void compacted_data()
    {
        addBodyColumns();
        row("a row at a time", R"(
    for i in range(8):
        with T.decl_buffer((8, 16)) as B:
            for j in range(16):
                B[i, j] = A[i * 16 + j]
            for j in range(16):
                C[i * 16 + j] = B[i, 15 - j]
)",
            R"(
    for i in range(8):
        B = T.decl_buffer((1, 16))
        for j in range(16):
            B[i - i, j] = A[i * 16 + j]
        for j in range(16):
            C[i * 16 + j] = B[i - i, 15 - j]
)");
        row("all of it", R"(
    with T.decl_buffer((8,)) as B:
        for i in range(8):
            B[i] = A[i]
        for i in range(8):
            C[i] = B[7 - i]
)",
            R"(
    B = T.decl_buffer((8,))
    for i in range(8):
        B[i] = A[i]
    for i in range(8):
        C[i] = B[7 - i]
)");
        row("but one", R"(
    with T.decl_buffer((8,)) as B:
        for i in range(7):
            B[i + 1] = A[i]
        for i in range(7):
            C[i] = B[7 - i]
)",
            R"(
    B = T.decl_buffer((7,))
    for i in range(7):
        B[i + 1 - 1] = A[i]
    for i in range(7):
        C[i] = B[7 - i - 1]
)");
        row("of unknown size", R"(
    with T.decl_buffer((n,)) as B:
        for i in range(4):
            B[i] = A[i]
        for i in range(4):
            C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((4,))
    for i in range(4):
        B[i] = A[i]
    for i in range(4):
        C[i] = B[i]
)");
        row("of unknown part", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(n):
            B[i] = A[i]
        for i in range(n):
            C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((64,))
    for i in range(n):
        B[i] = A[i]
    for i in range(n):
        C[i] = B[i]
)");
        row("a part that a condition bounds", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(32):
            if i < 5:
                B[i] = A[i]
        for i in range(5):
            C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((5,))
    for i in range(32):
        if i < 5:
            B[i] = A[i]
    for i in range(5):
        C[i] = B[i]
)");
        row("a part that a condition of unknown value bounds", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(32):
            if i < n:
                B[i] = A[i]
        for i in range(32):
            if i < n:
                C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((32,))
    for i in range(32):
        if i < n:
            B[i] = A[i]
    for i in range(32):
        if i < n:
            C[i] = B[i]
)");
        row("otherwise", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(32):
            if i < 5:
                B[i] = A[i]
            else:
                B[i + 8] = A[i]
        for i in range(5):
            C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((40,))
    for i in range(32):
        if i < 5:
            B[i] = A[i]
        else:
            B[i + 8] = A[i]
    for i in range(5):
        C[i] = B[i]
)");
        row("a condition that is read", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(32):
            if i < J[0]:
                B[i] = A[i]
        for i in range(32):
            if i < J[0]:
                C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((32,))
    for i in range(32):
        if i < J[0]:
            B[i] = A[i]
    for i in range(32):
        if i < J[0]:
            C[i] = B[i]
)");
        row("a choice", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(5):
            B[i + 3] = A[i]
        for i in range(32):
            C[i] = T.if_then_else(i < 5, B[i + 3], T.float32(0))
)",
            R"(
    B = T.decl_buffer((5,))
    for i in range(5):
        B[i + 3 - 3] = A[i]
    for i in range(32):
        C[i] = T.if_then_else(i < 5, B[i + 3 - 3], T.float32(0))
)");
        row("places that are read", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(5):
            B[i] = A[i]
        for i in range(5):
            C[i] = B[J[i]]
)",
            R"(
    B = T.decl_buffer((64,))
    for i in range(5):
        B[i] = A[i]
    for i in range(5):
        C[i] = B[J[i]]
)");
        row("a length that is read", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(J[0]):
            B[i] = A[i]
        for i in range(J[0]):
            C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((64,))
    for i in range(J[0]):
        B[i] = A[i]
    for i in range(J[0]):
        C[i] = B[i]
)");
        row("vectors", R"(
    with T.decl_buffer((64,)) as B:
        B[0:4] = A[0:4]
        C[0:4] = B[0:4]
)",
            R"(
    B = T.decl_buffer((64,))
    B[0:4] = A[0:4]
    C[0:4] = B[0:4]
)");
        row("through its pointer", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(5):
            B[i] = A[i]
        T.evaluate(T.call_extern("int32", "f", B.data))
)",
            R"(
    B = T.decl_buffer((64,))
    for i in range(5):
        B[i] = A[i]
    T.call_extern("int32", "f", B.data)
)");
        row("a place that a variable gives", R"(
    with T.decl_buffer((64,)) as B:
        with T.LetStmt(n % 4) as x:
            B[x] = A[x]
            C[x] = B[x]
)",
            R"(
    B = T.decl_buffer((64,))
    x: T.int32 = n % 4
    B[x] = A[x]
    C[x] = B[x]
)");
        row("a place that a variable in a value gives", R"(
    with T.decl_buffer((64,)) as B:
        B[3] = A[0]
        C[0] = T.Let(B[x], where={x: 3})
)",
            R"(
    B = T.decl_buffer((64,))
    B[3] = A[0]
    C[0] = T.Let(B[x], where={x: 3})
)");
        row("nothing", R"(
    with T.decl_buffer((64,)) as B:
        C[0] = A[0]
)",
            R"(
    B = T.decl_buffer((64,))
    C[0] = A[0]
)");
        row("a view of it", R"(
    with T.decl_buffer((64,)) as B:
        V = T.decl_buffer((8, 8), data=B.data)
        for i in range(5):
            B[i] = A[i]
        for i in range(5):
            C[i] = V[0, i]
)",
            R"(
    B = T.decl_buffer((64,))
    V = T.decl_buffer((8, 8), data=B.data)
    for i in range(5):
        B[i] = A[i]
    for i in range(5):
        C[i] = V[0, i]
)");
        row("one element", R"(
    for i in range(8):
        with T.decl_buffer((8,)) as B:
            B[i] = A[i]
            C[i] = B[i]
)",
            R"(
    for i in range(8):
        B = T.decl_buffer((1,))
        B[i - i] = A[i]
        C[i] = B[i - i]
)");
        row("the start of a loop that is elsewhere", R"(
    for i in range(8):
        with T.decl_buffer((64,)) as B:
            for j in range(i, i + 4):
                B[j] = A[j]
            for j in range(i, i + 4):
                C[j] = B[j]
)",
            R"(
    for i in range(8):
        B = T.decl_buffer((4,))
        for j in range(i, i + 4):
            B[j - i] = A[j]
        for j in range(i, i + 4):
            C[j] = B[j - i]
)");
    }
    void compacted()
    {
        checkRow(
            "compact-buffers",
            R"(A: T.Buffer((128,), "float32"), C: T.Buffer((128,), "float32"), J: T.Buffer((8,), "int32"), n: T.int32)");
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
        checkRow("flatten-buffers",
                 R"(A: T.Buffer((128,), "float32"), C: T.Buffer((128,), "float32"), n: T.int32)");
    }
};

QTEST_GUILESS_MAIN(BuffersTest)
#include "buffers_test.moc"
