// SPDX-License-Identifier: Apache-2.0
// Dimensions that are written as expressions of others.
#include "core/frontend/onnx/file/size_expression.h"

#include "core/ir/build/builder.h"
#include "core/ops/table/shapes.h"
#include "tests/core/graph/made_models.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// Inputs with the dimensions "past", "batch" and those.
std::vector<OnnxValue> inputsWith(const std::string &dimension)
{
    return {floats("a", {"batch", "past"}), floats("b", {dimension})};
}

/// The size for past = 7 and batch = 2, or "name" where it is a plain one.
std::string sizeOf(const std::string &dimension)
{
    const SizeExpressions expressions(inputsWith(dimension));
    const auto size = expressions.valueOf(dimension, [](const std::string &name) {
        return ops::dimension(std::int64_t{name == "past" ? 7 : name == "batch" ? 2 : 100});
    });
    return size ? std::to_string(*ir::asInt(*size)) : "name";
}

} // namespace

class SizeExpressionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void values()
    {
        QCOMPARE(sizeOf("past + 1"), "8");
        QCOMPARE(sizeOf("batch * past - 3"), "11");
        QCOMPARE(sizeOf("2*(past + batch)"), "18");
        QCOMPARE(sizeOf("floor(past/2) + 1"), "4");
        QCOMPARE(sizeOf("(past - 1)//4"), "1");
        QCOMPARE(sizeOf("past % 4"), "3");
        QCOMPARE(sizeOf("Max(1, past)"), "7");
        QCOMPARE(sizeOf("past + chunk"), "107"); // a name that stands in it alone
    }

    void plainNames()
    {
        for (const char *name :
             {"past", "batch-size", "x.1", "past + ", "past past", "sqrt(past)", "N+1", "3", "past ** 2", ""})
            QCOMPARE(sizeOf(name), "name");
    }

    void names()
    {
        const SizeExpressions expressions(inputsWith("past + chunk"));
        QCOMPARE(expressions.namesOf("past + chunk + past"), (std::vector<std::string>{"past", "chunk"}));
        QCOMPARE(expressions.namesOf("batch-size"), (std::vector<std::string>{"batch-size"}));
    }

    /// A model needs one size for both; sizes that cannot be are told.
    void models()
    {
        OnnxModel made = model({node("Add", {"a", "b"}, {"y"})},
                               {floats("a", {"n + 1"}), floats("b", {std::int64_t{1}}), floats("c", {"n"})});
        const auto open = importModel(made);
        QVERIFY2(open, open ? "" : open.error().message.c_str());
        QCOMPARE(open->symbolicSizes, (std::vector<std::string>{"n"}));
        const auto imported = importModel(made, {{{"n", 4}}, {}});
        QVERIFY(imported);
        QCOMPARE(imported->function.typeOf({0, 0}).str(), "Tensor[(5,), float32]");
        const auto whole = importModel(made, {{{"n", 4}, {"n + 1", 9}}, {}}); // given as it is written
        QCOMPARE(whole->function.typeOf({0, 0}).str(), "Tensor[(9,), float32]");
        made.inputs[0].shape = {"n - 6"};
        QCOMPARE(importModel(made, {{{"n", 4}}, {}}).error().message,
                 "the input \"a\" has a dimension of n - 6, which is -2");
        made.inputs[0].shape = {"n / (n - 4)"};
        QCOMPARE(importModel(made, {{{"n", 4}}, {}}).error().message,
                 "the dimension \"n / (n - 4)\" divides by zero");
    }
};

QTEST_GUILESS_MAIN(SizeExpressionTest)
#include "size_expression_test.moc"
