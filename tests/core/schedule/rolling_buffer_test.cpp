// SPDX-License-Identifier: Apache-2.0
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// Two maxima over windows, one after the other.
constexpr const char *pools = R"(
@T.prim_func
def main(A: T.Buffer((12, 12, 3), "int8"), C: T.Buffer((8, 10, 3), "int8")):
    B = T.alloc_buffer((10, 12, 3), "int8")
    for h, w, c, kh in T.grid(10, 12, 3, 3):
        with T.block("cache"):
            vh, vw, vc, vkh = T.axis.remap("SSSR", [h, w, c, kh])
            with T.init():
                B[vh, vw, vc] = T.int8(-128)
            B[vh, vw, vc] = T.max(B[vh, vw, vc], A[vh + vkh, vw, vc])
    for h, w, c, kh, kw in T.grid(8, 10, 3, 3, 3):
        with T.block("compute"):
            vh, vw, vc, vkh, vkw = T.axis.remap("SSSRR", [h, w, c, kh, kw])
            with T.init():
                C[vh, vw, vc] = T.int8(-128)
            C[vh, vw, vc] = T.max(C[vh, vw, vc], B[vh + vkh, vw + vkw, vc])
)";

} // namespace

class RollingBufferTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rows()
    {
        checkPrimitive(pools, R"(
h, w, c, kh, kw = sch.get_loops('compute')
h0, h1 = sch.split(h, [None, 4])
sch.compute_at('cache', h0)
sch.rolling_buffer('cache', 0)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((12, 12, 3), "int8"), C: T.Buffer((8, 10, 3), "int8")):
    B = T.alloc_buffer((6, 12, 3), "int8")
    for h_0 in range(2):
        for ax0, ax1, ax2, ax3 in T.grid(6, 12, 3, 3):
            with T.block("cache"):
                vh = T.axis.opaque(10, h_0 * 4 + ax0)
                vw, vc, vkh = T.axis.remap("SSR", [ax1, ax2, ax3])
                T.where(h_0 < 1 or 2 <= ax0)
                T.reads(A[vh + vkh, vw, vc])
                T.writes(B[vh % 6, vw, vc])
                with T.init():
                    B[vh % 6, vw, vc] = T.int8(-128)
                B[vh % 6, vw, vc] = T.max(B[vh % 6, vw, vc], A[vh + vkh, vw, vc])
        for h_1, w, c, kh, kw in T.grid(4, 10, 3, 3, 3):
            with T.block("compute"):
                vh = T.axis.opaque(8, h_0 * 4 + h_1)
                vw, vc, vkh, vkw = T.axis.remap("SSRR", [w, c, kh, kw])
                T.reads(B[(vh + vkh) % 6, vw + vkw, vc])
                T.writes(C[vh, vw, vc])
                with T.init():
                    C[vh, vw, vc] = T.int8(-128)
                C[vh, vw, vc] = T.max(C[vh, vw, vc], B[(vh + vkh) % 6, vw + vkw, vc])
)");
    }

    void tiles()
    {
        checkPrimitive(pools, R"(
h, w, c, kh, kw = sch.get_loops('compute')
h0, h1 = sch.split(h, [None, 4])
w0, w1 = sch.split(w, [None, 5])
sch.reorder(h0, w0, h1, w1)
sch.compute_at('cache', w0)
sch.rolling_buffer('cache', write_buffer_index=0)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((12, 12, 3), "int8"), C: T.Buffer((8, 10, 3), "int8")):
    B = T.alloc_buffer((6, 12, 3), "int8")
    for h_0, w_0 in T.grid(2, 2):
        for ax0, ax1, ax2, ax3 in T.grid(6, 7, 3, 3):
            with T.block("cache"):
                vh = T.axis.opaque(10, h_0 * 4 + ax0)
                vw = T.axis.spatial(12, w_0 * 5 + ax1)
                vc, vkh = T.axis.remap("SR", [ax2, ax3])
                T.where((h_0 < 1 or 2 <= ax0) and (w_0 < 1 or 2 <= ax1))
                T.reads(A[vh + vkh, vw, vc])
                T.writes(B[vh % 6, vw, vc])
                with T.init():
                    B[vh % 6, vw, vc] = T.int8(-128)
                B[vh % 6, vw, vc] = T.max(B[vh % 6, vw, vc], A[vh + vkh, vw, vc])
        for h_1, w_1, c, kh, kw in T.grid(4, 5, 3, 3, 3):
            with T.block("compute"):
                vh = T.axis.opaque(8, h_0 * 4 + h_1)
                vw = T.axis.spatial(10, w_0 * 5 + w_1)
                vc, vkh, vkw = T.axis.remap("SRR", [c, kh, kw])
                T.reads(B[(vh + vkh) % 6, vw + vkw, vc])
                T.writes(C[vh, vw, vc])
                with T.init():
                    C[vh, vw, vc] = T.int8(-128)
                C[vh, vw, vc] = T.max(C[vh, vw, vc], B[(vh + vkh) % 6, vw + vkw, vc])
)");
    }

    /// Rows without elements: an index is divided by their length of 0.
    void rowsOfNothing()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((4, 0), "float32"), C: T.Buffer((4, 0), "float32")):
    B = T.alloc_buffer((4, 0), "float32")
    for i, j in T.grid(4, 0):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
    for f in range(0):
        with T.block("C"):
            vi = T.axis.spatial(4, f // 0)
            vj = T.axis.spatial(0, f % 0)
            C[vi, vj] = B[vi, vj] * T.float32(2)
)",
                     "f, = sch.get_loops('C')\nsch.compute_at('B', f)\nsch.rolling_buffer('B', 0)",
                     "schedule.no-rolling-axis");
    }

    void columnsFirst()
    {
        checkPrimitive(pools, R"(
h, w, c, kh, kw = sch.get_loops('compute')
h0, h1 = sch.split(h, [None, 4])
w0, w1 = sch.split(w, [None, 5])
sch.reorder(w0, h0, h1, w1)
sch.compute_at('cache', h0)
sch.rolling_buffer('cache', 0)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((12, 12, 3), "int8"), C: T.Buffer((8, 10, 3), "int8")):
    B = T.alloc_buffer((10, 7, 3), "int8")
    for w_0, h_0 in T.grid(2, 2):
        for ax0, ax1, ax2, ax3 in T.grid(6, 7, 3, 3):
            with T.block("cache"):
                vh = T.axis.spatial(10, h_0 * 4 + ax0)
                vw = T.axis.opaque(12, w_0 * 5 + ax1)
                vc, vkh = T.axis.remap("SR", [ax2, ax3])
                T.where((h_0 < 1 or 2 <= ax0) and (w_0 < 1 or 2 <= ax1))
                T.reads(A[vh + vkh, vw, vc])
                T.writes(B[vh, vw % 7, vc])
                with T.init():
                    B[vh, vw % 7, vc] = T.int8(-128)
                B[vh, vw % 7, vc] = T.max(B[vh, vw % 7, vc], A[vh + vkh, vw, vc])
        for h_1, w_1, c, kh, kw in T.grid(4, 5, 3, 3, 3):
            with T.block("compute"):
                vh = T.axis.spatial(8, h_0 * 4 + h_1)
                vw = T.axis.opaque(10, w_0 * 5 + w_1)
                vc, vkh, vkw = T.axis.remap("SRR", [c, kh, kw])
                T.reads(B[vh + vkh, (vw + vkw) % 7, vc])
                T.writes(C[vh, vw, vc])
                with T.init():
                    C[vh, vw, vc] = T.int8(-128)
                C[vh, vw, vc] = T.max(C[vh, vw, vc], B[vh + vkh, (vw + vkw) % 7, vc])
)");
    }

    void stepsOfOne()
    {
        checkPrimitive(pools, R"(
h, w, c, kh, kw = sch.get_loops('compute')
sch.compute_at('cache', w)
sch.rolling_buffer('cache', 0)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((12, 12, 3), "int8"), C: T.Buffer((8, 10, 3), "int8")):
    B = T.alloc_buffer((3, 12, 3), "int8")
    for h, w in T.grid(8, 10):
        for ax0, ax1, ax2, ax3 in T.grid(3, 3, 3, 3):
            with T.block("cache"):
                vh = T.axis.opaque(10, h + ax0)
                vw = T.axis.spatial(12, w + ax1)
                vc, vkh = T.axis.remap("SR", [ax2, ax3])
                T.where((h < 1 or 2 <= ax0) and (w < 1 or 2 <= ax1))
                T.reads(A[vh + vkh, vw, vc])
                T.writes(B[vh % 3, vw, vc])
                with T.init():
                    B[vh % 3, vw, vc] = T.int8(-128)
                B[vh % 3, vw, vc] = T.max(B[vh % 3, vw, vc], A[vh + vkh, vw, vc])
        for c, kh, kw in T.grid(3, 3, 3):
            with T.block("compute"):
                vh = T.axis.opaque(8, h)
                vw, vc, vkh, vkw = T.axis.remap("SSRR", [w, c, kh, kw])
                T.reads(B[(vh + vkh) % 3, vw + vkw, vc])
                T.writes(C[vh, vw, vc])
                with T.init():
                    C[vh, vw, vc] = T.int8(-128)
                C[vh, vw, vc] = T.max(C[vh, vw, vc], B[(vh + vkh) % 3, vw + vkw, vc])
)");
    }

    /// Tiles that reach beyond the buffer's end roll as the others do.
    void tilesBeyondTheEnd()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((12,), "int8"), C: T.Buffer((8,), "int8")):
    B = T.alloc_buffer((10,), "int8")
    for h in range(10):
        with T.block("B"):
            vh = T.axis.spatial(10, h)
            B[vh] = A[vh] * T.int8(2)
    for h, k in T.grid(8, 3):
        with T.block("C"):
            vh, vk = T.axis.remap("SR", [h, k])
            with T.init():
                C[vh] = T.int8(-128)
            C[vh] = T.max(C[vh], B[vh + vk])
)",
                       R"(
h, k = sch.get_loops('C')
h0, h1 = sch.split(h, [None, 6])
sch.compute_at('B', h0)
sch.rolling_buffer('B', 0)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((12,), "int8"), C: T.Buffer((8,), "int8")):
    B = T.alloc_buffer((8,), "int8")
    for h_0 in range(2):
        for ax0 in range(8):
            with T.block("B"):
                vh = T.axis.opaque(10, h_0 * 6 + ax0)
                T.where(h_0 * 6 + ax0 < 10 and (h_0 < 1 or 2 <= ax0))
                T.reads(A[vh])
                T.writes(B[vh % 8])
                B[vh % 8] = A[vh] * T.int8(2)
        for h_1, k in T.grid(6, 3):
            with T.block("C"):
                vh = T.axis.opaque(8, h_0 * 6 + h_1)
                vk = T.axis.reduce(3, k)
                T.where(h_0 * 6 + h_1 < 8)
                T.reads(B[(vh + vk) % 8])
                T.writes(C[vh])
                with T.init():
                    C[vh] = T.int8(-128)
                C[vh] = T.max(C[vh], B[(vh + vk) % 8])
)");
    }

    /// A hint in the predicate changes nothing of it.
    void likelyTiles()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((12,), "int8"), C: T.Buffer((8,), "int8")):
    B = T.alloc_buffer((10,), "int8")
    for h_0 in range(2):
        for ax0 in range(8):
            with T.block("B"):
                vh = T.axis.spatial(10, h_0 * 6 + ax0)
                T.where(T.likely(h_0 * 6 + ax0 < 10))
                T.reads(A[vh])
                T.writes(B[vh])
                B[vh] = A[vh] * T.int8(2)
        for h_1, k in T.grid(6, 3):
            with T.block("C"):
                vh = T.axis.spatial(8, h_0 * 6 + h_1)
                vk = T.axis.reduce(3, k)
                T.where(h_0 * 6 + h_1 < 8)
                T.reads(B[vh + vk])
                T.writes(C[vh])
                with T.init():
                    C[vh] = T.int8(-128)
                C[vh] = T.max(C[vh], B[vh + vk])
)",
                       "sch.rolling_buffer('B', 0)", R"(
@T.prim_func
def main(A: T.Buffer((12,), "int8"), C: T.Buffer((8,), "int8")):
    B = T.alloc_buffer((8,), "int8")
    for h_0 in range(2):
        for ax0 in range(8):
            with T.block("B"):
                vh = T.axis.opaque(10, h_0 * 6 + ax0)
                T.where(T.likely(h_0 * 6 + ax0 < 10) and (h_0 < 1 or 2 <= ax0))
                T.reads(A[vh])
                T.writes(B[vh % 8])
                B[vh % 8] = A[vh] * T.int8(2)
        for h_1, k in T.grid(6, 3):
            with T.block("C"):
                vh = T.axis.opaque(8, h_0 * 6 + h_1)
                vk = T.axis.reduce(3, k)
                T.where(h_0 * 6 + h_1 < 8)
                T.reads(B[(vh + vk) % 8])
                T.writes(C[vh])
                with T.init():
                    C[vh] = T.int8(-128)
                C[vh] = T.max(C[vh], B[(vh + vk) % 8])
)");
    }

    /// The variable at the axis of a reduction stays one: an opaque one would have its init run again and
    /// again.
    void reductionsKeepTheirInits()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8, 10), "float32")):
    R = T.alloc_buffer((8,))
    B = T.alloc_buffer((8, 12))
    for i, k in T.grid(8, 4):
        with T.block("R"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                R[vi] = T.float32(-1000)
            R[vi] = T.max(R[vi], A[vi, vk])
    for i, j in T.grid(8, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = R[vi] + T.Cast("float32", vj)
    for i, j in T.grid(8, 10):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] * B[vi, vj + 2]
)",
                       R"(
sch.compute_at('B', sch.get_loops('C')[1])
sch.rolling_buffer('B', 0)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8, 10), "float32")):
    R = T.alloc_buffer((8,))
    B = T.alloc_buffer((8, 3))
    for i, k in T.grid(8, 4):
        with T.block("R"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                R[vi] = T.float32(-1000)
            R[vi] = T.max(R[vi], A[vi, vk])
    for i, j in T.grid(8, 10):
        for ax0 in range(3):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                vj = T.axis.opaque(12, j + ax0)
                T.where(j < 1 or 2 <= ax0)
                B[vi, vj % 3] = R[vi] + T.Cast("float32", vj)
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.opaque(10, j)
            C[vi, vj] = B[vi, vj % 3] * B[vi, (vj + 2) % 3]
)");
    }

    void notWrittenOver()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((12,), "int8"), C: T.Buffer((8,), "int8")):
    B = T.alloc_buffer((12,), "int8")
    for h in range(2):
        for i in range(6):
            with T.block("first"):
                vh = T.axis.spatial(12, h * 4 + i)
                B[vh] = A[vh] + T.int8(1)
        for i in range(6):
            with T.block("second"):
                vh = T.axis.spatial(12, h * 4 + i)
                B[vh] = B[vh] + A[vh]
        for i in range(4):
            with T.block("C"):
                vh = T.axis.spatial(8, h * 4 + i)
                C[vh] = B[vh + 2]
)",
                     "sch.rolling_buffer('first', 0)", "schedule.written-over", "'second'");
    }

    void refused()
    {
        checkRefused(pools, R"(
sch.rolling_buffer('cache', 0)
)",
                     "schedule.no-common-loop", "compute_at");
        checkRefused(pools, R"(
sch.rolling_buffer('compute', 0)
)",
                     "schedule.output-block");
        checkRefused(pools, R"(
h, w, c, kh, kw = sch.get_loops('compute')
sch.compute_at('cache', kh)
sch.rolling_buffer('cache', 0)
)",
                     "schedule.no-rolling-axis");
        checkRefused(pools, R"(
h, w, c, kh, kw = sch.get_loops('compute')
h0, h1 = sch.split(h, [None, 4])
sch.compute_at('cache', h0)
sch.parallel(h0)
sch.rolling_buffer('cache', 0)
)",
                     "schedule.loop-kind");
    }
};

QTEST_GUILESS_MAIN(RollingBufferTest)
#include "rolling_buffer_test.moc"
