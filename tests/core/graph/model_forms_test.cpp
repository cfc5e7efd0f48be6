// SPDX-License-Identifier: Apache-2.0
// Forms of models that some tools write and ONNX Runtime takes: sizes of -1, inputs with defaults, names that
// graphs within others define again, overloads of functions.
#include "core/frontend/onnx/importer.h"
#include "tests/core/graph/run_graph.h"
#include "tests/support/onnx_bytes.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::graph;
namespace bytes = nestwright::tests::onnx;

namespace {

using Numbers = std::vector<double>;

ir::NdArray row(const Numbers &values)
{
    ir::NdArray made(ir::DataType::float32(), {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        made.set(static_cast<std::int64_t>(i), values[i]);
    return made;
}

std::string floatsOf(std::string_view name, const std::vector<float> &values)
{
    return bytes::field(
        5, bytes::tensor(name, {std::ssize(values)}, bytes::Float,
                         {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)}));
}

/// The first output, or the error's message.
std::pair<Numbers, std::string> run(const std::string &model, const std::vector<ir::NdArray> &inputs,
                                    const std::map<std::string, ir::NdArray> &given = {})
{
    const auto read = onnx::readModelBytes(model, ".");
    if (!read)
        return {{}, read.error().message};
    onnx::ImportOptions options;
    for (const auto &[name, array] : given)
        options.data[name] = std::make_shared<const ir::NdArray>(array);
    const auto imported = onnx::importModel(*read, options);
    if (!imported)
        return {{}, imported.error().message};
    const auto outputs = tests::interpreted(imported->function, inputs);
    if (!outputs)
        return {{}, outputs.error().message};
    Numbers numbers;
    for (std::int64_t i = 0; i < outputs->front().size(); ++i)
        numbers.push_back(outputs->front().at(i));
    return {numbers, {}};
}

} // namespace

class ModelFormsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sizesOfMinusOneAreOpen()
    {
        const auto modelOf = [](std::int64_t size) {
            return bytes::model(bytes::node("Relu", {"x"}, {"y"}) + bytes::input("x", {size, 2})
                                + bytes::output("y"));
        };
        const auto read = onnx::readModelBytes(modelOf(-1), ".");
        QVERIFY(read);
        const auto imported = onnx::importModel(*read);
        QVERIFY(imported);
        QCOMPARE(imported->symbolicSizes, std::vector<std::string>{"x_0"});
        QCOMPARE(run(modelOf(-2), {}).second, "the input \"x\" has a dimension of -2");
    }

    void inputsWithDefaults()
    {
        const std::string scaled =
            bytes::model(bytes::node("Mul", {"x", "scale"}, {"y"}) + floatsOf("scale", {2})
                         + bytes::input("x", {3}) + bytes::input("scale", {1}) + bytes::output("y"));
        QCOMPARE(run(scaled, {row({1, 2, 3})}), std::pair(Numbers{2, 4, 6}, std::string()));
        const ir::NdArray ten = row({10});
        QCOMPARE(run(scaled, {row({1, 2, 3}), ten}, {{"scale", ten}}),
                 std::pair(Numbers{10, 20, 30}, std::string()));
        QCOMPARE(run(scaled, {}, {{"scale", row({1, 2})}}).second,
                 "the input \"scale\" is Tensor[(1,), float32], but Tensor[(2,), float32] is given");
    }

    /// The turns of a loop name their condition as the model does, and what they add as its result.
    void namesThatInnerGraphsHide()
    {
        const std::string body = bytes::node("Identity", {"cond"}, {"on"})
                                 + bytes::node("Mul", {"x", "one"}, {"one2"})
                                 + bytes::node("Add", {"s", "one2"}, {"y"}) + floatsOf("one", {1})
                                 + bytes::value(11, "i", {}, bytes::Int64) + bytes::value(11, "cond", {}, 9)
                                 + bytes::input("s", {2}) + bytes::output("on") + bytes::output("y");
        const auto modelOf = [&](const std::string &more) {
            return bytes::model(
                bytes::node("Mul", {"x", "one"}, {"t"})
                + bytes::node("Loop", {"n", "cond", "t"}, {"y"}, bytes::graphAttribute("body", body))
                + bytes::node("Add", {"y", "one"}, {"z"}) + more + bytes::weight("n", {3})
                + bytes::field(5, bytes::tensor("cond", {}, 9, std::string_view("\1", 1)))
                + floatsOf("one", {10}) + bytes::input("x", {2}) + bytes::output("z"));
        };
        // 10 x, and three times x with the body's own number, and the model's behind it.
        QCOMPARE(run(modelOf({}), {row({1, 2})}), std::pair(Numbers{23, 36}, std::string()));
        QCOMPARE(run(modelOf(bytes::node("Neg", {"x"}, {"t"})), {}).second,
                 "the value \"t\" is defined twice");
    }

    void overloadsOfFunctions()
    {
        const auto function = [](std::string_view op, std::string_view overload) {
            return bytes::field(25, bytes::field(1, "F") + bytes::field(4, "a") + bytes::field(5, "b")
                                        + bytes::node(op, {"a"}, {"b"}, {}, {}, 7)
                                        + bytes::field(9, bytes::field(2, std::int64_t{18}))
                                        + bytes::field(10, "own")
                                        + (overload.empty() ? std::string() : bytes::field(13, overload)));
        };
        const std::string graph = bytes::node("F", {"x"}, {"t"}, {}, "own")
                                  + bytes::node("F", {"t"}, {"y"}, bytes::field(8, "other"), "own")
                                  + bytes::input("x", {2}) + bytes::output("y");
        QCOMPARE(run(bytes::model(graph, function("Neg", {}) + function("Relu", "other")), {row({-3, 4})}),
                 std::pair(Numbers{3, 0}, std::string()));
        QCOMPARE(run(bytes::model(graph, function("Neg", "other") + function("Relu", "other")), {}).second,
                 "the function \"F\" is defined twice");
        QVERIFY(run(bytes::model(graph, function("Neg", {})), {}).second.contains("is not supported"));
    }
};

QTEST_APPLESS_MAIN(ModelFormsTest)
#include "model_forms_test.moc"
