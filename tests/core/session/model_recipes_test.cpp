// SPDX-License-Identifier: Apache-2.0
// Recipes for the forms in which layers of models open: convolutions in blocks of channels and by minimal
// filtering, products with a packed operand. Each fits its kernels, whose results stay right.
#include "core/session/model/like_kernels.h"
#include "core/session/reuse/recipe.h"
#include "tests/support/onnx_bytes.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace nestwright;
using namespace nestwright::session;
namespace onnx = nestwright::tests::onnx;

namespace {

/// A weight of small numbers.
std::string weightOf(std::string_view name, const onnx::Sizes &shape)
{
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i * 7 % 23) / 64 - 0.15F;
    return onnx::field(5, onnx::tensor(name, shape, onnx::Float,
                                       {reinterpret_cast<const char *>(values.data()), values.size() * 4}));
}

std::string convolution(const std::string &from, const std::string &to, std::int64_t channels,
                        std::int64_t filters, std::int64_t size, std::int64_t stride)
{
    const std::int64_t pad = size / 2;
    return onnx::node("Conv", {from, to + "_w", to + "_b"}, {to + "_c"},
                      onnx::integers("kernel_shape", {size, size})
                          + onnx::integers("strides", {stride, stride})
                          + onnx::integers("pads", {pad, pad, pad, pad}))
           + onnx::node("Relu", {to + "_c"}, {to}) + weightOf(to + "_w", {filters, channels, size, size})
           + weightOf(to + "_b", {filters});
}

/// Of filters of 3 × 3 one reads a single block of channels, the image of one is no multiple of its tiles,
/// and that of one is transformed in parts of four rows of tiles.
std::string layers()
{
    return onnx::model(
        convolution("x", "first", 16, 64, 3, 1) + onnx::output("first")
        + convolution("odd", "last", 32, 64, 3, 1) + onnx::input("odd", {1, 32, 13, 13})
        + onnx::output("last") + convolution("large", "parts", 16, 32, 3, 1)
        + onnx::input("large", {1, 16, 112, 112}) + onnx::output("parts")
        + convolution("x", "wide", 16, 64, 1, 1) + convolution("wide", "filtered", 64, 64, 3, 1)
        + convolution("filtered", "halved", 64, 32, 3, 2) + onnx::node("Flatten", {"halved"}, {"flat"})
        + onnx::node("MatMul", {"flat", "m"}, {"y"}) + weightOf("m", {32 * 14 * 14, 64})
        + onnx::input("x", {1, 16, 28, 28}) + onnx::output("y"));
}

} // namespace

class ModelRecipesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<const Model> m_model;

private Q_SLOTS:
    void initTestCase()
    {
        QFile file(m_folder.filePath("layers.onnx"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const std::string bytes = layers();
        file.write(bytes.data(), static_cast<qint64>(bytes.size()));
        file.close();
        auto model = openModel(m_folder.filePath("layers.onnx").toStdString(), {});
        if (!model && model.error().code == "model.not-built")
            QSKIP("built without the reader for ONNX");
        if (!model)
            qFatal("%s", model.error().render().c_str());
        m_model = std::make_shared<const Model>(*std::move(model));
    }

    void fits_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("kernels");
        QTest::newRow("blocks") << "conv2d_blocked" << "blocked_conv";
        QTest::newRow("minimal filtering") << "conv2d_winograd" << "winograd_conv";
        QTest::newRow("one row of tiles") << "conv2d_winograd:rows=1,blocks=1,width=3" << "winograd_conv";
        QTest::newRow("narrow tiles") << "conv2d_blocked:blocks=1,columns=3" << "blocked_conv";
        QTest::newRow("panels") << "gemm_packed" << "packed_matmul";
    }

    void fits()
    {
        QFETCH(QString, recipe);
        QFETCH(QString, kernels);
        const Recipe found = findRecipe(recipe.toStdString()).value();
        LikeKernelsRequest wanted{
            .model = m_model,
            .schedule = {.name = found.name,
                         .run = [found](const schedule::State &state) { return runRecipe(state, found); },
                         .text = found.text},
            .now = {},
            .target = *target::parseTarget("llvm")};
        wanted.repetitions = 2;
        wanted.secondsPerRepetition = 0.001;
        measure::Measurer measurer;
        const auto result = measureLikeKernels(wanted, measurer, [](const LikeKernels &, double) {});
        QVERIFY2(result, result ? "" : result.error().render().c_str());
        int fitting = 0;
        for (const LikeKernel &kernel : result->kernels) {
            const bool isOfKind = kernel.name.starts_with(kernels.toStdString());
            if (!isOfKind)
                continue;
            QVERIFY2(kernel.run, kernel.cell.why ? kernel.cell.why->message.c_str() : "");
            QVERIFY2(kernel.cell.scheduled && kernel.cell.scheduled->isVerified(), kernel.name.c_str());
            ++fitting;
        }
        QVERIFY(fitting > 0);
    }
};

QTEST_GUILESS_MAIN(ModelRecipesTest)
#include "model_recipes_test.moc"
