// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class AnnotateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loopsAndBlocks()
    {
        checkPrimitive(chain, R"(
b = sch.get_block("B")
i, j = sch.get_loops(b)
sch.annotate(i, "pragma_unroll_explicit", 1)
sch.annotate(block_or_loop=j, ann_key="note", ann_val="it's")
sch.annotate(b, "list", [1, "two", 3.5])
sch.annotate(b, "record", {"sizes": [0, 1], "depth": 3, "name": "x"})
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i in T.serial(10, annotations={"pragma_unroll_explicit": 1}):
        for j in T.serial(12, annotations={"note": "it's"}):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"list": [1, "two", 3.5], "record": {"depth": 3, "name": "x", "sizes": [0, 1]}})
                B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void oneThatIsThereStays()
    {
        checkPrimitive(chain, "i, j = sch.get_loops('B')\nsch.annotate(i, 'a', 1)\nsch.annotate(i, 'a', 2)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i in T.serial(10, annotations={"a": 1}):
        for j in range(12):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void removing()
    {
        checkPrimitive(chain,
                       "b = sch.get_block('B')\ni, j = sch.get_loops(b)\nsch.annotate(i, 'a', "
                       "True)\nsch.annotate(b, 'c', 2)\n"
                       "sch.unannotate(i, 'a')\nsch.unannotate(block_or_loop=b, ann_key='c')",
                       chain);
    }

    /// Of a whole kernel, at its root block; printed and read again.
    void fastMath()
    {
        checkPrimitive(chain, "sch.annotate(sch.get_block('root'), 'fast_math', 1)", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    with T.block("root"):
        T.block_attr({"fast_math": 1})
        B = T.alloc_buffer((10, 12))
        for i, j in T.grid(10, 12):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for i, j in T.grid(10, 12):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] + T.float32(1)
)");
        checkPrimitive(chain,
                       "sch.annotate(sch.get_block('root'), 'fast_math', True)\n"
                       "sch.unannotate(sch.get_block('root'), 'fast_math')",
                       chain);
        checkPrimitive(chain,
                       "i, j = sch.get_loops('B')\nsch.annotate(j, 'fast_math', 1)\n"
                       "sch.unannotate(sch.get_block('C'), 'fast_math')",
                       chain);
        checkRefused(chain, "sch.annotate(sch.get_block('root'), 'fast_math', 'yes')", "schedule.argument",
                     "1 or 0");
        checkRefused(chain, "sch.annotate(sch.get_block('root'), 'fast_math', 2)", "schedule.argument",
                     "1 or 0");
        checkRefused(chain, "sch.unannotate(sch.get_block('B'), 'fast_math')", "schedule.no-annotation");
    }

    void refused()
    {
        checkRefused(chain, "i, j = sch.get_loops('B')\nsch.annotate(i, 'a', 1)\nsch.unannotate(i, 'b')",
                     "schedule.no-annotation", "\"a\"");
        checkRefused(chain, "sch.unannotate(sch.get_block('B'), 'b')", "schedule.no-annotation",
                     "no annotation");
        checkRefused(chain, "i, j = sch.get_loops('B')\nsch.annotate(i, 'a', j)", "schedule.argument");
        checkRefused(chain, "i, j = sch.get_loops('B')\nsch.annotate(i, '', 1)", "schedule.argument");
        checkRefused(chain, "i, j = sch.get_loops('B')\nsch.annotate(i, 'a', {'b': j})", "schedule.argument");
    }
};

QTEST_GUILESS_MAIN(AnnotateTest)
#include "annotate_test.moc"
