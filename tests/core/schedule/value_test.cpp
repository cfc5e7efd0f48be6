// SPDX-License-Identifier: Apache-2.0
// Values of arguments, and what is known of the sizes of a function.
#include "core/analysis/index.h"
#include "core/ir/builder.h"
#include "core/ir/walk.h"
#include "core/schedule/bindings.h"
#include "core/schedule/script_values.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

#include <algorithm>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

schedule::IndexMap map(std::string_view text)
{
    const auto value = schedule::readValue(text);
    if (!value || !value->as<schedule::IndexMap>())
        qFatal("no index map");
    return *value->as<schedule::IndexMap>();
}

} // namespace

class ValueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anyNumberOfIndices()
    {
        const schedule::IndexMap given = map("lambda *i, k: (k, tvm.tir.IndexMap.AXIS_SEPARATOR, *i)");
        QCOMPARE(schedule::str(given.withInputs(3)),
                 std::string("lambda i_0, i_1, k: (k, tvm.tir.IndexMap.AXIS_SEPARATOR, i_0, i_1,)"));
        const schedule::IndexMap last = map("lambda k, *i: (*i, tvm.tir.IndexMap.AXIS_SEPARATOR, k)");
        QCOMPARE(last.withInputs(4).axisSeparators, std::vector<int>{3});
        QVERIFY(map("lambda i, j: (j, i)").withInputs(2) == map("lambda a, b: (b, a)"));
    }

    void identities()
    {
        QVERIFY(map("lambda i, j: (i, j)").isIdentity());
        for (const char *other : {"lambda i, j: (j, i)", "lambda i, j: (i,)", "lambda i: (i, 0)",
                                  "lambda i, j: (i, tvm.tir.IndexMap.AXIS_SEPARATOR, j)",
                                  "lambda i: [(i, i + 1)]", "lambda i, j: (i, i)"})
            QVERIFY2(!map(other).isIdentity(), other);
    }

    /// A buffer has no negative size: n is at least 4 where one has n - 4 elements.
    void sizesAreNotNegative_data()
    {
        QTest::addColumn<QString>("shape");
        QTest::addColumn<int>("least");
        QTest::newRow("n") << "n" << 0;
        QTest::newRow("n - 4") << "n - 4" << 4;
        QTest::newRow("n + 4") << "n + 4" << -4;
        QTest::newRow("n * 4 - 6") << "n * 4 - 6" << 2;
    }
    void sizesAreNotNegative()
    {
        QFETCH(QString, shape);
        QFETCH(int, least);
        const schedule::State state = scheduled(
            "@T.prim_func\ndef main(a: T.handle):\n    n = T.int32()\n"
            "    A = T.match_buffer(a, ("
            + shape.toStdString() + ",))\n    with T.block(\"root\"):\n        A[0] = T.float32(1)\n");
        const ir::PrimFunc &function = *state.module.mainEntry()->function;
        const ir::Var n = *ir::variablesOf(function.params[0].buffer.shape()[0]).begin();
        arith::Analyzer analyzer;
        schedule::bindSizes(analyzer, function);
        QVERIFY(analyzer.canProve(ir::ge(n, ir::Expr(least))));
        QVERIFY(!analyzer.canProve(ir::ge(n, ir::Expr(least + 1))));
    }

    /// What was indexed by int64 goes on being so where an int32 takes the place of the variable.
    void inlinedIndicesKeepTheirType()
    {
        checkPrimitive(R"(
@T.prim_func
def main(C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((T.int64(8),))
    for i in range(T.int64(8)):
        with T.block("B"):
            vi = T.axis.spatial(T.int64(8), i)
            B[vi] = T.Cast("float32", vi * T.int64(1000000))
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] + T.float32(1)
)",
                       "sch.compute_inline('B')", R"(
@T.prim_func
def main(C: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = T.Cast("float32", T.Cast("int64", vi) * T.int64(1000000)) + T.float32(1)
)");
    }
};

QTEST_GUILESS_MAIN(ValueTest)
#include "value_test.moc"
