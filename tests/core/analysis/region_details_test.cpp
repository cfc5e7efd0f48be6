// SPDX-License-Identifier: Apache-2.0
// The regions found for single forms of access, and whether one region holds another.
#include "core/analysis/access/complete_regions.h"
#include "core/analysis/access/regions.h"
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using ir::Expr;

namespace {

/// The line of reads (or writes) of block "b" with `body`, as printed.
std::string line(const std::string &kind, const std::string &body, const std::string &axes = "")
{
    const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64,), "float32"), P: T.Buffer((64,), "int32"),
         n: T.int32):
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
)" + axes + body);
    const std::string text = script::print(analysis::completeRegions(module)).text;
    const std::size_t start = text.find("T." + kind + "(");
    return text.substr(start, text.find('\n', start) - start);
}

std::string reads(const std::string &body) { return line("reads", body); }
std::string writes(const std::string &body) { return line("writes", body); }

arith::Region interval(const Expr &low, const Expr &high) { return {{low, high - low + 1}}; }

} // namespace

class RegionDetailsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void vectorAccesses()
    {
        QCOMPARE(writes("            B[vi * 4:vi * 4 + 4] = T.Broadcast(T.float32(0), 4)\n"),
                 "T.writes(B[vi * 4:vi * 4 + 4])");
        QCOMPARE(writes("            B[T.Ramp(vi * 4, 2, 3)] = T.Broadcast(T.float32(0), 3)\n"),
                 "T.writes(B[vi * 4:vi * 4 + 5])");
        QCOMPARE(writes("            B[T.Ramp(40 + vi, -2, 3)] = T.Broadcast(T.float32(0), 3)\n"),
                 "T.writes(B[vi + 36:vi + 36 + 5])");
        QCOMPARE(writes("            B[T.Ramp(vi, 0, 3)] = T.Broadcast(T.float32(0), 3)\n"),
                 "T.writes(B[vi])");
        // The lower end is not known.
        QVERIFY(
            writes("            B[T.Ramp(32, n, 3)] = T.Broadcast(T.float32(0), 3)\n").contains("T.min("));
    }

    /// Outside the block nobody can refer to memory that lives in it, nor to its writes by then.
    void boundsThatAreDataOfTheBlockItself()
    {
        const std::string chosen = "            O = T.alloc_buffer((), \"int32\")\n"
                                   "            O[()] = P[vi]\n"
                                   "            B[vi] = A[O[()] % 64, vi]\n";
        QCOMPARE(reads(chosen), "T.reads(P[vi], A[0:64, vi])");
        QCOMPARE(reads("            P[vi] = 3\n            B[vi] = A[P[vi] % 64, vi]\n"),
                 "T.reads(A[0:64, vi], P[vi])");
        const std::string matched =
            "            Q = T.match_buffer(P[vi:vi + 1], (1,), \"int32\", offset_factor=1)\n"
            "            B[vi] = A[Q[0] % 64, vi]\n";
        QCOMPARE(reads(matched), "T.reads(A[0:64, vi], P[vi])");
        const std::string allocated = "            o = T.allocate([1], \"int32\", \"global\")\n"
                                      "            O = T.Buffer((1,), \"int32\", data=o)\n"
                                      "            O[0] = P[vi]\n"
                                      "            B[vi] = A[O[0] % 64, vi]\n";
        QCOMPARE(reads(allocated), "T.reads(P[vi], A[0:64, vi])");
        QCOMPARE(reads("            B[vi] = A[P[vi] % 64, vi]\n"), "T.reads(A[P[vi] % 64, vi], P[vi])");
    }

    void accessesThroughPointers()
    {
        const auto access = [](const std::string &mask) {
            return "            T.evaluate(T.tvm_access_ptr(T.type_annotation(\"float32\"), B.data, 0, 64, "
                   + mask + "))\n";
        };
        for (const auto &[mask, read, written] : {std::tuple{"1", "T.reads(B[0:64])", "T.writes()"},
                                                  {"2", "T.reads()", "T.writes(B[0:64])"},
                                                  {"3", "T.reads(B[0:64])", "T.writes(B[0:64])"},
                                                  {"n", "T.reads(B[0:64])", "T.writes(B[0:64])"}}) {
            QCOMPARE(reads(access(mask)).substr(0, 16), std::string(read).substr(0, 16));
            QCOMPARE(writes(access(mask)), std::string(written));
        }
    }

    void indicesThatAreLoaded()
    {
        // An index of integers that are loaded stays as it is written.
        QCOMPARE(reads("            B[vi] = A[P[vi], vi]\n"), "T.reads(A[P[vi], vi], P[vi])");
        // The expression behind it does not matter; a call before it does.
        QCOMPARE(reads("            B[vi] = A[P[vi] + vi, 0]\n"), "T.reads(A[P[vi] + vi, 0], P[vi])");
        QCOMPARE(reads("            B[vi] = A[T.shift_left(P[vi], 1), 0]\n"), "T.reads(A[0:64, 0], P[vi])");
        QCOMPARE(reads("            B[vi] = A[P[T.shift_left(vi, 1)], 0]\n"),
                 "T.reads(A[P[T.shift_left(vi, 1)], 0], P[0:64])");
    }

    /// Taken exactly, calls and choices are indices as others are.
    void exactIndices()
    {
        for (const char *index :
             {"T.shift_left(P[vi], 1)", "T.Select(vi < 3, vi, 2)", "T.Cast(\"int32\", B[vi])"}) {
            const ir::Module module = tests::parsed(std::string(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32"),
         P: T.Buffer((64,), "int32")):
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            C[vi] = A[)") + index + "]\n");
            bool isExact = false, isWider = false;
            ir::forEachStmt(module.mainEntry()->function->root()->body, [&](const ir::Stmt &s) {
                const auto *block = s.as<ir::Block>();
                if (!block)
                    return true;
                using enum analysis::IndexBounds;
                const ir::Range exact = analysis::accessRegions(*block, {}, Exact).reads[0].region[0];
                const ir::Range detected = analysis::accessRegions(*block, {}, Detected).reads[0].region[0];
                const ir::Expr &written =
                    block->body.as<ir::BufferStore>()->value.as<ir::BufferLoad>()->indices[0];
                isExact = ir::structurallyEqual(exact.min, written) && ir::isConstInt(exact.extent, 1);
                isWider = !ir::isConstInt(detected.extent, 1);
                return false;
            });
            QVERIFY2(isExact, index);
            QVERIFY2(isWider, index);
        }
    }

    void otherwise()
    {
        // The two ways of a choice narrow the loop from both sides.
        QCOMPARE(writes(R"(
            for j in range(16):
                if j < 5:
                    B[j] = T.float32(0)
                else:
                    A[vi, j] = T.float32(0)
)"),
                 "T.writes(B[0:5], A[vi, 5:16])");
        QCOMPARE(reads(R"(
            for j in range(16):
                B[vi] = B[vi] + T.if_then_else(j < 5, A[0, j], A[1, j + 20])
)"),
                 "T.reads(B[vi], A[0:2, 0:36])");
    }

    void lets()
    {
        QCOMPARE(writes(R"(
            x: T.int32 = vi * 2
            for j in range(2):
                B[x + j] = T.float32(0)
)"),
                 "T.writes(B[vi * 2:vi * 2 + 2])");
        QCOMPARE(reads("            x: T.int32 = P[vi]\n            B[vi] = A[x, vi]\n"),
                 "T.reads(P[vi], A[P[vi], vi])");
    }

    void matchedBuffersWithFewerDimensions()
    {
        QCOMPARE(writes(R"(
            M = T.match_buffer(A[vi, 8:24], (16,), offset_factor=1)
            for j in range(4):
                M[j + 2] = T.float32(0)
)"),
                 "T.writes(A[vi, 10:14])");
        QCOMPARE(reads(R"(
            M = T.match_buffer(A[vi, 8:24], (16,), offset_factor=1)
            B[vi] = M[P[vi] * P[vi + 1]]
)")
                     .substr(0, 12),
                 "T.reads(A[vi");
    }

    void rangesHeldByOthers()
    {
        arith::Analyzer analyzer;
        const ir::Var x("x"), y("y"), z("z");
        analyzer.bind(x, ir::Range{0, 100});
        analyzer.bind(y, ir::Range{0, 100});
        const auto covers = [&](const arith::Region &outer, const arith::Region &inner) {
            return analysis::provablyCovers(outer, inner, analyzer);
        };
        QVERIFY(covers(interval(0, 9), interval(0, 9)));
        QVERIFY(covers(interval(0, 9), interval(3, 5)));
        QVERIFY(!covers(interval(1, 9), interval(0, 9)));
        QVERIFY(!covers(interval(0, 8), interval(0, 9)));
        const arith::Region square{{0, 4}, {0, 4}};
        QVERIFY(covers(square, {{0, 4}, {1, 3}}));
        QVERIFY(!covers(square, {{0, 4}, {1, 4}}));
        QVERIFY(!covers(square, {{0, 5}, {1, 3}}));
        // With minima and maxima, whichever operand counts.
        QVERIFY(covers(interval(ir::min(x, y), ir::max(x, y)), interval(x, x)));
        QVERIFY(covers(interval(ir::min(x, y), ir::max(x, y)), interval(y, y)));
        QVERIFY(!covers(interval(ir::max(x, y), ir::max(x, y) + 3), interval(x, x)));
        QVERIFY(!covers(interval(ir::min(x, y), ir::min(x, y) + 3), interval(x, x)));
        QVERIFY(covers(interval(ir::min(x, y), 200), interval(ir::max(x, y), 150)));
        QVERIFY(!covers(interval(ir::max(x, y), 200), interval(ir::min(x, y), 150)));
        QVERIFY(covers(interval(ir::min(x, y) - 2, ir::max(x, y) + 2),
                       interval(ir::min(x, y) - 2, ir::max(y, x) + 1)));
        QVERIFY(!covers(interval(ir::min(x, y) - 2, ir::max(x, y)),
                        interval(ir::min(x, y) - 2, ir::max(x, y) + 1)));
        QVERIFY(covers(interval(0, ir::min(x, y) + 5), interval(0, ir::min(x + 5, y + 4))));
        QVERIFY(!covers(interval(0, ir::min(x, y) + 4), interval(0, ir::min(x + 5, y + 5))));
        QVERIFY(covers(interval(0, 5 + ir::min(x, z)), interval(0, ir::min(x + 4, z + 5))));
        QVERIFY(!covers(interval(0, x), interval(0, y)));
        // Minima and maxima that no sum takes apart: each case is proved under its condition.
        QVERIFY(covers(interval(0, x + y + ir::min(x, y)), interval(0, ir::min(x, y) * 3)));
        QVERIFY(!covers(interval(0, x + y + ir::min(x, y) - 1), interval(0, ir::min(x, y) * 3)));
        QVERIFY(covers(interval(0, ir::max(x, y) * 3), interval(0, x + y + ir::max(x, y))));
        QVERIFY(!covers(interval(0, ir::max(x, y) * 3), interval(0, x + y + ir::max(x, y) + 1)));
        const Expr least = ir::min(x, y) * 2 + ir::min(x, z) * 2;
        QVERIFY(!covers(interval(0, ir::min(x, y) * 4), interval(0, least)));
        QVERIFY(!covers(interval(0, ir::max(x, y) * 2 + ir::min(x, y) * 2), interval(0, ir::max(x, y) * 4)));
    }

    /// A condition over few values is tried for all of them, one over many is not.
    void fewValuesAreTried()
    {
        const auto covers = [](std::int64_t last, std::int64_t extent) {
            arith::Analyzer analyzer;
            const ir::Var x("x");
            analyzer.bind(x, ir::Range{0, ir::intImm(extent)});
            const Expr square = ir::floorMod(x * x, 7);
            return analysis::provablyCovers(interval(0, ir::intImm(last)), interval(square, square),
                                            analyzer);
        };
        QVERIFY(covers(4, 16)); // squares modulo 7 are 0, 1, 2 and 4
        QVERIFY(!covers(3, 16));
        QVERIFY(covers(4, 128));
        QVERIFY(!covers(4, 1024));
        QVERIFY(!covers(3, 3)); // the last value of all gives 4
        QVERIFY(covers(1, 2));
        // Two variables count together.
        const auto sumIsCovered = [](int rows, int columns) {
            arith::Analyzer analyzer;
            const ir::Var x("x"), y("y");
            analyzer.bind(x, ir::Range{0, rows});
            analyzer.bind(y, ir::Range{0, columns});
            const Expr sum = ir::floorMod(x * x, 7) + ir::floorMod(y * y, 7);
            return analysis::provablyCovers(interval(0, 8), interval(sum, sum), analyzer);
        };
        QVERIFY(sumIsCovered(11, 11));
        QVERIFY(sumIsCovered(16, 8));
        QVERIFY(!sumIsCovered(12, 11));
        QVERIFY(!sumIsCovered(13, 10));
    }
};

QTEST_GUILESS_MAIN(RegionDetailsTest)
#include "region_details_test.moc"
