// SPDX-License-Identifier: Apache-2.0
// Vectorized loops that become vectors, and their lanes.
#include "tests/core/lower/passes/bodies.h"
#include "tests/support/passes.h"

using namespace nestwright::tests;

class VectorizeLoopTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void vectorizedLoopsBecomeVectors()
    {
        checkPass("vectorize-loop", R"(
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
        checkPass("vectorize-loop", R"(
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
        checkPass("vectorize-loop", R"(
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
        checkPass("vectorize-loop", R"(
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

    void aSharedConditionStaysOneOfVectors()
    {
        checkPass("vectorize-loop", R"(
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

    /// As many lanes as there may be, and one more.
    void mostLanes()
    {
        const auto isVector = [](int lanes) {
            const auto record = nestwright::lower::runPass(
                *nestwright::lower::findPass("vectorize-loop"),
                parsed("@T.prim_func\ndef main(A: T.Buffer((512,), \"float32\")):\n    for i in T.vectorized("
                       + std::to_string(lanes) + "):\n        A[i] = T.float32(1)\n"),
                {});
            return record && !nestwright::script::print(record->after).text.contains("for i in range");
        };
        QVERIFY(isVector(2));
        QVERIFY(isVector(256));
        QVERIFY(!isVector(257));
    }

    void oneLaneIsNoVector()
    {
        checkPass("vectorize-loop", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    for j in T.vectorized(3, 4):
        A[j] = T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    A[3] = T.float32(1)
)");
    }

    void anUnknownNumberOfLanesStaysALoop()
    {
        checkPass("vectorize-loop", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), n: T.int32):
    for j in T.vectorized(n):
        if j < 8:
            A[j] = T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), n: T.int32):
    for j in range(n):
        if j < 8:
            A[j] = T.float32(1)
)");
    }

    void vectorsAreNotVectorizedAgain()
    {
        checkPass("vectorize-loop", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    for i in T.vectorized(2):
        A[i * 4:i * 4 + 4] = T.Broadcast(T.float32(1), 4)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    for i in range(2):
        A[i * 4:i * 4 + 4] = T.Broadcast(T.float32(1), 4)
)");
    }
};

QTEST_GUILESS_MAIN(VectorizeLoopTest)
#include "vectorize_loop_test.moc"
