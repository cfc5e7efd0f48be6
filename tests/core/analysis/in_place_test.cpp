// SPDX-License-Identifier: Apache-2.0
// Which accesses keep a result from the memory of what it is computed from; schedules are tested in tests/core/schedule.
#include "core/analysis/in_place.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <algorithm>

using namespace nestwright;
using analysis::InPlace;

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

const std::string plainA = "    A = T.match_buffer(a, (16, 16))\n",
                  plainB = "    B = T.match_buffer(b, (16, 16))\n";

} // namespace

class InPlaceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void elementByElement()
    {
        QCOMPARE(pairs(plainA + plainB, "A[vi, vj] * T.float32(2)"), (std::vector<InPlace>{{0, 1}}));
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
