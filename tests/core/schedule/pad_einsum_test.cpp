// SPDX-License-Identifier: Apache-2.0
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// A product of matrices between two copies, with sizes that divide badly.
constexpr const char *product = R"(
@T.prim_func
def main(A: T.Buffer((13, 10), "float32"), B: T.Buffer((10, 13), "float32"),
         C: T.Buffer((13, 13), "float32")):
    Ad = T.alloc_buffer((13, 10))
    Cd = T.alloc_buffer((13, 13))
    for i0, i1 in T.grid(13, 10):
        with T.block("Ad"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            Ad[v0, v1] = A[v0, v1] + T.float32(1)
    for i, j, k in T.grid(13, 13, 10):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                Cd[vi, vj] = T.float32(0)
            Cd[vi, vj] = Cd[vi, vj] + Ad[vi, vk] * B[vk, vj]
    for i0, i1 in T.grid(13, 13):
        with T.block("C"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            C[v0, v1] = Cd[v0, v1]
)";

/// A product with a symbolic number of rows and an axis of one element.
constexpr const char *symbolic = R"(
@T.prim_func
def main(a: T.handle, b: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 30), "float32")
    B = T.match_buffer(b, (30, 1, 7), "float32")
    C = T.match_buffer(c, (n, 7), "float32")
    for i, j, k in T.grid(n, 7, 30):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, 0, vj]
)";

/// The maxima of rows.
constexpr const char *maxima = R"(
@T.prim_func
def main(A: T.Buffer((6, 11), "float32"), B: T.Buffer((6,), "float32")):
    for i, k in T.grid(6, 11):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(-1000)
            B[vi] = T.max(B[vi], A[vi, vk])
)";

/// The only column of A.
constexpr const char *last = R"(
@T.prim_func
def main(A: T.Buffer((3, 1), "float32"), B: T.Buffer((3,), "float32")):
    for i, j in T.grid(3, 1):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi] = A[vi, vj] + T.float32(1)
)";

/// C reads two neighbours.
constexpr const char *window = R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((7,), "float32")):
    for i in range(7):
        with T.block("C"):
            vi = T.axis.spatial(7, i)
            C[vi] = A[vi] + A[vi + 1]
)";

} // namespace

class PadEinsumTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyAxis()
    {
        checkPrimitive(product, R"(
sch.pad_einsum('mm', [8, 8, 4])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((13, 10), "float32"), B: T.Buffer((10, 13), "float32"),
         C: T.Buffer((13, 13), "float32")):
    Ad = T.alloc_buffer((13, 10))
    Cd = T.alloc_buffer((13, 13))
    Ad_pad = T.alloc_buffer((16, 12))
    B_pad = T.alloc_buffer((12, 16))
    Cd_pad = T.alloc_buffer((16, 16))
    for i0, i1 in T.grid(13, 10):
        with T.block("Ad"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(A[v0, v1])
            T.writes(Ad[v0, v1])
            Ad[v0, v1] = A[v0, v1] + T.float32(1.0)
    for i0, i1 in T.grid(16, 12):
        with T.block("Ad_pad"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(Ad[v0, v1])
            T.writes(Ad_pad[v0, v1])
            Ad_pad[v0, v1] = T.if_then_else(v0 < 13 and v1 < 10, Ad[v0, v1], T.float32(0.0))
    for i0, i1 in T.grid(12, 16):
        with T.block("B_pad"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(B[v0, v1])
            T.writes(B_pad[v0, v1])
            B_pad[v0, v1] = T.if_then_else(v0 < 10 and v1 < 13, B[v0, v1], T.float32(0.0))
    for i, j, k in T.grid(16, 16, 12):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(Ad_pad[vi, vk], B_pad[vk, vj])
            T.writes(Cd_pad[vi, vj])
            with T.init():
                Cd_pad[vi, vj] = T.float32(0.0)
            Cd_pad[vi, vj] = Cd_pad[vi, vj] + Ad_pad[vi, vk] * B_pad[vk, vj]
    for i0, i1 in T.grid(13, 13):
        with T.block("Cd_pad"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(Cd_pad[v0, v1])
            T.writes(Cd[v0, v1])
            Cd[v0, v1] = Cd_pad[v0, v1]
    for i0, i1 in T.grid(13, 13):
        with T.block("C"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(Cd[v0, v1])
            T.writes(C[v0, v1])
            C[v0, v1] = Cd[v0, v1]
)");
    }

    void oneAxis()
    {
        checkPrimitive(product, R"(
sch.pad_einsum('mm', [4, 1, 1])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((13, 10), "float32"), B: T.Buffer((10, 13), "float32"),
         C: T.Buffer((13, 13), "float32")):
    Ad = T.alloc_buffer((13, 10))
    Cd = T.alloc_buffer((13, 13))
    Ad_pad = T.alloc_buffer((16, 10))
    Cd_pad = T.alloc_buffer((16, 13))
    for i0, i1 in T.grid(13, 10):
        with T.block("Ad"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(A[v0, v1])
            T.writes(Ad[v0, v1])
            Ad[v0, v1] = A[v0, v1] + T.float32(1.0)
    for i0, i1 in T.grid(16, 10):
        with T.block("Ad_pad"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(Ad[v0, v1])
            T.writes(Ad_pad[v0, v1])
            Ad_pad[v0, v1] = T.if_then_else(v0 < 13, Ad[v0, v1], T.float32(0.0))
    for i, j, k in T.grid(16, 13, 10):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(Ad_pad[vi, vk], B[vk, vj])
            T.writes(Cd_pad[vi, vj])
            with T.init():
                Cd_pad[vi, vj] = T.float32(0.0)
            Cd_pad[vi, vj] = Cd_pad[vi, vj] + Ad_pad[vi, vk] * B[vk, vj]
    for i0, i1 in T.grid(13, 13):
        with T.block("Cd_pad"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(Cd_pad[v0, v1])
            T.writes(Cd[v0, v1])
            Cd[v0, v1] = Cd_pad[v0, v1]
    for i0, i1 in T.grid(13, 13):
        with T.block("C"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(Cd[v0, v1])
            T.writes(C[v0, v1])
            C[v0, v1] = Cd[v0, v1]
)");
    }

    void symbolicAxis()
    {
        checkPrimitive(symbolic, R"(
sch.pad_einsum('mm', [4, 2, 4])
)",
                       R"(
@T.prim_func
def main(a: T.handle, B: T.Buffer((30, 1, 7), "float32"), c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 30))
    C = T.match_buffer(c, (n, 7))
    A_pad = T.alloc_buffer(((n + 3) // 4 * 4, 32))
    B_pad = T.alloc_buffer((32, 1, 8))
    C_pad = T.alloc_buffer(((n + 3) // 4 * 4, 8))
    for i0, i1 in T.grid((n + 3) // 4 * 4, 32):
        with T.block("A_pad"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(A[v0, v1])
            T.writes(A_pad[v0, v1])
            A_pad[v0, v1] = T.if_then_else(v0 < n and v1 < 30, A[v0, v1], T.float32(0.0))
    for i0, i1, i2 in T.grid(32, 1, 8):
        with T.block("B_pad"):
            v0, v1, v2 = T.axis.remap("SSS", [i0, i1, i2])
            T.reads(B[v0, v1, v2])
            T.writes(B_pad[v0, v1, v2])
            B_pad[v0, v1, v2] = T.if_then_else(v0 < 30 and v2 < 7, B[v0, v1, v2], T.float32(0.0))
    for i, j, k in T.grid((n + 3) // 4 * 4, 8, 32):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(A_pad[vi, vk], B_pad[vk, 0, vj])
            T.writes(C_pad[vi, vj])
            with T.init():
                C_pad[vi, vj] = T.float32(0.0)
            C_pad[vi, vj] = C_pad[vi, vj] + A_pad[vi, vk] * B_pad[vk, 0, vj]
    for i0, i1 in T.grid(n, 7):
        with T.block("C_pad"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(C_pad[v0, v1])
            T.writes(C[v0, v1])
            C[v0, v1] = C_pad[v0, v1]
)");
    }

    void spatialAxisOfAMaximum()
    {
        checkPrimitive(maxima, R"(
sch.pad_einsum('B', [4, 1])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((6, 11), "float32"), B: T.Buffer((6,), "float32")):
    A_pad = T.alloc_buffer((8, 11))
    B_pad = T.alloc_buffer((8,))
    for i0, i1 in T.grid(8, 11):
        with T.block("A_pad"):
            v0, v1 = T.axis.remap("SS", [i0, i1])
            T.reads(A[v0, v1])
            T.writes(A_pad[v0, v1])
            A_pad[v0, v1] = T.if_then_else(v0 < 6, A[v0, v1], T.float32(0.0))
    for i, k in T.grid(8, 11):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A_pad[vi, vk])
            T.writes(B_pad[vi])
            with T.init():
                B_pad[vi] = T.float32(-1000.0)
            B_pad[vi] = T.max(B_pad[vi], A_pad[vi, vk])
    for i0 in range(6):
        with T.block("B_pad"):
            v0 = T.axis.spatial(6, i0)
            T.reads(B_pad[v0])
            T.writes(B[v0])
            B[v0] = B_pad[v0]
)");
    }

    void refused()
    {
        // The maxima begin in another block, not in fresh memory; that they are read is not declared.
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32")):
    for i in range(6):
        with T.block("begin"):
            vi = T.axis.spatial(6, i)
            B[vi] = T.float32(-1000)
    for i in range(6):
        with T.block("B"):
            vi = T.axis.spatial(6, i)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = T.max(B[vi], A[vi])
)",
                     "sch.pad_einsum('B', [4])", "schedule.reads-what-it-writes");
        checkRefused(product, R"(
sch.pad_einsum('mm', [0, 8, 8])
)",
                     "schedule.padding");
        checkRefused(product, R"(
sch.pad_einsum('mm', [8, 8])
)",
                     "schedule.padding");
        checkRefused(maxima, R"(
sch.pad_einsum('B', [1, 4])
)",
                     "schedule.not-einsum", "pad");
        // Beyond its end the variable would write the same elements again.
        checkRefused(last, R"(
sch.pad_einsum('B', [2, 2])
)",
                     "schedule.not-einsum", "pad 'vj' by 1");
        // A part of the buffer alone would be copied back whole.
        checkRefused(maxima, R"(
i, k = sch.get_loops('B')
sch.loop_partition(i, [2, None])
sch.pad_einsum('B_i0', [4, 1])
)",
                     "schedule.not-einsum");
        checkRefused(maxima, R"(
i, k = sch.get_loops('B')
sch.loop_partition(sch.fuse(sch.add_unit_loop(i), i), [2, None])
sch.pad_einsum('B_u_i_fused1', [4, 1])
)",
                     "schedule.not-einsum");
        // Regions declared at 0 are read at a variable of extent 1, which would grow.
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((1, 4), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 1):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[0, vi], B[vi])
            T.writes(C[vi])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vk, vi] * B[vi]
)",
                     "sch.pad_einsum('C', [1, 2])", "schedule.not-einsum");
        checkRefused(window, R"(
sch.pad_einsum('C', [4])
)",
                     "schedule.not-einsum");
        checkRefused(product, R"(
sch.compute_at('Ad', sch.get_loops('mm')[0])
sch.pad_einsum('mm', [8, 8, 8])
)",
                     "schedule.shared-nest");
    }

    void aVariableOfTwoLoopsCannotGrow()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((9,), "float32"), B: T.Buffer((9,), "float32")):
    for i in range(9):
        with T.block("B"):
            vi = T.axis.spatial(9, i)
            B[vi] = A[vi] * T.float32(2)
)",
                     "sch.split(sch.get_loops('B')[0], [3, 3])\nsch.pad_einsum('B', [2])",
                     "schedule.not-bound-to-a-loop");
    }
};

QTEST_GUILESS_MAIN(PadEinsumTest)
#include "pad_einsum_test.moc"
