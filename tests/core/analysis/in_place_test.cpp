// SPDX-License-Identifier: Apache-2.0
// Accesses that keep a result from the memory of its operand; schedules are tested in tests/core/schedule.
#include "core/analysis/access/complete_regions.h"
#include "core/analysis/access/in_place.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <algorithm>
#include <format>

using namespace nestwright;
using analysis::InPlace;
using Pairs = std::vector<InPlace>;

namespace {

/// The pairs of a function whose parameters are handles; `matches` makes buffers A and B of them.
std::vector<InPlace> pairs(const std::string &matches, const std::string &value)
{
    const ir::Module module = tests::parsed("@T.prim_func\ndef main(a: T.handle, b: T.handle):\n" + matches
                                            + R"(
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = )" + value + "\n");
    return analysis::inPlacePairs(module.mainEntry()->function);
}

/// A and R, 16 × 16, and V, 16; results B and C, 16 × 16. All are float32.
ir::Module withBody(const std::string &body)
{
    return analysis::completeRegions(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), R: T.Buffer((256,), "float32"), V: T.Buffer((16,), "float32"),
         B: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
)" + body));
}

Pairs pairsOf(const ir::Module &module) { return analysis::inPlacePairs(module.mainEntry()->function); }

/// One block "B" over all of B that stores `value`.
std::string elementwise(const std::string &value)
{
    return R"(
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = )"
           + value + '\n';
}

const std::string plainA = "    A = T.match_buffer(a, (16, 16))\n",
                  plainB = "    B = T.match_buffer(b, (16, 16))\n";

} // namespace

class InPlaceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void elementByElement()
    {
        const ir::Module module = withBody(elementwise("A[vi, vj] * V[vj] + R[vi * 16 + vj]"));
        QCOMPARE(pairsOf(module), (Pairs{{0, 3}, {1, 3}}));
        QCOMPARE(pairsOf(withBody(elementwise("T.if_then_else(vi < 4, A[vi, vj], V[vj])"))), (Pairs{{0, 3}}));
    }

    void allWaysOfSayingOnce()
    {
        // A block without loops, a predicate that makes the map one to one, and a place that is computed from
        // all loops.
        QCOMPARE(pairsOf(withBody(R"(
    with T.block("root"):
        T.reads()
        T.writes()
        with T.block("B"):
            B[0, 0] = A[0, 0]
)")),
                 (Pairs{{0, 3}}));
        QCOMPARE(pairsOf(withBody(R"(
    for i, j, k in T.grid(16, 4, 5):
        with T.block("B"):
            T.where(j * 5 + k < 16)
            vi = T.axis.spatial(16, i)
            vj = T.axis.spatial(16, j * 5 + k)
            B[vi, vj] = A[vi, vj]
)")),
                 (Pairs{{0, 3}}));
        QCOMPARE(pairsOf(withBody(R"(
    for i in range(256):
        with T.block("B"):
            v = T.axis.spatial(256, i)
            B[v // 16, v % 16] = R[v]
)")),
                 (Pairs{{1, 3}}));
        // A pure function of an element, whose address nobody takes.
        QCOMPARE(pairsOf(withBody(elementwise("T.exp(A[vi, vj])"))), (Pairs{{0, 3}}));
    }

    void notWhereItMustNot_data()
    {
        QTest::addColumn<QString>("body");
        const auto add = [](const char *name, const std::string &body) {
            QTest::newRow(name) << QString::fromStdString(body);
        };
        add("a neighbour", elementwise("A[vi, vj] + T.if_then_else(vj < 15, A[vi, vj + 1], T.float32(0))"));
        add("transposed", elementwise("A[vj, vi]"));
        add("another order in memory", elementwise("R[vj * 16 + vi]"));
        add("repeated", elementwise("V[vj]"));
        add("through a value", elementwise("A[vi, T.cast(V[vj], \"int32\")]"));
        add("a condition reads it", R"(
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            if A[vi, vj] > T.float32(0):
                B[vi, vj] = V[vj]
)");
        add("a sum", R"(
    for i, j, k in T.grid(16, 16, 16):
        with T.block("B"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                B[vi, vj] = T.float32(0)
            B[vi, vj] = B[vi, vj] + A[vi, vk]
)");
        add("written before", R"(
    for i, j in T.grid(16, 16):
        with T.block("zero"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = T.float32(0)
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
)");
        add("read again later", elementwise("A[vi, vj]") + R"(
    for i, j in T.grid(16, 16):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vj, vi]
)");
        add("read for the next store", R"(
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
            C[vi, vj] = A[vi, vj]
)");
        add("computed twice", R"(
    for i, j, k in T.grid(16, 16, 2):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
)");
        add("the same element twice", R"(
    for i, j in T.grid(31, 16):
        with T.block("B"):
            vi = T.axis.spatial(16, i // 2)
            vj = T.axis.spatial(16, j)
            B[vi, vj] = A[vi, vj]
)");
        add("through a view", R"(
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, 0:16])
            T.writes(B[vi, vj])
            row = T.match_buffer(A[vi, 0:16], (16,))
            B[vi, vj] = row[vj]
)");
        add("through a pointer", elementwise("A[vi, vj] + T.call_extern(\"float32\", \"first\", A.data)"));
        add("its address", elementwise("A[vi, vj] + T.call_extern(\"float32\", \"first\", "
                                       "T.address_of(A[vi, vj]))"));
        add("while something holds", elementwise("A[vi, vj]") + R"(
    while R[0] < T.float32(0):
        C[0, 0] = T.float32(0)
)");
        add("a vector of it", R"(
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi, 0:16] = A[vi, 0:16]
)");
        add("a vector of it besides", elementwise("A[vi, vj]") + R"(
    for i in range(16):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            C[vi, 0:16] = A[vi, 0:16]
)");
        add("stored a vector at a time and read by elements", R"(
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi, 0:16] = T.Broadcast(A[vi, 0], 16)
)");
        add("a place that is loaded", R"(
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, T.cast(V[vj], "int32")] = A[vi, T.cast(V[vj], "int32")]
)");
        add("a place that is computed by a call", R"(
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, T.bitwise_and(vj, 14)] = A[vi, T.bitwise_and(vj, 14)]
)");
        add("threads", R"(
    for i in T.thread_binding(16, thread="blockIdx.x"):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj]
)");
        add("a block within a block", R"(
    for i in range(16):
        with T.block("outer"):
            vi = T.axis.spatial(16, i)
            for j in range(16):
                with T.block("B"):
                    vj = T.axis.spatial(16, j)
                    B[vi, vj] = A[vi, vj]
)");
        add("read where the result is read", elementwise("A[vi, vj] + B[vi, vj]"));
        add("written itself", elementwise("A[vi, vj]") + R"(
    for i in range(16):
        with T.block("A"):
            vi = T.axis.spatial(16, i)
            A[vi, 0] = T.float32(0)
)");
        add("a loop in the block", R"(
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            for j in range(16):
                B[vi, j] = A[vi, j]
)");
    }
    void notWhereItMustNot()
    {
        QFETCH(QString, body);
        const Pairs pairs = pairsOf(withBody(body.toStdString()));
        for (const InPlace &pair : pairs)
            QVERIFY2(pair.read != 0 && pair.read != 1 && pair.read != 2,
                     std::format("{} for {}", pair.read, pair.written).c_str());
    }

    void otherSizesOfElements()
    {
        const char *program = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), H: T.Buffer((16,), "float16"), I: T.Buffer((4, 4), "int32")):
    for i in range(16):
        with T.block("I"):
            v = T.axis.spatial(16, i)
            I[v // 4, v % 4] = T.cast(A[v], "int32") + T.cast(H[v], "int32")
)";
        QCOMPARE(pairsOf(analysis::completeRegions(tests::parsed(program))), (Pairs{{0, 2}}));
    }

    void throughPointers()
    {
        for (const char *pointer : {"A.data", "a"})
            QVERIFY(pairs(plainA + plainB,
                          std::string("A[vi, vj] + T.call_extern(\"float32\", \"f\", ") + pointer + ")")
                        .empty());
        QVERIFY(pairs(plainA + plainB + "    V = T.decl_buffer((256,), data=A.data)\n",
                      "A[vi, vj] + V[vi * 16 + 15 - vj]")
                    .empty());
    }

    void onlyCompactMemory()
    {
        const std::string value = "A[vi, vj] * T.float32(2)";
        QVERIFY(pairs("    A = T.match_buffer(a, (16, 16), strides=[32, 1])\n" + plainB, value).empty());
        QVERIFY(pairs("    A = T.match_buffer(a, (16, 16), elem_offset=4)\n" + plainB, value).empty());
        QVERIFY(pairs("    A = T.match_buffer(a, (16, 16), scope=\"shared\")\n" + plainB, value).empty());
        QVERIFY(pairs(plainA + "    B = T.match_buffer(b, (16, 16), strides=[32, 1])\n", value).empty());
    }
};

QTEST_GUILESS_MAIN(InPlaceTest)
#include "in_place_test.moc"
