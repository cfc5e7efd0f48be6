// SPDX-License-Identifier: Apache-2.0
// Values of arguments, and facts about the sizes of a function.
#include "core/analysis/kernel/index.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/script/values.h"
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

    void equalMaps()
    {
        const schedule::IndexMap one = map("lambda i, j: (i * n + j, i)");
        QVERIFY(one == map("lambda a, b: (a * n + b, a)")); // sizes have names, indices do not
        for (const char *other :
             {"lambda i, j: (i * m + j, i)", "lambda i, j: (i * n + j,)", "lambda i: (i * n, i)",
              "lambda i, j, k: (i * n + j, i)", "lambda i, j: (i, i * n + j)",
              "lambda i, j: (i * n + j, tvm.tir.IndexMap.AXIS_SEPARATOR, i)",
              "lambda i, j: [(i * n + j, 1), (i, 1)]", "lambda i, *j: (i * n, i)"})
            QVERIFY2(!(one == map(other)), other);
        schedule::IndexMap wide = one;
        wide.inputs[1] = ir::Var("j", ir::DataType::int64());
        QVERIFY(!(one == wide));
        // A number that was sampled counts by its value.
        schedule::IndexMap sampled = map("lambda i, j: (i * n + j, i)");
        const ir::Var factor("v");
        sampled.outputs[1] = sampled.outputs[1] + factor;
        sampled.sampled.push_back({factor, 4, 1});
        QVERIFY(sampled == map("lambda i, j: (i * n + j, i + 4)"));
        QVERIFY(!(sampled == map("lambda i, j: (i * n + j, i + 5)")));
        QVERIFY(map("lambda i, j: (i * n + j, i + 4)") == sampled);
        QVERIFY(!(map("lambda i, j: (i * n + j, i + 5)") == sampled));
    }

    void equalDictionaries()
    {
        schedule::ArgMap one, same, otherKey, otherValue;
        one.set("b", std::int64_t{2});
        one.set("a", std::int64_t{1});
        same.set("a", std::int64_t{3});
        same.set("b", std::int64_t{2});
        same.set("a", std::int64_t{1}); // the last one counts
        otherKey.set("a", std::int64_t{1});
        otherKey.set("c", std::int64_t{2});
        otherValue.set("a", std::int64_t{1});
        otherValue.set("b", std::int64_t{3});
        QVERIFY(one == same);
        QCOMPARE(one.keys, (std::vector<std::string>{"a", "b"}));
        QVERIFY(!(one == otherKey));
        QVERIFY(!(one == otherValue));
        QVERIFY(!(one == schedule::ArgMap{}));
    }

    void numbersAsText()
    {
        QCOMPARE(schedule::str(schedule::ArgValue(1.0)), "1.0");
        QCOMPARE(schedule::str(schedule::ArgValue(0.1)), "0.10000000000000001");
        QCOMPARE(schedule::str(schedule::ArgValue(1e30)), "1e+30");
        QCOMPARE(schedule::str(schedule::ArgValue(std::numeric_limits<double>::infinity())),
                 "float(\"inf\")");
        QCOMPARE(schedule::str(schedule::ArgValue(-std::numeric_limits<double>::infinity())),
                 "float(\"-inf\")");
        QCOMPARE(schedule::str(schedule::ArgValue(std::numeric_limits<double>::quiet_NaN())),
                 "float(\"nan\")");
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

    /// Indices of int64 stay so where an int32 takes the place of the variable.
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
