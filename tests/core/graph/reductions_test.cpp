// SPDX-License-Identifier: Apache-2.0
// Reductions of ONNX where its own node tests have none.
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/run_graph.h"

#include <QtTest>
#include <cmath>
#include <limits>

using namespace nestwright;
using namespace nestwright::tests;

class ReductionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The logarithm of a sum of integers is a real number; the result is its integer part.
    void logarithmsOfIntegers_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QList<double>>("expected");
        QTest::newRow("sum") << "ReduceLogSum" << QList<double>{2, 3}; // ln 12 = 2.48, ln 27 = 3.30
        QTest::newRow("exponentials") << "ReduceLogSumExp" << QList<double>{5, 10}; // 5.41, 10.41
    }

    void logarithmsOfIntegers()
    {
        QFETCH(QString, op);
        QFETCH(QList<double>, expected);
        for (const ir::DataType type : {ir::DataType::int32(), ir::DataType::int64()}) {
            OnnxModel made = model({node(op.toStdString(), {"x"}, {"y"})});
            made.nodes[0].attributes["keepdims"] = std::int64_t{0};
            made.inputs[0].dtype = type;
            made.nodes[0].attributes["axes"] = std::vector<std::int64_t>{1};
            made.opset = 13;
            const auto imported = importModel(made);
            QVERIFY2(imported, imported ? "" : imported.error().message.c_str());
            ir::NdArray x(type, {2, 3});
            for (std::int64_t i = 0; const int value : {3, 4, 5, 8, 9, 10})
                x.set(i++, value);
            const auto y = interpreted(imported->function, {x});
            QVERIFY(y);
            QVERIFY(y->front().dtype() == type);
            for (int i = 0; i < 2; ++i)
                QCOMPARE(y->front().at(i), expected[i]);
        }
    }

    /// Reductions over nothing give the element that changes no other.
    void ofNothing_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QString>("type");
        QTest::addColumn<double>("expected");
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const auto row = [](const char *op, const char *type, double expected) {
            QTest::addRow("%s %s", op, type) << op << type << expected;
        };
        row("ReduceSum", "float32", 0);
        row("ReduceSum", "int64", 0);
        row("ReduceProd", "int32", 1);
        row("ReduceMax", "float32", -infinity);
        row("ReduceMin", "float32", infinity);
        row("ReduceMax", "int32", -2147483648.0);
        row("ReduceMin", "int32", 2147483647);
        row("ReduceMax", "int8", -128);
        row("ReduceMin", "int8", 127);
        row("ReduceMax", "uint8", 0);
        row("ReduceMin", "uint8", 255);
        row("ReduceMax", "bool", 0);
        row("ReduceMin", "bool", 1);
        row("ReduceLogSum", "float32", -infinity);
        row("ReduceLogSumExp", "float32", -infinity);
        row("ReduceL2", "float32", 0);
    }

    void ofNothing()
    {
        QFETCH(QString, op);
        QFETCH(QString, type);
        QFETCH(double, expected);
        OnnxModel made = model({node(op.toStdString(), {"x"}, {"y"})}, {floats("x", {2, 0})});
        made.inputs[0].dtype = *ir::DataType::parse(type.toStdString());
        made.nodes[0].attributes["axes"] = std::vector<std::int64_t>{1};
        made.opset = 12;
        const auto imported = importModel(made);
        QVERIFY2(imported, imported ? "" : imported.error().message.c_str());
        const auto y = interpreted(imported->function, {ir::NdArray(made.inputs[0].dtype, {2, 0})});
        QVERIFY(y);
        QVERIFY(y->front().shape() == (std::vector<std::int64_t>{2, 1}));
        QCOMPARE(y->front().at(0), expected);
        QCOMPARE(y->front().at(1), expected);
    }

    /// Behind 2^24 a sum of float32 does not notice a 1 any more; many of them count.
    void ofManyTerms_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<int>("terms");
        QTest::addColumn<double>("expected");
        constexpr int many = 1 << 14, products = 1 << 16;
        constexpr double first = 1 << 24;
        const auto row = [](const char *op, int terms, double expected) {
            QTest::addRow("%s", op) << op << terms << expected;
        };
        row("ReduceSum", many, first + many);
        row("ReduceL1", many, first + many);
        row("ReduceMean", many, (first + many) / many);
        row("GlobalAveragePool", many, (first + many) / many);
        row("MatMul", products, first + products);
    }

    void ofManyTerms()
    {
        QFETCH(QString, op);
        QFETCH(int, terms);
        QFETCH(double, expected);
        const bool isPool = op == "GlobalAveragePool", isProduct = op == "MatMul";
        OnnxModel made = model({node(op.toStdString(), {"x"}, {"y"})}, {floats("x", {1, terms})});
        ir::NdArray x(ir::DataType::float32(), {1, terms});
        if (isPool) {
            made.inputs[0].shape = {1, 1, terms};
            x = ir::NdArray(ir::DataType::float32(), {1, 1, terms});
        }
        if (isProduct) {
            ir::NdArray ones(ir::DataType::float32(), {terms, 1});
            for (std::int64_t i = 0; i < terms; ++i)
                ones.set(i, 1);
            made.initializers["w"] = std::make_shared<const ir::NdArray>(std::move(ones));
            made.nodes[0].inputs.emplace_back("w");
        } else if (!isPool) {
            made.nodes[0].attributes["axes"] = std::vector<std::int64_t>{1};
        }
        made.opset = 12;
        x.set(0, 1 << 24);
        for (std::int64_t i = 1; i < terms; ++i)
            x.set(i, 1);
        const auto imported = importModel(made);
        QVERIFY2(imported, imported ? "" : imported.error().message.c_str());
        for (const auto &y : {interpreted(imported->function, {x}), compiled(imported->function, {x})}) {
            QVERIFY2(y, y ? "" : y.error().message.c_str());
            QVERIFY2(std::abs(y->front().at(0) - expected) <= expected * 0x1p-23,
                     std::to_string(y->front().at(0)).c_str());
        }
    }
};

QTEST_GUILESS_MAIN(ReductionsTest)
#include "reductions_test.moc"
