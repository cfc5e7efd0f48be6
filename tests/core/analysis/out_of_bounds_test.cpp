// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/out_of_bounds.h"
#include "core/analysis/codes.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

enum class Bounds { Kept, Unknown, Left };

/// A function of buffers A (8 elements), I (8 indices), M (n elements) and B (8 elements).
ir::PrimFunc functionOf(const std::string &body)
{
    return *tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), I: T.Buffer((8,), "int32"), m: T.handle,
         B: T.Buffer((8,), "float32")):
    n = T.int32()
    M = T.match_buffer(m, (n,), "float32")
)" + body)
                .mainEntry()
                ->function;
}

struct Row {
    const char *name = "", *body = "";
    Bounds bounds = Bounds::Kept;
    const char *says = "";
};

constexpr Row rows[] = {
    {"every element", R"(
    for i in range(8):
        with T.block("B"):
            v = T.axis.spatial(8, i)
            B[v] = A[7 - v]
)",
     Bounds::Kept},
    {"one behind", R"(
    for i in range(8):
        with T.block("B"):
            v = T.axis.spatial(8, i)
            B[v] = A[v + 1]
)",
     Bounds::Left,
     "block 'B' reads 'A' beyond its elements: index 0 runs from 1 to 8, and that dimension has the extent "
     "8"},
    {"one before", R"(
    for i in range(8):
        with T.block("B"):
            v = T.axis.spatial(8, i)
            B[v] = A[v - 1]
)",
     Bounds::Left, "from -1 to 6"},
    {"written beyond", R"(
    for i, j in T.grid(3, 3):
        with T.block("B"):
            v = T.axis.spatial(9, i * 3 + j)
            B[v] = T.float32(1)
)",
     Bounds::Left, "block 'B' writes 'B' beyond its elements: index 0 runs from 0 to 8"},
    {"one element", "    B[8] = A[0]\n", Bounds::Left,
     "the function writes 'B' beyond its elements: index 0 is 8"},
    {"guarded by the block", R"(
    for i, j in T.grid(3, 3):
        with T.block("B"):
            T.where(i * 3 + j < 8)
            v = T.axis.spatial(8, i * 3 + j)
            B[v] = A[v]
)",
     Bounds::Kept},
    {"guarded by a branch", R"(
    for i in range(9):
        if i < 8:
            B[i] = A[i]
)",
     Bounds::Kept},
    {"the other branch", R"(
    for i in range(9):
        if i >= 8:
            B[0] = A[0]
        else:
            B[i] = A[i]
)",
     Bounds::Kept},
    {"guarded too late", R"(
    for i in range(9):
        if i < 9:
            B[i] = A[0]
)",
     Bounds::Unknown},
    {"guarded by a value", R"(
    for i in range(8):
        with T.block("B"):
            v = T.axis.spatial(8, i)
            B[v] = T.if_then_else(v < 7, A[v + 1], T.float32(0))
)",
     Bounds::Kept},
    {"both arms are computed", R"(
    for i in range(8):
        with T.block("B"):
            v = T.axis.spatial(8, i)
            B[v] = T.Select(v < 7, A[v + 1], T.float32(0))
)",
     Bounds::Unknown},
    {"asked for by the first condition", R"(
    for i in range(9):
        if i < 8 and A[i] > T.float32(0):
            B[i] = A[i]
)",
     Bounds::Kept},
    {"a loop that never runs", R"(
    for i in range(0):
        B[i + 8] = A[i]
)",
     Bounds::Kept},
    {"an initial value", R"(
    for i, k in T.grid(8, 8):
        with T.block("B"):
            v, r = T.axis.remap("SR", [i, k])
            with T.init():
                B[v] = T.float32(0)
            B[v] = B[v] + A[r]
)",
     Bounds::Kept},
    {"where data say", R"(
    for i in range(8):
        with T.block("B"):
            v = T.axis.spatial(8, i)
            B[v] = A[I[v]]
)",
     Bounds::Unknown},
    {"a size that is a parameter", R"(
    for i in range(n):
        with T.block("M"):
            v = T.axis.spatial(n, i)
            M[v] = A[0]
)",
     Bounds::Kept},
    {"beyond a size that is a parameter", R"(
    for i in range(n):
        with T.block("M"):
            v = T.axis.spatial(n, i)
            M[v + 1] = A[0]
)",
     Bounds::Unknown},
    {"a pointer", R"(
    T.evaluate(T.call_extern("int32", "f", T.address_of(A[8])))
)",
     Bounds::Unknown},
};

} // namespace

class OutOfBoundsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void accesses_data()
    {
        QTest::addColumn<const Row *>("row");
        for (const Row &row : rows)
            QTest::newRow(row.name) << &row;
    }
    void accesses()
    {
        QFETCH(const Row *, row);
        const ir::PrimFunc function = functionOf(row->body);
        const auto beyond = analysis::outOfBounds(function);
        QCOMPARE(beyond.has_value(), row->bounds == Bounds::Left);
        QCOMPARE(analysis::staysInBounds(function), row->bounds == Bounds::Kept);
        if (!beyond)
            return;
        QCOMPARE(beyond->code, std::string(analysis::codes::outOfBounds));
        QVERIFY2(beyond->message.contains(row->says), beyond->message.c_str());
        QCOMPARE(beyond->locations.size(), 1U);
    }
};

QTEST_APPLESS_MAIN(OutOfBoundsTest)

#include "out_of_bounds_test.moc"
