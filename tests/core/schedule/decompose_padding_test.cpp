// SPDX-License-Identifier: Apache-2.0
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// A line with two zeros at both ends.
constexpr const char *line = R"(
@T.prim_func
def main(x: T.Buffer((20,), "int32"), y: T.Buffer((24,), "int32")):
    for i in range(24):
        with T.block("block"):
            vi = T.axis.spatial(24, i)
            y[vi] = T.if_then_else(vi >= 2 and vi < 22, x[vi - 2], 0, dtype="int32")
)";

/// A padded image, and the convolution that reads it.
constexpr const char *image = R"(
@T.prim_func
def main(x: T.Buffer((1, 10, 10, 3), "float32"), w: T.Buffer((3, 3, 3, 4), "float32"),
         o: T.Buffer((1, 10, 10, 4), "float32")):
    P = T.alloc_buffer((1, 12, 12, 3))
    for n, h, ww, c in T.grid(1, 12, 12, 3):
        with T.block("P"):
            vn, vh, vw, vc = T.axis.remap("SSSS", [n, h, ww, c])
            P[vn, vh, vw, vc] = T.if_then_else(1 <= vh and vh < 11 and 1 <= vw and vw < 11,
                                               x[vn, vh - 1, vw - 1, vc], T.float32(0))
    for n, h, ww, c, rh, rw, rc in T.grid(1, 10, 10, 4, 3, 3, 3):
        with T.block("conv"):
            vn, vh, vw, vc, vrh, vrw, vrc = T.axis.remap("SSSSRRR", [n, h, ww, c, rh, rw, rc])
            with T.init():
                o[vn, vh, vw, vc] = T.float32(0)
            o[vn, vh, vw, vc] = o[vn, vh, vw, vc] + P[vn, vh + vrh, vw + vrw, vrc] * w[vrh, vrw, vrc, vc]
)";

} // namespace

class DecomposePaddingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void beforeTheLoop()
    {
        checkPrimitive(line, R"(
b = sch.get_block('block')
i, = sch.get_loops(b)
sch.decompose_padding(b, i)
)",
                       R"(
@T.prim_func
def main(x: T.Buffer((20,), "int32"), y: T.Buffer((24,), "int32")):
    for i in range(24):
        with T.block("block_pad_const"):
            vi = T.axis.spatial(24, i)
            T.reads()
            T.writes(y[vi])
            y[vi] = 0
    for i in range(20):
        with T.block("block"):
            vi = T.axis.spatial(20, i)
            T.reads(x[vi])
            T.writes(y[vi + 2])
            y[vi + 2] = x[vi]
)");
    }

    void beforeASplitLoop()
    {
        checkPrimitive(line, R"(
b = sch.get_block('block')
i, = sch.get_loops(b)
i0, i1 = sch.split(i, [None, 5])
sch.decompose_padding(b, i1)
)",
                       R"(
@T.prim_func
def main(x: T.Buffer((20,), "int32"), y: T.Buffer((24,), "int32")):
    for i_0 in range(5):
        for i_1 in range(5):
            with T.block("block_pad_const"):
                vi = T.axis.spatial(24, i_0 * 5 + i_1)
                T.where(i_0 * 5 + i_1 < 24)
                T.reads()
                T.writes(y[vi])
                y[vi] = 0
        for i_1 in range(5):
            with T.block("block"):
                vi = T.axis.spatial(20, i_0 * 5 + i_1 - 2)
                T.where(2 <= i_0 * 5 + i_1 and i_0 * 5 + i_1 < 22 and i_0 * 5 + i_1 < 24)
                T.reads(x[vi])
                T.writes(y[vi + 2])
                y[vi + 2] = x[vi]
)");
    }

    void innerDimensions()
    {
        checkPrimitive(image, R"(
n, h, w, c = sch.get_loops('P')
f = sch.decompose_padding('P', h)
sch.vectorize(sch.get_loops(f)[3])
)",
                       R"(
@T.prim_func
def main(x: T.Buffer((1, 10, 10, 3), "float32"), w: T.Buffer((3, 3, 3, 4), "float32"),
         o: T.Buffer((1, 10, 10, 4), "float32")):
    P = T.alloc_buffer((1, 12, 12, 3))
    for n in range(1):
        for h, ww in T.grid(12, 12):
            for c in T.vectorized(3):
                with T.block("P_pad_const"):
                    vn = T.axis.spatial(1, 0)
                    vh, vw, vc = T.axis.remap("SSS", [h, ww, c])
                    T.reads()
                    T.writes(P[vn, vh, vw, vc])
                    P[vn, vh, vw, vc] = T.float32(0.0)
        for h, ww, c in T.grid(10, 10, 3):
            with T.block("P"):
                vn = T.axis.spatial(1, 0)
                vh, vw, vc = T.axis.remap("SSS", [h, ww, c])
                T.reads(x[vn, vh, vw, vc])
                T.writes(P[vn, vh + 1, vw + 1, vc])
                P[vn, vh + 1, vw + 1, vc] = x[vn, vh, vw, vc]
    for n, h, ww, c, rh, rw, rc in T.grid(1, 10, 10, 4, 3, 3, 3):
        with T.block("conv"):
            vn, vh, vw, vc, vrh, vrw, vrc = T.axis.remap("SSSSRRR", [n, h, ww, c, rh, rw, rc])
            T.reads(P[vn, vh + vrh, vw + vrw, vrc], w[vrh, vrw, vrc, vc])
            T.writes(o[vn, vh, vw, vc])
            with T.init():
                o[vn, vh, vw, vc] = T.float32(0.0)
            o[vn, vh, vw, vc] = o[vn, vh, vw, vc] + P[vn, vh + vrh, vw + vrw, vrc] * w[vrh, vrw, vrc, vc]
)");
    }

    void withinTheReader()
    {
        checkPrimitive(image, R"(
b = sch.get_block('P')
n, h, w, co, rh, rw, rc = sch.get_loops('conv')
h0, h1 = sch.split(h, [None, 5])
sch.compute_at(b, h0)
sch.decompose_padding(b, sch.get_loops(b)[2])
)",
                       R"(
@T.prim_func
def main(x: T.Buffer((1, 10, 10, 3), "float32"), w: T.Buffer((3, 3, 3, 4), "float32"),
         o: T.Buffer((1, 10, 10, 4), "float32")):
    P = T.alloc_buffer((1, 12, 12, 3))
    for n, h_0 in T.grid(1, 2):
        for ax0, ax1, ax2 in T.grid(7, 12, 3):
            with T.block("P_pad_const"):
                vn = T.axis.spatial(1, 0)
                vh = T.axis.spatial(12, h_0 * 5 + ax0)
                vw, vc = T.axis.remap("SS", [ax1, ax2])
                T.reads()
                T.writes(P[vn, vh, vw, vc])
                P[vn, vh, vw, vc] = T.float32(0.0)
        for ax0, ax1, ax2 in T.grid(7, 10, 3):
            with T.block("P"):
                vn = T.axis.spatial(1, 0)
                vh = T.axis.spatial(10, h_0 * 5 + ax0 - 1)
                vw, vc = T.axis.remap("SS", [ax1, ax2])
                T.where(1 <= h_0 * 5 + ax0 and h_0 * 5 + ax0 < 11)
                T.reads(x[vn, vh, vw, vc])
                T.writes(P[vn, vh + 1, vw + 1, vc])
                P[vn, vh + 1, vw + 1, vc] = x[vn, vh, vw, vc]
        for h_1, ww, c, rh, rw, rc in T.grid(5, 10, 4, 3, 3, 3):
            with T.block("conv"):
                vn = T.axis.spatial(1, n)
                vh = T.axis.spatial(10, h_0 * 5 + h_1)
                vw, vc, vrh, vrw, vrc = T.axis.remap("SSRRR", [ww, c, rh, rw, rc])
                T.reads(P[vn, vh + vrh, vw + vrw, vrc], w[vrh, vrw, vrc, vc])
                T.writes(o[vn, vh, vw, vc])
                with T.init():
                    o[vn, vh, vw, vc] = T.float32(0.0)
                o[vn, vh, vw, vc] = o[vn, vh, vw, vc] + P[vn, vh + vrh, vw + vrw, vrc] * w[vrh, vrw, vrc, vc]
)");
    }

    void aboveTheReader()
    {
        checkPrimitive(image, R"(
b = sch.get_block('P')
n, h, w, co, rh, rw, rc = sch.get_loops('conv')
h0, h1 = sch.split(h, [None, 5])
sch.compute_at(b, h0)
sch.decompose_padding(b, sch.get_loops(b)[1])
)",
                       R"(
@T.prim_func
def main(x: T.Buffer((1, 10, 10, 3), "float32"), w: T.Buffer((3, 3, 3, 4), "float32"),
         o: T.Buffer((1, 10, 10, 4), "float32")):
    P = T.alloc_buffer((1, 12, 12, 3))
    for n in range(1):
        for h_0, ax0, ax1, ax2 in T.grid(2, 7, 12, 3):
            with T.block("P_pad_const"):
                vn = T.axis.spatial(1, 0)
                vh = T.axis.spatial(12, h_0 * 5 + ax0)
                vw, vc = T.axis.remap("SS", [ax1, ax2])
                T.reads()
                T.writes(P[vn, vh, vw, vc])
                P[vn, vh, vw, vc] = T.float32(0.0)
        for h_0 in range(2):
            for ax0, ax1, ax2 in T.grid(7, 10, 3):
                with T.block("P"):
                    vn = T.axis.spatial(1, 0)
                    vh = T.axis.spatial(10, h_0 * 5 + ax0 - 1)
                    vw, vc = T.axis.remap("SS", [ax1, ax2])
                    T.where(1 <= h_0 * 5 + ax0 and h_0 * 5 + ax0 < 11)
                    T.reads(x[vn, vh, vw, vc])
                    T.writes(P[vn, vh + 1, vw + 1, vc])
                    P[vn, vh + 1, vw + 1, vc] = x[vn, vh, vw, vc]
            for h_1, ww, c, rh, rw, rc in T.grid(5, 10, 4, 3, 3, 3):
                with T.block("conv"):
                    vn = T.axis.spatial(1, n)
                    vh = T.axis.spatial(10, h_0 * 5 + h_1)
                    vw, vc, vrh, vrw, vrc = T.axis.remap("SSRRR", [ww, c, rh, rw, rc])
                    T.reads(P[vn, vh + vrh, vw + vrw, vrc], w[vrh, vrw, vrc, vc])
                    T.writes(o[vn, vh, vw, vc])
                    with T.init():
                        o[vn, vh, vw, vc] = T.float32(0.0)
                    o[vn, vh, vw, vc] = (o[vn, vh, vw, vc]
                                         + P[vn, vh + vrh, vw + vrw, vrc] * w[vrh, vrw, vrc, vc])
)");
    }

    void refused()
    {
        checkRefused(R"(
@T.prim_func
def main(x: T.Buffer((20,), "int32"), z: T.Buffer((24,), "int32")):
    y = T.alloc_buffer((24,), "int32")
    for i in range(24):
        with T.block("block"):
            vi = T.axis.spatial(24, i)
            y[vi] = T.if_then_else(vi >= 2 and vi < 22, x[vi - 2], 0, dtype="int32")
        with T.block("reader"):
            vi = T.axis.spatial(24, i)
            z[vi] = y[vi] + 1
)",
                     "sch.decompose_padding('block', sch.get_loops('block')[0])", "schedule.not-single-block",
                     "move the other blocks");
        checkRefused(image, R"(
sch.decompose_padding('conv', sch.get_loops('conv')[0])
)",
                     "analysis.not-complete");
        checkRefused(image, R"(
sch.decompose_padding('P', sch.get_loops('conv')[0])
)",
                     "schedule.loop-not-around-block");
        checkRefused(line, R"(
sch.decompose_padding('block', sch.get_loops('block')[0])
sch.decompose_padding('block', sch.get_loops('block')[0])
)",
                     "analysis.not-complete");
    }

    void loopsAroundTheScopeAreNotItsOwn()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((11,), "float32"), B: T.Buffer((11,), "float32")):
    for i in range(11):
        with T.block("B"):
            vi = T.axis.spatial(11, i)
            B[vi] = T.if_then_else(vi >= 1 and vi < 11, A[vi - 1], T.float32(0))
)",
                     R"(
o, n = sch.split(sch.get_loops("B")[0], [5, None])
sch.loop_partition(n, [None, 2])
sch.decompose_padding("B_i_10", sch.get_loops("B_i_10")[0])
)",
                     "schedule.outer-loop");
    }
};

QTEST_GUILESS_MAIN(DecomposePaddingTest)
#include "decompose_padding_test.moc"
