// SPDX-License-Identifier: Apache-2.0
// Programs whose result is left to chance, by threads or by memory that nobody wrote, their own or beside
// their arguments: none is called verified.
#include "tests/core/measure/verified_variants.h"
#include "tests/support/check_primitive.h"

using namespace nestwright;
using namespace nestwright::tests;
using measure::Measurement;

namespace {

/// Programs that leave their result to chance; nothing can be verified of them.
struct Chance {
    const char *name, *program, *code;
};

constexpr Chance chances[] = {
    {"a sum of threads", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((1,), "float32")):
    for i in T.parallel(64):
        with T.block("B"):
            vi = T.axis.reduce(64, i)
            with T.init():
                B[0] = T.float32(0)
            B[0] = B[0] + A[vi]
)",
     "parallel"},
    {"threads that write where data say", R"(
@T.prim_func
def main(I: T.Buffer((64,), "int32"), A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in T.parallel(64):
        with T.block("B"):
            vi = T.axis.opaque(64, i)
            T.reads(I[vi], A[vi])
            T.writes(B[0:64])
            B[I[vi]] = A[vi]
)",
     "parallel"},
    {"threads that write one element in two", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((32,), "float32")):
    for i in T.parallel(64):
        with T.block("B"):
            vi = T.axis.opaque(64, i)
            T.reads(A[vi])
            T.writes(B[vi // 2])
            B[vi // 2] = A[vi]
)",
     "parallel"},
    {"threads that read what their neighbours write", R"(
@T.prim_func
def main(A: T.Buffer((65,), "float32")):
    for i in T.parallel(64):
        with T.block("A"):
            vi = T.axis.opaque(64, i)
            T.reads(A[vi + 1])
            T.writes(A[vi])
            A[vi] = A[vi + 1] * T.float32(2)
)",
     "parallel"},
    {"threads with one place for what they keep", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((1,), "float32")
    for i in T.parallel(64):
        with T.block("S"):
            vi = T.axis.opaque(64, i)
            T.reads(A[vi])
            T.writes(S[0], B[vi])
            S[0] = A[vi] * T.float32(2)
            B[vi] = S[0] + T.float32(1)
)",
     "parallel"},
    {"memory that nobody wrote", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((64,), "float32")
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] + S[vi]
)",
     "unwritten"},
    {"memory of which half is written", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((64,), "float32")
    for i in range(32):
        with T.block("S"):
            vi = T.axis.spatial(32, i)
            S[vi] = A[vi]
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] + S[vi]
)",
     "unwritten"},
    {"a sum that begins with what is there", R"(
@T.prim_func
def main(A: T.Buffer((16, 64), "float32"), B: T.Buffer((16,), "float32")):
    S = T.alloc_buffer((16,), "float32")
    for i, k in T.grid(16, 64):
        with T.block("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            S[vi] = S[vi] + A[vi, vk]
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = S[vi]
)",
     "unwritten"},
    {"memory that is written afterwards", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((64,), "float32")
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = S[63 - vi]
        with T.block("S"):
            vi = T.axis.spatial(64, i)
            S[vi] = A[vi]
)",
     "unwritten"},
    {"an element behind an argument", R"(
@T.prim_func
def main(A: T.Buffer((37,), "float32"), B: T.Buffer((37,), "float32")):
    for i in range(37):
        with T.block("B"):
            vi = T.axis.spatial(37, i)
            B[vi] = A[vi] + A[vi + 1]
)",
     "out-of-bounds"},
    {"an element before an argument, in one iteration of all", R"(
@T.prim_func
def main(A: T.Buffer((37,), "float32"), B: T.Buffer((37,), "float32")):
    for i in range(37):
        with T.block("B"):
            vi = T.axis.spatial(37, i)
            B[vi] = A[vi] + T.if_then_else(vi % 37 == 0, A[vi - 1], A[vi])
)",
     "unwritten"},
};

/// Programs of 37 elements, and what they leave to chance: A[37], which is memory beside the argument.
constexpr const char *guarded = R"(
@T.prim_func
def main(A: T.Buffer((37,), "float32"), B: T.Buffer((37,), "float32")):
    for i in range(37):
        with T.block("B"):
            vi = T.axis.spatial(37, i)
            B[vi] = A[vi] + T.if_then_else(vi < {}, A[vi + 1], T.float32(0))
)";

/// The program that reads A up to that element.
schedule::State readingTo(const char *last)
{
    std::string text = guarded;
    return scheduled(text.replace(text.find("{}"), 2, last));
}

} // namespace

class ResultsLeftToChanceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void resultsLeftToChance_data() { addRows(chances); }
    void resultsLeftToChance()
    {
        QFETCH(const Chance *, row);
        const schedule::State program = scheduled(row->program);
        const Measurement result = verified(program, program.module);
        QVERIFY(!result.isVerified());
        QVERIFY(result.failure);
        QVERIFY2(result.failure->code.contains(row->code), result.failure->render().c_str());
    }

    /// Memory beside an argument holds no small number, which rounding would explain.
    void elementsBesideAnArgument()
    {
        const schedule::State right = readingTo("36");
        QVERIFY(verified(right, right.module).isVerified());
        const Measurement wrong = verified(right, readingTo("37").module);
        QVERIFY(!wrong.isVerified());
        QCOMPARE(wrong.failed, measure::Failure::WrongResult);
    }
};

int main(int argc, char *argv[]) { return runTestOrWorker<ResultsLeftToChanceTest>(argc, argv); }

#include "results_left_to_chance_test.moc"
