// SPDX-License-Identifier: Apache-2.0
// The nine light models of ONNX's test data against their expected outputs.
#include "core/graph/onnx/importer.h"
#include "tests/core/graph/run_graph.h"

#include <filesystem>

using namespace nestwright;
using namespace nestwright::graph;
namespace fs = std::filesystem;

namespace {
const fs::path root = "/usr/share/libonnx-testdata/data/light";
}

class LightModelsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (!fs::exists(root))
            QSKIP("ONNX's test data (libonnx-testdata) are not installed");
    }

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
        const auto read = onnx::readModel((root / (stem + ".onnx")).string());
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        auto imported = onnx::importModel(*read);
        QVERIFY2(imported, imported ? "" : imported.error().message.c_str());
        PassContext context;
        context.level = level;
        auto optimized = optimize(std::move(imported->function), context);
        QVERIFY2(optimized, optimized ? "" : optimized.error().message.c_str());
        // The input these outputs were made with: each element's place divided by their number.
        const Function &function = optimized->function;
        const std::vector<std::int64_t> shape = *function.at(function.inputs()[0]).types[0].constantShape();
        ir::NdArray input(ir::DataType::float32(), shape);
        for (std::int64_t i = 0; i < input.size(); ++i)
            input.set(i, static_cast<double>(i) / static_cast<double>(input.size()));
        const auto expected = onnx::readTensor((root / (stem + "_output_0.pb")).string());
        QVERIFY2(expected, expected ? "" : expected.error().message.c_str());
        const auto outputs = tests::compiled(std::move(optimized->function), {input});
        QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
        const ir::Deviation worst = ir::compare(*expected, outputs->front(), 1e-3, 1e-5);
        QVERIFY2(
            worst.withinTolerance,
            std::format("element {} is {} instead of {}", worst.index, worst.actual, worst.expected).c_str());
    }
};

QTEST_GUILESS_MAIN(LightModelsTest)
#include "light_models_test.moc"
