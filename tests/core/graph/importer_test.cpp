// SPDX-License-Identifier: Apache-2.0
// What is wrong with a model is said once, by name.
#include "core/graph/onnx/importer.h"

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace nestwright;
using namespace nestwright::graph;
using namespace nestwright::graph::onnx;

namespace {

OnnxNode node(std::string op, std::vector<std::string> inputs, std::vector<std::string> outputs)
{
    OnnxNode made;
    made.op = std::move(op);
    made.name = "n";
    made.inputs = std::move(inputs);
    made.outputs = std::move(outputs);
    return made;
}

OnnxValue floats(std::string name, std::vector<std::variant<std::int64_t, std::string>> shape)
{
    OnnxValue value;
    value.name = std::move(name);
    value.dtype = ir::DataType::float32();
    value.hasShape = true;
    value.shape = std::move(shape);
    return value;
}

OnnxModel model(std::vector<OnnxNode> nodes, std::vector<OnnxValue> inputs = {floats("x", {2, 3})})
{
    OnnxModel made;
    made.opset = 18;
    made.nodes = std::move(nodes);
    made.inputs = std::move(inputs);
    made.outputs = {floats("y", {})};
    return made;
}

std::string codeOf(const OnnxModel &model, const ImportOptions &options = {})
{
    const auto imported = importModel(model, options);
    return imported ? "imported" : imported.error().code;
}

} // namespace

class ImporterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everythingWrongHasItsCode()
    {
        QCOMPARE(codeOf(model({node("Relu", {"x"}, {"y"})})), std::string("imported"));
        QCOMPARE(codeOf(model({node("NoSuchThing", {"x"}, {"y"})})), std::string("onnx.operator"));
        QCOMPARE(codeOf(model({node("Loop", {"x"}, {"y"})})), std::string("onnx.refused"));
        QCOMPARE(codeOf(model({node("Relu", {"z"}, {"y"})})), std::string("onnx.value")); // nothing gives z
        QCOMPARE(codeOf(model({node("Relu", {"y"}, {"y"})})), std::string("onnx.value")); // a circle
        QCOMPARE(codeOf(model({node("Relu", {"x"}, {"x"})})), std::string("onnx.value")); // defined twice
        QCOMPARE(codeOf(model({node("Relu", {"x"}, {"z"})})),
                 std::string("onnx.value")); // nothing gives the output
        QCOMPARE(codeOf(model({node("Relu", {}, {"y"})})), std::string("ops.input-count"));
        QCOMPARE(codeOf(model({node("MatMul", {"x", "x"}, {"y"})})),
                 std::string("ops.type")); // 2×3 times 2×3
        QCOMPARE(codeOf(model({node("Relu", {"x"}, {"y"})}, {floats("x", {-4})})), std::string("onnx.shape"));
        OnnxNode softmax = node("Softmax", {"x"}, {"y"});
        softmax.attributes.emplace("axis", std::int64_t{7});
        QCOMPARE(codeOf(model({softmax})), std::string("ops.type"));
        softmax.attributes["axis"] = std::string("last");
        QCOMPARE(codeOf(model({softmax})), std::string("onnx.attribute"));
        OnnxValue text = floats("x", {1});
        text.otherType = "sequence";
        QCOMPARE(codeOf(model({node("Relu", {"x"}, {"y"})}, {text})), std::string("onnx.type"));
    }

    void messagesNameTheNode()
    {
        const auto imported = importModel(model({node("MatMul", {"x", "x"}, {"y"})}));
        QVERIFY(!imported);
        QVERIFY2(imported.error().message.starts_with("node \"n\" (MatMul): "),
                 imported.error().message.c_str());
    }

    void absurdShapesAreRefused()
    {
        OnnxNode expand = node("Expand", {"x", "s"}, {"y"});
        OnnxModel made = model({expand}, {floats("x", {1})});
        ir::NdArray shape(ir::DataType::int64(), {2});
        shape.data<std::int64_t>()[0] = shape.data<std::int64_t>()[1] = 2'000'000'000;
        made.initializers.emplace("s", std::make_shared<const ir::NdArray>(std::move(shape)));
        QCOMPARE(codeOf(made), std::string("ops.too-large"));
    }

    void aShapeThatIsAnInputMustBeKnown()
    {
        OnnxValue shape = floats("s", {1});
        shape.dtype = ir::DataType::int64();
        const OnnxModel made = model({node("Reshape", {"x", "s"}, {"y"})}, {floats("x", {2, 3}), shape});
        QCOMPARE(codeOf(made), std::string("onnx.value-needed"));
        ir::NdArray six(ir::DataType::int64(), {1});
        six.data<std::int64_t>()[0] = 6;
        ImportOptions options;
        options.data.emplace("s", std::make_shared<const ir::NdArray>(std::move(six)));
        const auto imported = importModel(made, options);
        QVERIFY(imported);
        QCOMPARE(imported->fixedInputs, std::vector<std::string>{"s"});
        QCOMPARE(imported->function.typeOf(imported->function.outputs[0]).str(),
                 std::string("Tensor[(6,), float32]"));
    }

    void aBranchThatIsKnownIsTaken()
    {
        const auto branch = [](std::string op) {
            auto graph = std::make_shared<OnnxGraph>();
            graph->nodes = {node(std::move(op), {"x"}, {"inner"})};
            graph->outputs = {floats("inner", {})};
            return std::shared_ptr<const OnnxGraph>(std::move(graph));
        };
        OnnxNode choice = node("If", {"c"}, {"y"});
        choice.attributes.emplace("then_branch", branch("Exp"));
        QCOMPARE(codeOf(model({choice})), std::string("onnx.value")); // nothing gives c
        OnnxModel made = model({choice});
        ir::NdArray condition(ir::DataType::boolean(), {});
        made.initializers["c"] = std::make_shared<const ir::NdArray>(condition);
        QCOMPARE(codeOf(made), std::string("onnx.attribute")); // there is no else_branch
        made.nodes[0].attributes.emplace("else_branch", branch("Relu"));
        const auto opOf = [&] {
            const auto imported = importModel(made);
            return imported ? imported->function.at(imported->function.outputs[0]).op->name : "refused";
        };
        QCOMPARE(opOf(), std::string_view("nn.relu"));
        condition.set(0, 1);
        made.initializers["c"] = std::make_shared<const ir::NdArray>(condition);
        QCOMPARE(opOf(), std::string_view("exp"));
        // What the branch names is not seen outside.
        made.outputs[0].name = "inner";
        QCOMPARE(codeOf(made), std::string("onnx.value"));
        made.outputs[0].name = "y";
        made.initializers.erase("c");
        OnnxValue given = floats("c", {});
        given.dtype = ir::DataType::boolean();
        made.inputs.push_back(given);
        QCOMPARE(codeOf(made), std::string("onnx.refused"));
    }

    void symbolicSizesStayOrAreFixed()
    {
        const OnnxModel made = model({node("Relu", {"x"}, {"y"})}, {floats("x", {"batch", 3})});
        auto imported = importModel(made);
        QVERIFY(imported);
        QCOMPARE(imported->symbolicSizes, std::vector<std::string>{"batch"});
        ImportOptions options;
        options.sizes["batch"] = 4;
        imported = importModel(made, options);
        QVERIFY(imported && imported->symbolicSizes.empty());
        QCOMPARE(imported->function.typeOf(imported->function.outputs[0]).str(),
                 std::string("Tensor[(4, 3), float32]"));
    }

    void filesThatAreNoModels()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("m.onnx")).toStdString();
        QCOMPARE(readModel(path).error().code, std::string("open.no-file"));
        QCOMPARE(readModel(folder.path().toStdString()).error().code, std::string("open.unreadable"));
        std::ofstream(path) << "this is no model";
        QCOMPARE(readModel(path).error().code, std::string("onnx.format"));
        std::ofstream(path, std::ios::trunc);
        QCOMPARE(readModel(path).error().code, std::string("onnx.opset")); // an empty message
    }

    /// A model cut off anywhere, or with bytes changed: an error or a model, never anything else.
    void damagedFiles()
    {
        const std::string whole =
            "/usr/share/libonnx-testdata/data/node/test_conv_with_strides_padding/model.onnx";
        if (!std::filesystem::exists(whole))
            QSKIP("ONNX's test data (libonnx-testdata) are not installed");
        std::ifstream file(whole, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("m.onnx")).toStdString();
        int refused = 0;
        const auto attempt = [&](const std::string &damaged) {
            std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
            const auto read = readModel(path);
            const bool fine = read && importModel(*read);
            refused += fine ? 0 : 1;
        };
        for (std::size_t length = 0; length < bytes.size(); length += 3)
            attempt(bytes.substr(0, length));
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            std::string changed = bytes;
            changed[i] = static_cast<char>(changed[i] ^ 0x15);
            attempt(changed);
        }
        QVERIFY(refused > 50);
    }
};

QTEST_GUILESS_MAIN(ImporterTest)
#include "importer_test.moc"
