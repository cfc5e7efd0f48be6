// SPDX-License-Identifier: Apache-2.0
// The nine light models of ONNX's test data, and the transformers of examples/models, against their expected
// outputs.
#include "core/frontend/onnx/importer.h"
#include "tests/core/graph/run_graph.h"

#include <filesystem>
#include <map>

using namespace nestwright;
using namespace nestwright::graph;
namespace fs = std::filesystem;

namespace {

const fs::path root = "/usr/share/libonnx-testdata/data/light";

/// The results of a model at a level of optimisation; `inputs` by name.
support::Result<std::vector<ir::NdArray>> outputsOf(const fs::path &path, int level,
                                                    const std::map<std::string, ir::NdArray> &inputs)
{
    const auto read = onnx::readModel(path.string());
    if (!read)
        return support::fail(read.error());
    auto imported = onnx::importModel(*read);
    if (!imported)
        return support::fail(imported.error());
    PassContext context;
    context.level = level;
    auto optimized = optimize(std::move(imported->function), context);
    if (!optimized)
        return support::fail(optimized.error());
    std::vector<ir::NdArray> ordered;
    for (const int place : optimized->function.inputs()) {
        const Node &node = optimized->function.at(place);
        if (const auto given = inputs.find(node.name); given != inputs.end()) {
            ordered.push_back(given->second);
            continue;
        }
        // The input that the light models' outputs were made with: each element's place divided by their
        // number.
        ir::NdArray input(node.types[0].dtype, *node.types[0].constantShape());
        for (std::int64_t i = 0; i < input.size(); ++i)
            input.set(i, static_cast<double>(i) / static_cast<double>(input.size()));
        ordered.push_back(std::move(input));
    }
    return tests::compiled(std::move(optimized->function), ordered);
}

void compareWith(const fs::path &expectedFile, const support::Result<std::vector<ir::NdArray>> &outputs)
{
    const auto expected = onnx::readTensor(expectedFile.string());
    QVERIFY2(expected, expected ? "" : expected.error().message.c_str());
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    const ir::Deviation worst = ir::compare(*expected, outputs->front(), 1e-3, 1e-5);
    QVERIFY2(
        worst.withinTolerance,
        std::format("element {} is {} instead of {}", worst.index, worst.actual, worst.expected).c_str());
}

} // namespace

class ModelsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void model_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("level");
        for (const char *name : {"bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50",
                                 "shufflenet", "squeezenet", "vgg19", "zfnet512"})
            QTest::addRow("%s, 3", name) << QString::fromLatin1(name) << 3;
        for (const int level :
             {0, 1, 2}) // all nine at every level take minutes; `nestc run-model` has them by hand
            QTest::addRow("squeezenet, %d", level) << QStringLiteral("squeezenet") << level;
    }
    void model()
    {
        QFETCH(QString, name);
        QFETCH(int, level);
        const std::string stem = "light_" + name.toStdString();
        if (!fs::exists(root))
            QSKIP("ONNX's test data (libonnx-testdata) are not installed");
        compareWith(root / (stem + "_output_0.pb"), outputsOf(root / (stem + ".onnx"), level, {}));
    }

    void transformer_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("inputs");
        QTest::addColumn<QString>("output");
        QTest::newRow("encoder") << QStringLiteral("transformer_encoder") << QStringList{QStringLiteral("x")}
                                 << QStringLiteral("y");
        QTest::newRow("decoder") << QStringLiteral("transformer_decoder")
                                 << QStringList{QStringLiteral("tokens"), QStringLiteral("memory")}
                                 << QStringLiteral("probabilities");
    }
    void transformer()
    {
        QFETCH(QString, name);
        QFETCH(QStringList, inputs);
        QFETCH(QString, output);
        const std::string stem = "examples/models/" + name.toStdString();
        std::map<std::string, ir::NdArray> arrays;
        for (const QString &input : inputs)
            arrays.emplace(input.toStdString(), *onnx::readTensor(stem + "_" + input.toStdString() + ".pb"));
        for (const int level : {0, 1, 2, 3})
            compareWith(stem + "_" + output.toStdString() + ".pb", outputsOf(stem + ".onnx", level, arrays));
    }
};

QTEST_GUILESS_MAIN(ModelsTest)
#include "models_test.moc"
