// SPDX-License-Identifier: Apache-2.0
// Where models may use integers of 4 bits and floats of 8.
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/narrow_formats.h"
#include "tests/core/graph/run_graph.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using ir::DataType;

OnnxNode to(OnnxNode node, std::int64_t type)
{
    node.attributes.emplace("to", type);
    return node;
}

} // namespace

class NarrowTypesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A narrow type goes with what is moved; nothing computes with it.
    void theTypeStaysWithItsElements()
    {
        OnnxValue like = floats("like", {2, 2});
        like.dtype = DataType::float_(16);
        like.narrow = type("float8_e5m2");
        const auto opOf = [&](const std::vector<OnnxNode> &nodes) {
            const auto imported = importModel(model(nodes, {floats("x", {2, 2}), like}));
            return imported ? std::string(imported->function.at(imported->function.outputs[0]).op->name)
                            : imported.error().code;
        };
        QCOMPARE(opOf({node("CastLike", {"x", "like"}, {"y"})}), std::string("narrow"));
        OnnxNode turn = node("Transpose", {"like"}, {"t"});
        QCOMPARE(opOf({turn, node("CastLike", {"x", "t"}, {"y"})}), std::string("narrow"));
        const OnnxNode wide = to(node("Cast", {"like"}, {"w"}), 10); // FLOAT16, in which it is held
        QCOMPARE(opOf({wide, node("CastLike", {"x", "w"}, {"y"})}), std::string("cast"));
        QCOMPARE(opOf({wide, node("Add", {"w", "w"}, {"y"})}), std::string("add"));
        QCOMPARE(opOf({node("Add", {"like", "like"}, {"y"})}), std::string("onnx.refused"));
        QCOMPARE(opOf({to(node("Cast", {"x"}, {"c"}), 17), node("Concat", {"like", "c"}, {"y"})}),
                 std::string("onnx.unsupported"));
        QCOMPARE(opOf({to(node("Cast", {"x"}, {"y"}), complex)}), std::string("onnx.unsupported"));
        QCOMPARE(opOf({node("DequantizeLinear", {"x", "x"}, {"y"})}), std::string("onnx.unsupported"));
    }

    void valuesGivenForAnInputAreOfItsType()
    {
        OnnxValue x = floats("x", {4});
        x.dtype = DataType::int_(8);
        x.narrow = type("int4");
        const OnnxModel made = model({to(node("Cast", {"x"}, {"y"}), 1)}, {x});
        ir::NdArray given(DataType::int_(8), {4});
        given.set(0, -8), given.set(3, 7);
        const auto import = [&] {
            return importModel(made,
                               {.sizes = {}, .data = {{"x", std::make_shared<const ir::NdArray>(given)}}});
        };
        QVERIFY(import().has_value());
        QCOMPARE(import()->narrowInputs, (NarrowTypes{{"x", type("int4")}}));
        QVERIFY(import()->narrowResults.empty());
        given.set(2, 9);
        QCOMPARE(import().error().code, std::string("onnx.narrow"));
        QCOMPARE(import().error().message,
                 std::string("element 2 of the input \"x\" is 9, but int4 holds whole numbers from -8 to 7"));
    }

    void narrowResultsAreKnownByName()
    {
        OnnxNode cast = to(node("Cast", {"x"}, {"c"}), int4);
        cast.name = "rounded";
        const auto imported = importModel(model({cast, node("Identity", {"c"}, {"y"})}));
        QVERIFY(imported.has_value());
        QCOMPARE(imported->narrowResults,
                 (NarrowTypes{{"n", type("int4")}, {"rounded", type("int4")}, {"y", type("int4")}}));
    }

    void quantizedInBlocks()
    {
        OnnxNode quantize = node("QuantizeLinear", {"x", "s"}, {"q"});
        quantize.attributes = {
            {"axis", std::int64_t{1}}, {"block_size", std::int64_t{2}}, {"output_dtype", std::int64_t{int4}}};
        OnnxNode back = node("DequantizeLinear", {"q", "s"}, {"y"});
        back.attributes = {{"axis", std::int64_t{1}}, {"block_size", std::int64_t{2}}};
        OnnxModel made = model({quantize, back}, {floats("x", {1, 4})});
        ir::NdArray scale(DataType::float32(), {1, 2}), x(DataType::float32(), {1, 4});
        scale.set(0, 0.5), scale.set(1, 4);
        x.set(0, 1.3), x.set(1, -100), x.set(2, 9), x.set(3, 100);
        made.initializers.emplace("s", std::make_shared<const ir::NdArray>(scale));
        const auto imported = importModel(made);
        QVERIFY(imported);
        const auto results = interpreted(imported->function, {x});
        QVERIFY(results);
        QCOMPARE(valuesOf((*results)[0]), (std::vector<double>{1.5, -4, 8, 28}));
    }
};

QTEST_GUILESS_MAIN(NarrowTypesTest)
#include "narrow_types_test.moc"
