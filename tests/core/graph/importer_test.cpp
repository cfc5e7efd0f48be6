// SPDX-License-Identifier: Apache-2.0
// Each fault of a model is reported once, by name.
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/run_graph.h"
#include "tests/support/model_check.h"
#include "tests/support/random.h"

#include <QTemporaryDir>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

using namespace nestwright;
using namespace nestwright::graph;
using namespace nestwright::graph::onnx;
using namespace nestwright::tests;

namespace {

std::string bytesOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

class ImporterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everythingWrongHasItsCode()
    {
        QCOMPARE(codeOf(model({node("Relu", {"x"}, {"y"})})), std::string("imported"));
        QCOMPARE(codeOf(model({node("NoSuchThing", {"x"}, {"y"})})), std::string("onnx.operator"));
        QCOMPARE(codeOf(model({node("RandomNormalLike", {"x"}, {"y"})})), std::string("onnx.refused"));
        QCOMPARE(codeOf(model({node("Relu", {"z"}, {"y"})})), std::string("onnx.value")); // nothing gives z
        QCOMPARE(codeOf(model({node("Relu", {"y"}, {"y"})})), std::string("onnx.value")); // a circle
        QCOMPARE(codeOf(model({node("Relu", {"x"}, {"x"})})), std::string("onnx.value")); // defined twice
        QCOMPARE(codeOf(model({node("Relu", {"x"}, {"z"})})),
                 std::string("onnx.value")); // nothing gives the output
        OnnxModel nameless = model({node("Relu", {"x"}, {"y"})});
        nameless.outputs[0].name.clear();
        QCOMPARE(codeOf(nameless), std::string("onnx.value"));
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

    void quantizingDynamicallyNeedsReals()
    {
        const OnnxModel made =
            model({node("Cast", {"x"}, {"c"}), node("DynamicQuantizeLinear", {"c"}, {"y", "s", "z"})});
        OnnxModel integers = made;
        integers.nodes[0].attributes.emplace("to", std::int64_t{3}); // INT8
        QCOMPARE(codeOf(integers), std::string("onnx.unsupported"));
    }

    void nodesMayStandInAnyOrder()
    {
        const auto opsOf = [](const OnnxModel &made) {
            std::string ops;
            const auto imported = importModel(made);
            for (const Node &each : imported ? imported->function.nodes : std::vector<Node>()) {
                if (each.op)
                    ops += std::string(each.op->name) + " ";
            }
            return ops;
        };
        const OnnxNode exp = node("Exp", {"x"}, {"a"}), abs = node("Abs", {"a"}, {"b"}),
                       relu = node("Relu", {"b"}, {"y"});
        QCOMPARE(opsOf(model({relu, abs, exp})), std::string("exp abs nn.relu "));
        QCOMPARE(opsOf(model({abs, exp, relu})), std::string("exp abs nn.relu "));
        // Inputs of a branch count, too; a cycle has no order.
        OnnxNode choice = node("If", {"c"}, {"y"});
        auto branch = std::make_shared<OnnxGraph>();
        branch->nodes = {node("Relu", {"inner"}, {"out"}), node("Abs", {"a"}, {"inner"})};
        branch->outputs = {floats("out", {})};
        for (const char *name : {"then_branch", "else_branch"})
            choice.attributes.emplace(name, std::shared_ptr<const OnnxGraph>(branch));
        OnnxModel chosen = model({choice, exp});
        chosen.initializers["c"] =
            std::make_shared<const ir::NdArray>(ir::NdArray(ir::DataType::boolean(), {}));
        QCOMPARE(opsOf(chosen), std::string("exp abs nn.relu "));
        QCOMPARE(codeOf(model({node("Add", {"x", "b"}, {"a"}), abs, relu})), std::string("onnx.value"));
    }

    void missingOperandsAreRefused()
    {
        for (const char *op : {"Concat", "Add", "SequenceConstruct"})
            QCOMPARE(codeOf(model({node(op, {"x", ""}, {"y"})})), std::string("onnx.input"));
        OnnxNode concat = node("Concat", {"x", "z"}, {"y"});
        concat.attributes.emplace("axis", std::int64_t{1});
        QCOMPARE(codeOf(model({concat}, {floats("x", {2, 3}), floats("z", {2})})), std::string("ops.type"));
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

    /// Huge sizes in a small file are not allocated.
    void absurdConstantsAreRefused_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QList<qint64>>(
            "numbers"); ///< the only input, or the shape of x where there are none
        QTest::addColumn<QString>("code");
        const qint64 million = 1'000'000;
        QTest::newRow("ConstantOfShape")
            << "ConstantOfShape" << QList<qint64>{million, 1000} << "onnx.too-large";
        QTest::newRow("a product beyond 64 bits")
            << "ConstantOfShape" << QList<qint64>{million * million, million * million} << "onnx.too-large";
        QTest::newRow("negative") << "ConstantOfShape" << QList<qint64>{-1} << "onnx.unsupported";
        QTest::newRow("HannWindow") << "HannWindow" << QList<qint64>{1 << 30} << "onnx.too-large";
        QTest::newRow("EyeLike") << "EyeLike" << QList<qint64>() << "onnx.too-large";
        QTest::newRow("Tile") << "Tile" << QList<qint64>{million, million} << "ops.too-large";
        QTest::newRow("Expand beyond 32 bits")
            << "Expand" << QList<qint64>{(qint64(1) << 32) + 1} << "ops.bad-attribute";
        QTest::newRow("Reshape beyond 32 bits")
            << "Reshape" << QList<qint64>{(qint64(1) << 32) + 1} << "ops.bad-attribute";
        QTest::newRow("Pad") << "Pad" << QList<qint64>{million, million, million, million} << "ops.too-large";
        QTest::newRow("Pad beyond 64 bits")
            << "Pad" << QList<qint64>{0, std::numeric_limits<qint64>::max(), 0, 1} << "ops.bad-attribute";
        QTest::newRow("Resize") << "Resize" << QList<qint64>{1, qint64(1) << 30} << "onnx.unsupported";
    }
    void absurdConstantsAreRefused()
    {
        QFETCH(QString, op);
        QFETCH(QList<qint64>, numbers);
        QFETCH(QString, code);
        const std::string name = op.toStdString();
        ir::NdArray given(ir::DataType::int64(), name == "HannWindow"
                                                     ? std::vector<std::int64_t>()
                                                     : std::vector<std::int64_t>{numbers.size()});
        for (std::int64_t i = 0; i < given.size() && i < numbers.size(); ++i)
            given.data<std::int64_t>()[i] = numbers[i];
        std::vector<std::string> inputs{"s"};
        if (name == "Tile" || name == "Expand" || name == "Reshape" || name == "Pad")
            inputs = {"x", "s"};
        else if (name == "Resize")
            inputs = {"x", "", "", "s"};
        else if (name == "EyeLike")
            inputs = {"x"};
        OnnxModel made = model(
            {node(name, inputs, {"y"})},
            {floats("x", name == "EyeLike" ? floats("", {40'000, 40'000}).shape : floats("", {1, 3}).shape)});
        made.initializers.emplace("s", std::make_shared<const ir::NdArray>(std::move(given)));
        QCOMPARE(QString::fromStdString(codeOf(made)), code);
    }

    void floatsWhereIntegersAreMeantAreInRange()
    {
        for (const double value : {-2.97e30, 9.3e18, std::nan(""), 1.0}) {
            OnnxModel made = model({node("CumSum", {"x", "s"}, {"y"})});
            ir::NdArray axis(ir::DataType::float32(), {1});
            axis.set(0, value);
            made.initializers.emplace("s", std::make_shared<const ir::NdArray>(std::move(axis)));
            QCOMPARE(codeOf(made), std::string(value == 1 ? "imported" : "onnx.value"));
        }
    }

    void einsumNeedsALabelForEachDimension()
    {
        for (const char *equation : {"ijk,ikl->ijl", "i,ij->ij", "......,ij->ij", "ij"}) {
            OnnxNode einsum = node("Einsum", {"x", "x"}, {"y"});
            einsum.attributes.emplace("equation", std::string(equation));
            QCOMPARE(codeOf(model({einsum})), std::string("onnx.unsupported"));
        }
        OnnxNode einsum = node("Einsum", {"x", "x"}, {"y"});
        einsum.attributes.emplace("equation", std::string("ij,...j->i..."));
        QCOMPARE(codeOf(model({einsum})), std::string("imported"));
    }

    void slicesMayReachBeyondEverything()
    {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
        for (const auto &[begin, end, step] :
             {std::array{std::int64_t{1}, most, most}, std::array{most, least, least},
              std::array{least, most, std::int64_t{2}}}) {
            OnnxModel made = model({node("Slice", {"x", "b", "e", "a", "s"}, {"y"})});
            for (const auto &[name, number] : {std::pair("b", begin), std::pair("e", end),
                                               std::pair("a", std::int64_t{1}), std::pair("s", step)}) {
                ir::NdArray given(ir::DataType::int64(), {1});
                given.data<std::int64_t>()[0] = number;
                made.initializers.emplace(name, std::make_shared<const ir::NdArray>(std::move(given)));
            }
            const auto imported = importModel(made, {});
            QVERIFY2(imported, imported ? "" : imported.error().message.c_str());
            const std::int64_t expected = step == 2 ? 2 : 1;
            QCOMPARE(imported->function.typeOf(imported->function.outputs[0]).constantShape().value(),
                     (std::vector<std::int64_t>{2, expected}));
        }
    }

    void absurdInputsAreRefused()
    {
        const std::int64_t large = std::int64_t{1} << 32;
        QCOMPARE(codeOf(model({node("Relu", {"x"}, {"y"})}, {floats("x", {large + 5})})),
                 std::string("onnx.shape"));
        QCOMPARE(codeOf(model({node("Relu", {"x"}, {"y"})}, {floats("x", {1 << 20, 1 << 20})})),
                 std::string("onnx.shape"));
    }

    void nodesTensorsAndWeightsKeepTheirNames()
    {
        OnnxModel made = model({node("ConstantOfShape", {"s"}, {"layer/w_0"}),
                                node("Add", {"x", "layer/w_0"}, {"sum"}), node("Relu", {"sum"}, {"y"})});
        made.nodes[1].name = "n1";
        ir::NdArray shape(ir::DataType::int64(), {2});
        shape.data<std::int64_t>()[0] = 2;
        shape.data<std::int64_t>()[1] = 3;
        made.initializers.emplace("s", std::make_shared<const ir::NdArray>(std::move(shape)));
        const auto imported = importModel(made);
        QVERIFY2(imported, imported ? "" : imported.error().message.c_str());
        std::vector<std::string> names;
        for (const Node &each : imported->function.nodes)
            names.push_back(each.name + (each.tensors.empty() ? "" : " → " + each.tensors[0]));
        QCOMPARE(names, (std::vector<std::string>{"x", "layer/w_0", "n1 → sum", "n → y"}));
    }

    void manyConstantsTogetherAreRefused()
    {
        OnnxModel made = model({node("ConstantOfShape", {"s"}, {"a"}), node("ConstantOfShape", {"s"}, {"b"}),
                                node("Add", {"a", "b"}, {"y"})});
        ir::NdArray shape(ir::DataType::int64(), {1});
        shape.data<std::int64_t>()[0] = 140'000'000;
        made.initializers.emplace("s", std::make_shared<const ir::NdArray>(std::move(shape)));
        QCOMPARE(codeOf(made), std::string("onnx.too-large"));
    }

    void corpusOfModels()
    {
        int files = 0;
        for (const auto &entry : std::filesystem::directory_iterator("tests/fuzz/corpus/onnx")) {
            const std::string bytes = bytesOf(entry.path().string());
            QCOMPARE(tests::checkModel(bytes), std::string());
            const auto read = readModelBytes(bytes, "");
            QVERIFY(read);
            const std::string code = codeOf(*read, ImportOptions{{{"n", 2}}, {}});
            const std::string name = entry.path().stem().string();
            QCOMPARE(code, std::string(name == "huge"                 ? "onnx.too-large"
                                       : name.starts_with("refused_") ? "onnx.unsupported"
                                       : name.starts_with("empty_")   ? "onnx.value"
                                                                      : "imported"));
            ++files;
        }
        QVERIFY(files >= 10);
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
        // Names of the branch are not seen outside.
        made.outputs[0].name = "inner";
        QCOMPARE(codeOf(made), std::string("onnx.value"));
        made.outputs[0].name = "y";
        made.initializers.erase("c");
        OnnxValue given = floats("c", {});
        given.dtype = ir::DataType::boolean();
        made.inputs.push_back(given);
        QCOMPARE(opOf(), std::string_view("where")); // both are computed
        made.nodes[0].attributes["else_branch"] = branch("SequenceConstruct");
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
        std::filesystem::resize_file(path, 0);
        QCOMPARE(readModel(path).error().code, std::string("onnx.format"));
        std::ofstream(path) << std::string("\x42\x02\x10\x63", 4); // opset_import { version: 99 }
        QCOMPARE(readModel(path).error().code, std::string("onnx.opset"));
    }

    /// Models cut off anywhere, or with bytes changed: an error or a model, never anything else.
    void damagedFiles()
    {
        int refused = 0;
        for (const auto &entry : std::filesystem::directory_iterator("tests/fuzz/corpus/onnx")) {
            if (entry.path().stem() == "huge") // is a little less huge then, and takes long
                continue;
            const std::string bytes = bytesOf(entry.path().string());
            const auto attempt = [&](const std::string &damaged) {
                const auto read = readModelBytes(damaged, "");
                refused += read && importModel(*read) ? 0 : 1;
                const std::string wrong = tests::checkModel(damaged);
                QVERIFY2(wrong.empty(), (entry.path().string() + ": " + wrong).c_str());
            };
            for (std::size_t length = 0; length < bytes.size(); length += 3)
                attempt(bytes.substr(0, length));
            for (std::size_t i = 0; i < bytes.size(); ++i) {
                std::string changed = bytes;
                changed[i] = static_cast<char>(changed[i] ^ 0x15);
                attempt(changed);
            }
        }
        QVERIFY(refused > 500);
    }

    /// The same with several changes at random places. NESTWRIGHT_FUZZ_SEED and NESTWRIGHT_FUZZ_COUNT choose
    /// which.
    void randomlyDamagedFiles()
    {
        std::vector<std::string> corpus;
        for (const auto &entry : std::filesystem::directory_iterator("tests/fuzz/corpus/onnx")) {
            if (entry.path().stem() != "huge")
                corpus.push_back(bytesOf(entry.path().string()));
        }
        std::ranges::sort(corpus); // folders are listed in any order
        const int first = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED");
        bool given = false;
        const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COUNT", &given);
        for (int seed = first; seed < first + (given ? wanted : 2000); ++seed) {
            tests::Random random(static_cast<std::uint64_t>(seed));
            std::string bytes = random.pick(corpus);
            for (std::int64_t changes = random.between(1, 6); changes > 0 && !bytes.empty(); --changes)
                damage(random, bytes, random.pick(corpus));
            const std::string wrong = tests::checkModel(bytes);
            QVERIFY2(wrong.empty(), std::format("seed {}: {}", seed, wrong).c_str());
        }
    }

private:
    /// One change: a byte, a stretch left out or doubled, or one of `other` put in.
    static void damage(tests::Random &random, std::string &bytes, const std::string &other)
    {
        const auto place = [&](const std::string &text) {
            return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(text.size())));
        };
        const std::size_t at = place(bytes), length = static_cast<std::size_t>(random.between(1, 16));
        switch (random.below(5)) {
        case 0: bytes[at] = static_cast<char>(random.below(256)); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] + (random.chance(50) ? 1 : -1)); break;
        case 2: bytes.erase(at, length); break;
        case 3: bytes.insert(at, bytes.substr(place(bytes), length)); break;
        default: bytes.insert(at, other.substr(place(other), length)); break;
        }
    }
};

QTEST_GUILESS_MAIN(ImporterTest)
#include "importer_test.moc"
