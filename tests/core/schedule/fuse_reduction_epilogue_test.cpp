// SPDX-License-Identifier: Apache-2.0
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// A product of matrices and a bias.
constexpr const char *bias = R"(
@T.prim_func
def main(A: T.Buffer((6, 7), "float32"), B: T.Buffer((7, 6), "float32"), C: T.Buffer((6, 6), "float32"),
         D: T.Buffer((6, 6), "float32")):
    S = T.alloc_buffer((6, 6))
    for i, j, k in T.grid(6, 6, 7):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                S[vi, vj] = T.float32(0)
            S[vi, vj] = S[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(6, 6):
        with T.block("ep"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = S[vi, vj] + C[vi, vj]
)";

/// The same with more to add.
constexpr const char *several = R"(
@T.prim_func
def main(A: T.Buffer((6, 7), "float32"), B: T.Buffer((7, 6), "float32"), C: T.Buffer((6, 6), "float32"),
         D: T.Buffer((6, 6), "float32")):
    S = T.alloc_buffer((6, 6))
    for i, j, k in T.grid(6, 6, 7):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                S[vi, vj] = T.float32(0)
            S[vi, vj] = S[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(6, 6):
        with T.block("ep"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = C[vj, vi] * T.float32(2) + (S[vi, vj] - C[vi, vj])
)";

/// A maximum with 0, which must wait for the whole sum.
constexpr const char *rectified = R"(
@T.prim_func
def main(A: T.Buffer((6, 7), "float32"), B: T.Buffer((7, 6), "float32"), C: T.Buffer((6, 6), "float32"),
         D: T.Buffer((6, 6), "float32")):
    S = T.alloc_buffer((6, 6))
    for i, j, k in T.grid(6, 6, 7):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                S[vi, vj] = T.float32(0)
            S[vi, vj] = S[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(6, 6):
        with T.block("ep"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = T.max(S[vi, vj] + C[vi, vj], T.float32(0))
)";

/// The sum twice.
constexpr const char *doubled = R"(
@T.prim_func
def main(A: T.Buffer((6, 7), "float32"), B: T.Buffer((7, 6), "float32"), C: T.Buffer((6, 6), "float32"),
         D: T.Buffer((6, 6), "float32")):
    S = T.alloc_buffer((6, 6))
    for i, j, k in T.grid(6, 6, 7):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                S[vi, vj] = T.float32(0)
            S[vi, vj] = S[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(6, 6):
        with T.block("ep"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = S[vi, vj] + S[vi, vj]
)";

/// The sum goes elsewhere.
constexpr const char *transposed = R"(
@T.prim_func
def main(A: T.Buffer((6, 7), "float32"), B: T.Buffer((7, 6), "float32"), C: T.Buffer((6, 6), "float32"),
         D: T.Buffer((6, 6), "float32")):
    S = T.alloc_buffer((6, 6))
    for i, j, k in T.grid(6, 6, 7):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                S[vi, vj] = T.float32(0)
            S[vi, vj] = S[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(6, 6):
        with T.block("ep"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = S[vj, vi] + C[vi, vj]
)";

/// Another block reads the sum.
constexpr const char *shared = R"(
@T.prim_func
def main(A: T.Buffer((6, 7), "float32"), B: T.Buffer((7, 6), "float32"), C: T.Buffer((6, 6), "float32"),
         D: T.Buffer((6, 6), "float32"), E: T.Buffer((6, 6), "float32")):
    S = T.alloc_buffer((6, 6))
    for i, j, k in T.grid(6, 6, 7):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                S[vi, vj] = T.float32(0)
            S[vi, vj] = S[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(6, 6):
        with T.block("ep"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = S[vi, vj] + C[vi, vj]
    for i, j in T.grid(6, 6):
        with T.block("other"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi, vj] = S[vi, vj]
)";

/// The term is of an operand of the sum, elsewhere in it.
constexpr const char *ofAnOperand = R"(
@T.prim_func
def main(A: T.Buffer((6, 7), "float32"), D: T.Buffer((6,), "float32")):
    S = T.alloc_buffer((6,))
    for i, k in T.grid(6, 7):
        with T.block("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + A[vi, vk]
    for i in range(6):
        with T.block("ep"):
            vi = T.axis.spatial(6, i)
            D[vi] = S[vi] + A[5 - vi, 0]
)";

} // namespace

class FuseReductionEpilogueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aBias()
    {
        checkPrimitive(bias, R"(
sch.fuse_reduction_epilogue("mm", "ep")
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((6, 7), "float32"), B: T.Buffer((7, 6), "float32"), C: T.Buffer((6, 6), "float32"),
         D: T.Buffer((6, 6), "float32")):
    S = T.alloc_buffer((6, 6))
    for i, j, k in T.grid(6, 6, 7):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(C[vi, vj], A[vi, vk], B[vk, vj])
            T.writes(D[vi, vj])
            with T.init():
                D[vi, vj] = C[vi, vj]
            D[vi, vj] = D[vi, vj] + A[vi, vk] * B[vk, vj]
)");
    }

    void differences()
    {
        checkPrimitive(several, R"(
sch.fuse_reduction_epilogue("mm", "ep")
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((6, 7), "float32"), B: T.Buffer((7, 6), "float32"), C: T.Buffer((6, 6), "float32"),
         D: T.Buffer((6, 6), "float32")):
    S = T.alloc_buffer((6, 6))
    for i, j, k in T.grid(6, 6, 7):
        with T.block("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(C[T.min(vj, vi):T.min(vj, vi) + (T.max(vj, vi) + 1 - T.min(vj, vi)),
                      T.min(vi, vj):T.min(vi, vj) + (T.max(vi, vj) + 1 - T.min(vi, vj))],
                    A[vi, vk], B[vk, vj])
            T.writes(D[vi, vj])
            with T.init():
                D[vi, vj] = C[vj, vi] * T.float32(2.0) + (T.float32(0.0) - C[vi, vj])
            D[vi, vj] = D[vi, vj] + A[vi, vk] * B[vk, vj]
)");
    }

    void underTheLoopsOfTheSum()
    {
        checkPrimitive(bias, R"(
i, j, k = sch.get_loops("mm")
i0, i1 = sch.split(i, [None, 2])
sch.parallel(i0)
sch.fuse_reduction_epilogue("mm", "ep")
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((6, 7), "float32"), B: T.Buffer((7, 6), "float32"), C: T.Buffer((6, 6), "float32"),
         D: T.Buffer((6, 6), "float32")):
    S = T.alloc_buffer((6, 6))
    for i_0 in T.parallel(3):
        for i_1, j, k in T.grid(2, 6, 7):
            with T.block("mm"):
                vi = T.axis.spatial(6, i_0 * 2 + i_1)
                vj, vk = T.axis.remap("SR", [j, k])
                T.reads(C[vi, vj], A[vi, vk], B[vk, vj])
                T.writes(D[vi, vj])
                with T.init():
                    D[vi, vj] = C[vi, vj]
                D[vi, vj] = D[vi, vj] + A[vi, vk] * B[vk, vj]
)");
    }

    /// The init adds the epilogue's term, so its operands are declared wherever the init goes.
    void theInitReads()
    {
        for (const char *step :
             {"decompose_reduction('mm', sch.get_loops('mm')[2])", "blockize(sch.get_loops('mm')[1])"})
            checkSchedule(bias, std::string("sch.fuse_reduction_epilogue('mm', 'ep')\nsch.") + step);
    }

    void theTermIsOfAnOperandOfTheSum()
    {
        checkPrimitive(ofAnOperand, "sch.fuse_reduction_epilogue('sum', 'ep')", R"(
@T.prim_func
def main(A: T.Buffer((6, 7), "float32"), D: T.Buffer((6,), "float32")):
    S = T.alloc_buffer((6,))
    for i, k in T.grid(6, 7):
        with T.block("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[T.min(5 - vi, vi):T.min(5 - vi, vi) + (T.max(6 - vi, vi + 1) - T.min(5 - vi, vi)),
                      0:vk + 1])
            T.writes(D[vi])
            with T.init():
                D[vi] = A[5 - vi, 0]
            D[vi] = D[vi] + A[vi, vk]
)");
        for (const char *step : {"blockize(sch.get_loops('sum')[1])", "read_at(i, 'sum', 0, 'global')"})
            checkSchedule(ofAnOperand, std::string("sch.fuse_reduction_epilogue('sum', 'ep')\n"
                                                   "i, k = sch.get_loops('sum')\nsch.")
                                           + step);
    }

    void refused()
    {
        checkRefused(rectified, R"(
sch.fuse_reduction_epilogue("mm", "ep")
)",
                     "schedule.not-epilogue", "maximum");
        checkRefused(doubled, R"(
sch.fuse_reduction_epilogue("mm", "ep")
)",
                     "schedule.not-epilogue");
        checkRefused(transposed, R"(
sch.fuse_reduction_epilogue("mm", "ep")
)",
                     "schedule.not-epilogue");
        checkRefused(shared, R"(
sch.fuse_reduction_epilogue("mm", "ep")
)",
                     "schedule.other-readers");
        checkRefused(bias, R"(
sch.fuse_reduction_epilogue("ep", "mm")
)",
                     "analysis.not-reduction");
    }
};

QTEST_GUILESS_MAIN(FuseReductionEpilogueTest)
#include "fuse_reduction_epilogue_test.moc"
