// SPDX-License-Identifier: Apache-2.0
// Operators of ONNX where its own node tests have no case: products with vectors, sequences of several
// lengths, norms.
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/run_graph.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using Ints = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

ir::NdArray array(const Ints &shape, const Numbers &values)
{
    ir::NdArray made(ir::DataType::float32(), shape);
    for (std::size_t i = 0; i < values.size(); ++i)
        made.set(static_cast<std::int64_t>(i), values[i]);
    return made;
}

/// Values between -1 and 1 that look like chance.
ir::NdArray varied(const Ints &shape, int seed)
{
    ir::NdArray made(ir::DataType::float32(), shape);
    for (std::int64_t i = 0; i < made.size(); ++i)
        made.set(i, static_cast<double>((i * 37 + std::int64_t{seed} * 11) % 41 - 20) / 20);
    return made;
}

graph::Data held(ir::NdArray array) { return std::make_shared<const ir::NdArray>(std::move(array)); }

/// The outputs y, or the error's message in the place of them.
std::pair<std::vector<ir::NdArray>, std::string> run(const OnnxModel &model,
                                                     const std::vector<ir::NdArray> &inputs)
{
    const auto imported = importModel(model);
    if (!imported)
        return {{}, imported.error().message};
    auto outputs = interpreted(imported->function, inputs);
    if (!outputs)
        return {{}, outputs.error().message};
    return {std::move(*outputs), {}};
}

std::string text(const ir::NdArray &array)
{
    std::string numbers = "(";
    for (const std::int64_t size : array.shape())
        numbers += std::to_string(size) + ",";
    numbers += ")";
    for (std::int64_t i = 0; i < array.size(); ++i)
        numbers += std::format(" {:.4g}", array.at(i));
    return numbers;
}

/// An RNN of two features and two hidden values.
OnnxModel recurrent(const std::string &direction, std::int64_t steps, std::int64_t sequences,
                    const Ints &lengths)
{
    const std::int64_t directions = direction == "bidirectional" ? 2 : 1;
    OnnxModel made =
        model({node("RNN", {"x", "w", "r", "b", lengths.empty() ? "" : "lengths"}, {"y", "last"})},
              {floats("x", {steps, sequences, 2})});
    made.nodes[0].attributes["hidden_size"] = std::int64_t{2};
    made.nodes[0].attributes["direction"] = direction;
    made.initializers["w"] = held(varied({directions, 2, 2}, 1));
    made.initializers["r"] = held(varied({directions, 2, 2}, 2));
    made.initializers["b"] = held(varied({directions, 4}, 3));
    ir::NdArray given(ir::DataType::int32(), {static_cast<std::int64_t>(lengths.size())});
    for (std::size_t i = 0; i < lengths.size(); ++i)
        given.set(static_cast<std::int64_t>(i), static_cast<double>(lengths[i]));
    if (!lengths.empty())
        made.initializers["lengths"] = held(std::move(given));
    made.outputs = {floats("y", {}), floats("last", {})};
    return made;
}

} // namespace

class ImportsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void productsWithVectors_data()
    {
        QTest::addColumn<QList<int>>("left");
        QTest::addColumn<QList<int>>("right");
        QTest::addColumn<QString>("expected");
        // Of 0, 1, 2, … on both sides.
        QTest::newRow("vector · matrix") << QList{3} << QList{3, 2} << "(2,) 10 13";
        QTest::newRow("matrix · vector") << QList{2, 3} << QList{3} << "(2,) 5 14";
        QTest::newRow("vector · vector") << QList{3} << QList{3} << "() 5";
        QTest::newRow("vector · matrices") << QList{2} << QList{2, 2, 2} << "(2,2,) 2 3 6 7";
        QTest::newRow("matrices · vector") << QList{2, 2, 2} << QList{2} << "(2,2,) 1 3 5 7";
        QTest::newRow("matrix · matrix") << QList{2, 2} << QList{2, 2} << "(2,2,) 2 3 6 11";
        QTest::newRow("numbers") << QList<int>{} << QList{2} << "a number cannot be multiplied as a matrix";
    }

    void productsWithVectors()
    {
        QFETCH(QList<int>, left);
        QFETCH(QList<int>, right);
        QFETCH(QString, expected);
        const auto counted = [](const QList<int> &sizes) {
            ir::NdArray made(ir::DataType::float32(), Ints(sizes.begin(), sizes.end()));
            for (std::int64_t i = 0; i < made.size(); ++i)
                made.set(i, static_cast<double>(i));
            return made;
        };
        const auto declared = [](const char *name, const QList<int> &sizes) {
            OnnxValue value = floats(name, {});
            for (const int size : sizes)
                value.shape.emplace_back(std::int64_t{size});
            return value;
        };
        const OnnxModel made =
            model({node("MatMul", {"a", "b"}, {"y"})}, {declared("a", left), declared("b", right)});
        const auto [outputs, error] = run(made, {counted(left), counted(right)});
        const QString found = QString::fromStdString(error.empty() ? text(outputs[0]) : error);
        QVERIFY2(error.empty() ? found == expected : found.contains(expected), qPrintable(found));
    }

    void norms()
    {
        const ir::NdArray x = array({2, 2}, {3, -4, 6, 8});
        for (const auto &[p, expected] : {std::pair{1, "(2,2,) 0.4286 -0.5714 0.4286 0.5714"},
                                          {2, "(2,2,) 0.6 -0.8 0.6 0.8"},
                                          {3, "only norms of power 1 and 2"}}) {
            OnnxModel made = model({node("LpNormalization", {"x"}, {"y"})}, {floats("x", {2, 2})});
            made.nodes[0].attributes["p"] = std::int64_t{p};
            const auto [outputs, error] = run(made, {x});
            const std::string found = error.empty() ? text(outputs[0]) : error;
            QVERIFY2(found.contains(expected), found.c_str());
        }
    }

    /// Each sequence gives its result alone, cut to its length; elements behind are 0.
    void sequencesOfSeveralLengths_data()
    {
        QTest::addColumn<QString>("direction");
        QTest::addColumn<QList<int>>("lengths");
        for (const char *direction : {"forward", "reverse", "bidirectional"}) {
            QTest::addRow("%s, all whole", direction) << direction << QList{3, 3};
            QTest::addRow("%s, one shorter", direction) << direction << QList{3, 2};
            QTest::addRow("%s, both shorter", direction) << direction << QList{1, 2};
        }
    }

    void sequencesOfSeveralLengths()
    {
        QFETCH(QString, direction);
        QFETCH(QList<int>, lengths);
        const std::string way = direction.toStdString();
        const ir::NdArray x = varied({3, 2, 2}, 5);
        const auto [together, error] = run(recurrent(way, 3, 2, Ints(lengths.begin(), lengths.end())), {x});
        QVERIFY2(error.empty(), error.c_str());
        const std::int64_t directions = direction == QLatin1String("bidirectional") ? 2 : 1;
        for (std::int64_t sequence = 0; sequence < 2; ++sequence) {
            const std::int64_t length = lengths[sequence];
            ir::NdArray own(ir::DataType::float32(), {length, 1, 2});
            for (std::int64_t i = 0; i < length * 2; ++i)
                own.set(i, x.at(i / 2 * 4 + sequence * 2 + i % 2));
            const auto [alone, refused] = run(recurrent(way, length, 1, {}), {own});
            QVERIFY2(refused.empty(), refused.c_str());
            for (std::int64_t d = 0; d < directions; ++d) {
                for (std::int64_t h = 0; h < 2; ++h) {
                    for (std::int64_t t = 0; t < 3; ++t) {
                        const double found = together[0].at(((t * directions + d) * 2 + sequence) * 2 + h);
                        QCOMPARE(found, t < length ? alone[0].at((t * directions + d) * 2 + h) : 0.0);
                    }
                    QCOMPARE(together[1].at((d * 2 + sequence) * 2 + h), alone[1].at(d * 2 + h));
                }
            }
        }
    }

    void constants()
    {
        OnnxModel made =
            model({node("Constant", {}, {"c"}), node("Add", {"x", "c"}, {"y"})}, {floats("x", {2})});
        made.nodes[0].attributes["value_floats"] = Numbers{1.5, 2.5};
        const auto [outputs, error] = run(made, {array({2}, {1, 2})});
        QVERIFY2(error.empty(), error.c_str());
        QCOMPARE(text(outputs[0]), std::string("(2,) 2.5 4.5"));
        OnnxModel eye = model({node("EyeLike", {"x"}, {"y"})}, {floats("x", {2, 2, 2})});
        QCOMPARE(codeOf(eye), std::string("onnx.unsupported"));
        eye.inputs[0] = floats("x", {2, 3});
        QCOMPARE(text(run(eye, {array({2, 3}, {})}).first[0]), std::string("(2,3,) 1 0 0 0 1 0"));
    }
};

QTEST_GUILESS_MAIN(ImportsTest)
#include "imports_test.moc"
