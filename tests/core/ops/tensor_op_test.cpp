// SPDX-License-Identifier: Apache-2.0
/// The table of operators, their attributes, and what all calls have in common.
#include "tests/core/ops/calls.h"

#include <QtTest>

#include <algorithm>

using namespace nestwright;
using namespace nestwright::tests;
using ops::AttributeValue;
using ops::TensorType;

namespace {

const ops::TensorOp &op(std::string_view name) { return *ops::findTensorOp(name); }

QString completed(std::string_view name, ops::Attributes given)
{
    const auto attributes = ops::completeAttributes(op(name), std::move(given));
    if (!attributes)
        return QString::fromStdString(attributes.error().render());
    std::string text;
    for (const auto &[each, value] : *attributes)
        text += (text.empty() ? "" : ", ") + each + "=" + ops::str(value);
    return QString::fromStdString(text);
}

TensorType floats(ops::Shape shape) { return {std::move(shape), ir::DataType::float32()}; }

} // namespace

class TensorOpTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operatorsAreFoundByTheirNamesOnly()
    {
        for (const ops::TensorOp &each : ops::tensorOps())
            QCOMPARE(ops::findTensorOp(each.name), &each);
        for (const char *none : {"", "a", "ad", "addd", "Add", "nn", "nn.", "nn.conv3", "zzz", "\xff"})
            QVERIFY2(!ops::findTensorOp(none), none);
    }

    void everyRowIsComplete()
    {
        for (const ops::TensorOp &each : ops::tensorOps()) {
            const std::string name(each.name);
            QVERIFY2(!each.summary.empty() && each.infer, name.c_str());
            QVERIFY2(bool(each.compute) != bool(each.function), name.c_str());
            QVERIFY2(each.minInputs >= 0 && (each.maxInputs < 0 || each.maxInputs >= each.minInputs),
                     name.c_str());
            for (const ops::AttributeField &field : each.attributes)
                QVERIFY2(!field.help.empty(), name.c_str());
        }
        QVERIFY(std::ranges::is_sorted(ops::tensorOps(), {}, &ops::TensorOp::name));
    }

    void valuesOfAttributesAsText()
    {
        QCOMPARE(ops::str(true), "True");
        QCOMPARE(ops::str(false), "False");
        QCOMPARE(ops::str(std::int64_t{-3}), "-3");
        QCOMPARE(ops::str(0.5), "0.5");
        QCOMPARE(ops::str(std::string("edge")), "\"edge\"");
        QCOMPARE(ops::str(ir::DataType::uint(8)), "\"uint8\"");
        QCOMPARE(ops::str(Sizes{}), "[]");
        QCOMPARE(ops::str(Sizes{1}), "[1]");
        QCOMPARE(ops::str(Sizes{1, -2, 3}), "[1, -2, 3]");
    }

    void attributesThatAreNotGivenHaveTheirDefault()
    {
        QCOMPARE(completed("add", {}), "");
        QCOMPARE(completed("topk", {}), "axis=-1, k=1, largest=True");
        QCOMPARE(completed("topk", {{"k", std::int64_t{4}}, {"largest", false}}),
                 "axis=-1, k=4, largest=False");
    }

    void attributesThatAreNotDeclaredAreRefused()
    {
        QCOMPARE(completed("add", {{"axis", std::int64_t{0}}}),
                 "error: \"add\" has no attribute \"axis\" [ops.unknown-attribute]");
        QCOMPARE(completed("topk", {{"k", 4.0}}),
                 "error: attribute \"k\" of \"topk\" cannot be 4 [ops.bad-attribute]");
        QCOMPARE(completed("topk", {{"largest", std::int64_t{1}}}),
                 "error: attribute \"largest\" of \"topk\" cannot be 1 [ops.bad-attribute]");
    }

    void listsAndIntegersHaveLimits()
    {
        QVERIFY(completed("tile", {{"reps", Sizes(128, 1)}}).startsWith("reps=[1, 1,"));
        QVERIFY(completed("tile", {{"reps", Sizes(129, 1)}}).contains("has 129 numbers"));
        const std::int64_t edge = std::int64_t{1} << 31;
        QCOMPARE(completed("tile", {{"reps", Sizes{edge, -edge}}}), "reps=[2147483648, -2147483648]");
        QVERIFY(completed("tile", {{"reps", Sizes{1, edge + 1}}}).contains("cannot be 2147483649"));
        QVERIFY(completed("trilu", {{"k", -edge - 1}}).contains("cannot be -2147483649"));
        // Positions of slices have none: they end at the tensor's sides.
        QVERIFY(completed("strided_slice", {{"end", Sizes{edge * 1024}}}).contains("end=[2199023255552]"));
    }

    void theNumberOfInputsIsChecked()
    {
        const TensorType x = floats({2});
        QCOMPARE(typesOf("add", {x}), "\"add\" does not take 1 inputs");
        QCOMPARE(typesOf("add", {x, x, x}), "\"add\" does not take 3 inputs");
        QCOMPARE(typesOf("exp", {}), "\"exp\" does not take 0 inputs");
        QCOMPARE(typesOf("exp", {x}), "Tensor[(2,), float32]");
        QCOMPARE(typesOf("concatenate", {}), "\"concatenate\" does not take 0 inputs");
        QCOMPARE(typesOf("concatenate", {x, x, x, x, x}), "Tensor[(10,), float32]");
        const auto tooFew = ops::inferTypes({op("add"), {}, {}});
        QCOMPARE(tooFew.error().code, "ops.input-count");
    }

    void typesAsText()
    {
        QCOMPARE(floats({}).str(), "Tensor[(), float32]");
        QCOMPARE(floats({3}).str(), "Tensor[(3,), float32]");
        QCOMPARE(floats({1, 3}).str(), "Tensor[(1, 3), float32]");
        QCOMPARE((TensorType{{1, 3}, {}}).str(), "(1, 3)");
        const ir::Var n("n", ir::DataType::int32());
        QCOMPARE(floats({1, n}).str(), "Tensor[(1, n), float32]");
        QVERIFY(!floats({1, n}).constantShape());
        QCOMPARE(floats({4, 5}).constantShape().value(), (Sizes{4, 5}));
    }

    void typesAreEqualWhereShapeAndElementsAre()
    {
        const ir::Var n("n", ir::DataType::int32());
        QVERIFY(floats({2, 3}) == floats({2, 3}));
        QVERIFY(!(floats({2, 3}) == floats({3, 2})));
        QVERIFY(!(floats({2, 3}) == floats({2})));
        QVERIFY(!(floats({2}) == TensorType({2}, ir::DataType::int32())));
        QVERIFY(floats({n + 1 + n}) == floats({n * 2 + 1}));
        QVERIFY(!(floats({n}) == floats({n + 1})));
    }

    void resultsHaveFewerThanTwoToThe31Elements()
    {
        const auto spread = [](const Sizes &shape) {
            return typesOf("broadcast_to", {floats({})}, {{"shape", shape}});
        };
        QCOMPARE(spread({32768, 65535}), "Tensor[(32768, 65535), float32]");
        QCOMPARE(spread({32768, 65536}),
                 "\"broadcast_to\" would give Tensor[(32768, 65536), float32], 2^31 elements or more");
        QCOMPARE(spread({2, -1}), "\"broadcast_to\" would give a dimension of -1");
        QCOMPARE(spread({0}), "Tensor[(0,), float32]");
        const ir::Var n("n", ir::DataType::int32());
        QCOMPARE(typesOf("exp", {floats({n, 3})}), "Tensor[(n, 3), float32]");
    }

    void resultsHave64DimensionsAtMost()
    {
        QVERIFY(typesOf("broadcast_to", {floats({})}, {{"shape", Sizes(64, 1)}}).startsWith("Tensor"));
        QCOMPARE(typesOf("broadcast_to", {floats({})}, {{"shape", Sizes(65, 1)}}),
                 "\"broadcast_to\" would give a tensor of 65 dimensions; 64 is the most");
    }

    void fusionKindsHaveNames()
    {
        QCOMPARE(ops::nameOf(op("exp").fusion), "elementwise");
        QCOMPARE(ops::nameOf(op("add").fusion), "broadcast");
        QCOMPARE(ops::nameOf(op("transpose").fusion), "injective");
        QCOMPARE(ops::nameOf(op("sum").fusion), "reduction");
        QCOMPARE(ops::nameOf(op("nn.conv").fusion), "out-fusable");
        QCOMPARE(ops::nameOf(op("topk").fusion), "opaque");
    }
};

QTEST_APPLESS_MAIN(TensorOpTest)
#include "tensor_op_test.moc"
