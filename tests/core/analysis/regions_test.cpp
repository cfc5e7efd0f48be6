// SPDX-License-Identifier: Apache-2.0
// The regions found for blocks that declare none.
#include "core/analysis/access/complete_regions.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

/// Parses a function whose body is `body`, with A, B (64 × 64), V (64) and a scalar S, all of float32.
ir::Module withBody(const std::string &body)
{
    return tests::parsed(R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32"), V: T.Buffer((64,), "float32"),
         S: T.Buffer((), "float32")):
)" + body);
}

/// `body` without its regions is completed to `expected`, which has them.
void compareCompleted(const std::string &body, const std::string &expected)
{
    const ir::Module found = analysis::completeRegions(withBody(body));
    const auto difference = ir::firstDifference(found, withBody(expected));
    QVERIFY2(!difference, difference.value_or("").c_str());
}

} // namespace

class RegionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pointsStayAsTheyAreWritten()
    {
        compareCompleted(R"(
    for i, j in T.grid(64, 64):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vj, vi] + V[vi]
)",
                         R"(
    for i, j in T.grid(64, 64):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vj, vi], V[vi])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vj, vi] + V[vi]
)");
    }

    void aReductionDoesNotReadItsOutput()
    {
        compareCompleted(R"(
    for i, k in T.grid(64, 64):
        with T.block("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                V[vi] = T.float32(0)
            V[vi] = V[vi] + A[vi, vk]
)",
                         R"(
    for i, k in T.grid(64, 64):
        with T.block("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(V[vi])
            with T.init():
                V[vi] = T.float32(0)
            V[vi] = V[vi] + A[vi, vk]
)");
    }

    void withoutAnInitItDoes()
    {
        compareCompleted(R"(
    for i, k in T.grid(64, 64):
        with T.block("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            V[vi] = V[vi] + A[vi, vk]
)",
                         R"(
    for i, k in T.grid(64, 64):
        with T.block("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(V[vi], A[vi, vk])
            T.writes(V[vi])
            V[vi] = V[vi] + A[vi, vk]
)");
    }

    /// The result of a function may be any index; of two values chosen from, both may be it.
    void indicesOfUnknownValues()
    {
        compareCompleted(R"(
    for i in range(64):
        with T.block("b"):
            vi = T.axis.spatial(64, i)
            V[vi] = (A[T.Cast("int32", T.floor(T.Cast("float32", vi) * T.float32(0.5))), vi & 3]
                     + A[T.Select(vi < 3, vi, 3), 0])
)",
                         R"(
    for i in range(64):
        with T.block("b"):
            vi = T.axis.spatial(64, i)
            T.reads(A[0:64, 0:64])
            T.writes(V[vi])
            V[vi] = (A[T.Cast("int32", T.floor(T.Cast("float32", vi) * T.float32(0.5))), vi & 3]
                     + A[T.Select(vi < 3, vi, 3), 0])
)");
        compareCompleted(R"(
    for i in range(64):
        with T.block("b"):
            vi = T.axis.spatial(64, i)
            V[vi] = A[T.Select(vi < 3, vi, 3), vi]
)",
                         R"(
    for i in range(64):
        with T.block("b"):
            vi = T.axis.spatial(64, i)
            T.reads(A[T.min(3, vi):T.min(3, vi) + (T.max(3, vi) + 1 - T.min(3, vi)), vi])
            T.writes(V[vi])
            V[vi] = A[T.Select(vi < 3, vi, 3), vi]
)");
    }

    void loopsWithinAreRelaxed()
    {
        compareCompleted(R"(
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            for j, k in T.grid(4, 8):
                B[vi * 4 + j, k * 2] = A[vi * 4 + j, 63 - k]
)",
                         R"(
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            T.reads(A[vi * 4:vi * 4 + 4, 56:64])
            T.writes(B[vi * 4:vi * 4 + 4, 0:15])
            for j, k in T.grid(4, 8):
                B[vi * 4 + j, k * 2] = A[vi * 4 + j, 63 - k]
)");
    }

    void severalAccessesAreUnited()
    {
        compareCompleted(R"(
    for i in range(62):
        with T.block("b"):
            vi = T.axis.spatial(62, i)
            V[vi + 1] = A[0, vi] + A[0, vi + 2]
)",
                         R"(
    for i in range(62):
        with T.block("b"):
            vi = T.axis.spatial(62, i)
            T.reads(A[0, vi:vi + 3])
            T.writes(V[vi + 1])
            V[vi + 1] = A[0, vi] + A[0, vi + 2]
)");
    }

    void conditionsNarrowLoopsWithin()
    {
        compareCompleted(R"(
    for i in range(8):
        with T.block("b"):
            vi = T.axis.spatial(8, i)
            for j in range(16):
                if j < 10:
                    V[vi * 8 + j] = T.if_then_else(4 <= j, A[vi, j], T.float32(0))
)",
                         R"(
    for i in range(8):
        with T.block("b"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 4:10])
            T.writes(V[vi * 8:vi * 8 + 10])
            for j in range(16):
                if j < 10:
                    V[vi * 8 + j] = T.if_then_else(4 <= j, A[vi, j], T.float32(0))
)");
    }

    void blockVariablesAreNotNarrowed()
    {
        compareCompleted(R"(
    for i in range(64):
        with T.block("pad"):
            vi = T.axis.spatial(64, i)
            V[vi] = T.if_then_else(1 <= vi and vi < 63, A[0, vi - 1], T.float32(0))
)",
                         R"(
    for i in range(64):
        with T.block("pad"):
            vi = T.axis.spatial(64, i)
            T.reads(A[0, vi - 1])
            T.writes(V[vi])
            V[vi] = T.if_then_else(1 <= vi and vi < 63, A[0, vi - 1], T.float32(0))
)");
    }

    void unboundedAccessesTakeTheWholeDimension()
    {
        compareCompleted(R"(
    for i in range(64):
        with T.block("gather"):
            vi = T.axis.spatial(64, i)
            for j in range(4):
                B[vi, j] = A[T.Cast("int32", V[j]), j]
)",
                         R"(
    for i in range(64):
        with T.block("gather"):
            vi = T.axis.spatial(64, i)
            T.reads(A[0:64, 0:4], V[0:4])
            T.writes(B[vi, 0:4])
            for j in range(4):
                B[vi, j] = A[T.Cast("int32", V[j]), j]
)");
    }

    void scalarsHaveNoDimensions()
    {
        compareCompleted(R"(
    for i in range(64):
        with T.block("sum"):
            vi = T.axis.reduce(64, i)
            with T.init():
                S[()] = T.float32(0)
            S[()] = S[()] + V[vi]
)",
                         R"(
    for i in range(64):
        with T.block("sum"):
            vi = T.axis.reduce(64, i)
            T.reads(V[vi])
            T.writes(S[()])
            with T.init():
                S[()] = T.float32(0)
            S[()] = S[()] + V[vi]
)");
    }

    void innerBlocksCountByTheirRegionsAndAllocationsAreLeftOut()
    {
        compareCompleted(R"(
    for i in range(16):
        with T.block("outer"):
            vo = T.axis.spatial(16, i)
            t = T.alloc_buffer((4,))
            for j in range(4):
                with T.block("in1"):
                    vi = T.axis.spatial(4, j)
                    t[vi] = A[0, vo * 4 + vi]
            for j in range(4):
                with T.block("in2"):
                    vi = T.axis.spatial(4, j)
                    V[vo * 4 + vi] = t[vi]
)",
                         R"(
    for i in range(16):
        with T.block("outer"):
            vo = T.axis.spatial(16, i)
            T.reads(A[0, vo * 4:vo * 4 + 4])
            T.writes(V[vo * 4:vo * 4 + 4])
            t = T.alloc_buffer((4,))
            for j in range(4):
                with T.block("in1"):
                    vi = T.axis.spatial(4, j)
                    T.reads(A[0, vo * 4 + vi])
                    T.writes(t[vi])
                    t[vi] = A[0, vo * 4 + vi]
            for j in range(4):
                with T.block("in2"):
                    vi = T.axis.spatial(4, j)
                    T.reads(t[vi])
                    T.writes(V[vo * 4 + vi])
                    V[vo * 4 + vi] = t[vi]
)");
    }

    void matchedBuffersAreTracedToTheirSource()
    {
        compareCompleted(R"(
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            W = T.match_buffer(A[vi * 4:vi * 4 + 4, 8:16], (4, 8))
            for j in range(4):
                V[vi * 4 + j] = W[j, 3]
)",
                         R"(
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            T.reads(A[vi * 4:vi * 4 + 4, 11])
            T.writes(V[vi * 4:vi * 4 + 4])
            W = T.match_buffer(A[vi * 4:vi * 4 + 4, 8:16], (4, 8))
            for j in range(4):
                V[vi * 4 + j] = W[j, 3]
)");
    }

    void onlyWhatIsMissingIsFound()
    {
        compareCompleted(R"(
    for i in range(64):
        with T.block("b"):
            vi = T.axis.spatial(64, i)
            T.reads(A[0:64, 0:64])
            V[vi] = A[vi, vi]
)",
                         R"(
    for i in range(64):
        with T.block("b"):
            vi = T.axis.spatial(64, i)
            T.reads(A[0:64, 0:64])
            T.writes(V[vi])
            V[vi] = A[vi, vi]
)");
    }

    void rangesOfBlocksWithinReachToTheirLastElement()
    {
        const std::string body = R"(
    for i in range(4):
        with T.block("outer"):
            vi = T.axis.spatial(4, i)%s
            for j in range(3):
                with T.block("inner"):
                    vj = T.axis.spatial(3, j)
                    T.reads(V[vi * 16 + vj * 4:vi * 16 + vj * 4 + 5])
                    T.writes(A[vi, vj * 4:vj * 4 + 4])
                    A[vi, vj * 4] = V[vi * 16 + vj * 4]
)";
        compareCompleted(QString::asprintf(body.c_str(), "").toStdString(),
                         QString::asprintf(body.c_str(), R"(
            T.reads(V[vi * 16:vi * 16 + 13])
            T.writes(A[vi, 0:12]))")
                             .toStdString());
    }

    void completeProgramsStayTheSame()
    {
        for (const tests::Program &program : tests::programs()) {
            const ir::Module before = tests::parsed(program.text);
            const ir::Module once = analysis::completeRegions(before);
            QVERIFY2(analysis::completeRegions(once).same(once), std::string(program.name).c_str());
        }
    }
};

QTEST_GUILESS_MAIN(RegionsTest)
#include "regions_test.moc"
