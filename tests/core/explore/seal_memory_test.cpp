// SPDX-License-Identifier: Apache-2.0
// Where the seal looks for faults of memory, indices and sizes: elements that nobody has written, those
// beyond a dimension, races, guards, tiles.
#include "core/explore/judge/seal_path.h"
#include "tests/core/explore/sealed_programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::explore;
using namespace nestwright::tests;
using Outcome = Seal::Outcome;

class SealMemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unwrittenMemory()
    {
        constexpr std::string_view program = R"(@T.prim_func
def f(a: T.handle, c: T.handle):
    A = T.match_buffer(a, (4, 8), "float32")
    C = T.match_buffer(c, (4,), "float32")
    S = T.alloc_buffer((4,), "float32")
    for i, k in T.grid(4, 8):
        with T.block("S"):
            vi = T.axis.spatial(4, i)
            vk = T.axis.reduce(8, k)
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + A[vi, vk]
    for i in T.serial(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = S[vi]
)";
        const std::string wrong =
            replaced(program, "            with T.init():\n                S[vi] = T.float32(0)\n", "");
        const Seal seal = sealOf(program, wrong);
        QVERIFY(seal.outcome == Outcome::Differs);
        QVERIFY(seal.reason.message.contains("nobody has written"));
        QVERIFY(sealOf(wrong, program).outcome == Outcome::DoesNotApply);
    }

    /// The value that memory has before it is written seldom shows in integers.
    void unwrittenIntegers()
    {
        constexpr std::string_view program = R"(@T.prim_func
def f(a: T.handle, c: T.handle):
    A = T.match_buffer(a, (4, 8), "int64")
    C = T.match_buffer(c, (4,), "int64")
    S = T.alloc_buffer((4,), "int64")
    for i in T.serial(4):
        with T.block("S"):
            vi = T.axis.spatial(4, i)
            S[vi] = A[vi, 0] * A[vi, 1] * A[vi, 2] * A[vi, 3]
    for i in T.serial(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = T.if_then_else(S[vi] == T.int64(987654), T.int64(1), T.int64(0))
)";
        const Seal right = sealOf(program, program);
        QVERIFY2(right.outcome == Outcome::Equal, right.reason.message.c_str());
        const Seal seal = sealOf(
            program, replaced(program, "S[vi] = A[vi, 0] * A[vi, 1] * A[vi, 2] * A[vi, 3]", "T.evaluate(0)"));
        QVERIFY2(seal.outcome == Outcome::Differs, seal.claim().c_str());
        QCOMPARE(seal.reason.code, "interp.unwritten");
    }

    /// Guards of indices against a size that is known only where the program runs, met at their boundaries.
    void guardsOfIndices_data()
    {
        QTest::addColumn<QString>("guard");
        for (const char *guard :
             {"X[v] >= 0 and X[v] <= n", "X[v] >= 0 and X[v] < n + 1", "X[v] > 0 and X[v] < n",
              "X[v] >= 0 and X[v] < n - 1", "X[v] >= -1 and X[v] < n", "X[v] >= 0"})
            QTest::newRow(guard) << QString(guard);
    }

    void guardsOfIndices()
    {
        QFETCH(QString, guard);
        const std::string program = R"(@T.prim_func
def f(a: T.handle, x: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    X = T.match_buffer(x, (12,), "int32")
    C = T.match_buffer(c, (12,), "float32")
    for i in T.serial(12):
        with T.block("C"):
            v = T.axis.spatial(12, i)
            C[v] = T.if_then_else(X[v] >= 0 and X[v] < n, A[X[v]], T.float32(3))
)";
        const std::string wrong = replaced(program, "X[v] >= 0 and X[v] < n", guard.toStdString());
        for (std::uint64_t seed = 1; seed <= 50; ++seed) {
            const auto same = seal(parsed(program), parsed(program), {.seed = seed});
            QVERIFY2(same && same->outcome == Outcome::Equal, same->reason.message.c_str());
            const auto other = seal(parsed(program), parsed(wrong), {.seed = seed});
            QVERIFY2(other && other->outcome == Outcome::Differs, std::format("seed {}", seed).c_str());
        }
    }

    /// Faults at the size of a tile, one less or one more alone.
    void sizesOfTiles()
    {
        const auto program = [](std::string_view where) {
            return std::format(R"(@T.prim_func
def f(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    C = T.match_buffer(c, (n,), "float32")
    for i, j in T.grid((n + 31) // 32, 32):
        with T.block("C"):
            v = T.axis.spatial(n, i * 32 + j)
            T.where(i * 32 + j < n)
            C[v] = T.if_then_else({}, A[v], T.float32(3))
)",
                               where);
        };
        for (const char *wrong : {"v < 32 or v > 32", "v != 12", "n > 1 or v > 0"}) {
            const Seal seal = sealOf(program("v >= 0"), program(wrong));
            QVERIFY2(seal.outcome == Outcome::Differs, wrong);
        }
    }

    /// A program that does not hold for a size of 1.
    void sizesThatDoNotHold()
    {
        constexpr std::string_view program = R"(@T.prim_func
def f(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    C = T.match_buffer(c, (n - 4,), "float32")
    for i in T.serial(n - 4):
        with T.block("C"):
            v = T.axis.spatial(n - 4, i)
            C[v] = A[v] + A[v + 4]
)";
        const Seal same = sealOf(program, program);
        QVERIFY2(same.outcome == Outcome::Equal, same.reason.message.c_str());
        QVERIFY(same.draws > 1);
        QVERIFY(sealOf(program, replaced(program, "A[v + 4]", "A[v + 3]")).outcome == Outcome::Differs);
    }

    /// Elements beyond a dimension are wrong, though they lie in the same memory and lowering makes nothing
    /// of it.
    void beyondDimension()
    {
        constexpr std::string_view right = R"(@T.prim_func
def f(a: T.handle, c: T.handle):
    A = T.match_buffer(a, (7,), "float32")
    C = T.match_buffer(c, (7,), "float32")
    S = T.alloc_buffer((7, 1), "float32")
    for i in T.serial(7):
        with T.block("S"):
            v = T.axis.spatial(7, i)
            S[v, 0] = A[v]
    for i in T.serial(7):
        with T.block("C"):
            v = T.axis.spatial(7, i)
            C[v] = S[v, 0]
)";
        const Seal seal = sealOf(right, replaced(right, "S[v, 0] = A[v]", "S[0, v] = A[v]"));
        QVERIFY2(seal.outcome == Outcome::Differs, seal.claim().c_str());
        QCOMPARE(seal.reason.code, std::string("interp.out-of-bounds"));
    }

    /// The results are the same where iterations run in order; in parallel they need not be.
    void races()
    {
        constexpr std::string_view serial = R"(@T.prim_func
def f(a: T.handle, c: T.handle):
    A = T.match_buffer(a, (8,), "float32")
    C = T.match_buffer(c, (8,), "float32")
    S = T.alloc_buffer((1,), "float32")
    for i in T.serial(8):
        S[0] = A[i]
        C[i] = S[0] * T.float32(2)
)";
        const std::string parallel = replaced(serial, "T.serial(8)", "T.parallel(8)");
        QVERIFY(sealOf(serial, serial).outcome == Outcome::Equal);
        const Seal seal = sealOf(serial, parallel);
        QVERIFY2(seal.outcome == Outcome::Differs, seal.claim().c_str());
        QCOMPARE(seal.reason.code, std::string("interp.race"));
        QVERIFY(sealOf(parallel, serial).outcome == Outcome::DoesNotApply);
    }
};

QTEST_GUILESS_MAIN(SealMemoryTest)
#include "seal_memory_test.moc"
