// SPDX-License-Identifier: Apache-2.0
/// Operators on tensors agree with NumPy (`make_answers.py` writes the table), and refuse wrong inputs.
#include "core/support/text/json.h"
#include "tests/core/ops/calls.h"

#include <QtTest>
#include <cmath>
#include <format>
#include <fstream>

using namespace nestwright;
using namespace nestwright::tests;
using Json = support::Json;

namespace {

ir::NdArray arrayOf(const Json &json)
{
    ir::NdArray array(*ir::DataType::parse(json.at("dtype").get<std::string>()),
                      json.at("shape").get<std::vector<std::int64_t>>());
    for (std::int64_t i = 0; const Json &value : json.at("values"))
        array.set(i++, value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>());
    return array;
}

/// Of the kind that the operator declares.
ops::AttributeValue attributeOf(const Json &json, const ops::AttributeValue &declared)
{
    return std::visit(
        [&]<class T>(const T &) -> ops::AttributeValue {
            if constexpr (std::is_same_v<T, ir::DataType>)
                return *ir::DataType::parse(json.get<std::string>());
            else
                return json.get<T>();
        },
        declared);
}

/// The difference between found and expected results; empty where there is none.
std::string difference(const ir::NdArray &found, const ir::NdArray &expected)
{
    if (found.dtype() != expected.dtype() || found.shape() != expected.shape())
        return "it is " + typeOf(found).str() + " and not " + typeOf(expected).str();
    for (std::int64_t i = 0; i < expected.size(); ++i) {
        const double x = found.at(i), y = expected.at(i);
        const double tolerance = expected.dtype().isFloating() ? 2e-5 * std::max(1.0, std::abs(y)) : 0;
        if (!(x == y || std::abs(x - y) <= tolerance || (std::isnan(x) && std::isnan(y))))
            return std::format("element {} is {} and not {}", i, x, y);
    }
    return {};
}

/// The results of one call, or its refusal.
support::Result<std::vector<ir::NdArray>> called(const Json &json, const std::vector<ir::NdArray> &inputs)
{
    const ops::TensorOp &op = *ops::findTensorOp(json.at("op").get<std::string>());
    ops::Attributes given;
    for (const auto &[name, value] : json.at("attributes").items()) {
        const auto field = std::ranges::find(op.attributes, name, &ops::AttributeField::name);
        if (field == op.attributes.end())
            qFatal("%s has no %s", std::string(op.name).c_str(), name.c_str());
        given.emplace(name, attributeOf(value, field->defaultValue));
    }
    return tests::called(op.name, inputs, std::move(given));
}

} // namespace

class AnswersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void calls_data()
    {
        QTest::addColumn<QString>("text");
        std::ifstream file("tests/core/ops/answers.txt");
        int count = 0;
        for (std::string line; std::getline(file, line); ++count)
            QTest::addRow("%d %s", count + 1, Json::parse(line).at("op").get<std::string>().c_str())
                << QString::fromStdString(line);
        QVERIFY(count > 400);
    }

    void calls()
    {
        QFETCH(QString, text);
        const Json json = Json::parse(text.toStdString());
        std::vector<ir::NdArray> inputs;
        for (const Json &input : json.at("inputs"))
            inputs.push_back(arrayOf(input));
        const auto results = called(json, inputs);
        if (json.contains("error")) {
            QVERIFY(!results);
            QVERIFY2(results.error().message.contains(json.at("error").get<std::string>()),
                     results.error().message.c_str());
            return;
        }
        QVERIFY2(results, results ? "" : results.error().render().c_str());
        QCOMPARE(results->size(), json.at("results").size());
        for (std::size_t i = 0; i < results->size(); ++i)
            QCOMPARE(difference((*results)[i], arrayOf(json.at("results")[i])), std::string());
    }
};

QTEST_APPLESS_MAIN(AnswersTest)
#include "answers_test.moc"
