// SPDX-License-Identifier: Apache-2.0
/// Weights that a model keeps in a file beside it: where they begin, how long they are.
#include "core/frontend/onnx/file/model.h"
#include "tests/support/onnx_bytes.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <numeric>

using namespace nestwright;
using namespace nestwright::tests::onnx;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The weight of a model beside which "data.bin" has the numbers 0, 1, 2 and 3, or the refusal.
QString weightOf(Settings settings, const Sizes &shape = {2}, const std::string &location = "data.bin")
{
    const QTemporaryDir folder;
    const std::vector<float> numbers{0, 1, 2, 3};
    std::ofstream(folder.filePath("data.bin").toStdString(), std::ios::binary)
        .write(reinterpret_cast<const char *>(numbers.data()), 16);
    if (!location.empty())
        settings.emplace_back("location", location);
    const auto read = graph::onnx::readModelBytes(model(node("Add", {"x", "w"}, {"y"})
                                                        + externalWeight("w", shape, settings)
                                                        + input("x", shape) + output("y")),
                                                  folder.path().toStdString());
    if (!read)
        return QString::fromStdString(read.error().message);
    const ir::NdArray &weight = *read->initializers.at("w").data;
    QStringList values;
    for (std::int64_t i = 0; i < weight.size(); ++i)
        values << QString::number(weight.at(i));
    return values.join(u' ');
}

} // namespace

class ExternalDataTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void weightsBeginAtTheirOffset()
    {
        QCOMPARE(weightOf({}), "0 1");
        QCOMPARE(weightOf({{"offset", "0"}}), "0 1");
        QCOMPARE(weightOf({{"offset", "4"}}), "1 2");
        QCOMPARE(weightOf({{"offset", "8"}, {"length", "8"}}), "2 3");
        QCOMPARE(weightOf({{"offset", ""}}), "0 1");
    }

    void theFileMustReachToTheirEnd()
    {
        const auto early = [](const char *offset) {
            return QString(
                       "the data of the tensor \"w\": \"data.bin\" ends too early: it has 16 bytes, 8 from "
                       "%1 on are needed")
                .arg(offset);
        };
        for (const char *offset : {"9", "16", "17", "9000000000"})
            QCOMPARE(weightOf({{"offset", offset}}), early(offset));
        QCOMPARE(weightOf({}, {4}), "0 1 2 3");
        QVERIFY(weightOf({}, {5}).contains("it has 16 bytes, 20 from 0 on are needed"));
    }

    void theLengthIsThatOfTheShape()
    {
        QCOMPARE(weightOf({{"length", "4"}}),
                 "the data of the tensor \"w\": 4 bytes are given, its shape needs 8");
        QCOMPARE(weightOf({{"length", "0"}}),
                 "the data of the tensor \"w\": 0 bytes are given, its shape needs 8");
    }

    void settingsAreWholeNumbers()
    {
        for (const char *wrong : {"-1", "4x", "x", "0.5", " 4"})
            QVERIFY2(weightOf({{"offset", wrong}})
                         .contains(QString("has external data whose offset is \"%1\"").arg(wrong)),
                     wrong);
        QVERIFY(weightOf({{"length", "-8"}}).contains("has external data whose length is \"-8\""));
    }

    /// Weights of many bytes stay in their file: those behind each other there are so in memory, unless they
    /// lie as no kernel reads them.
    void manyBytesStayInTheFile()
    {
        const QTemporaryDir folder;
        const std::int64_t count = 1 << 14;
        std::vector<float> numbers(static_cast<std::size_t>(3 * count));
        std::iota(numbers.begin(), numbers.end(), 0.0F);
        std::ofstream(folder.filePath("data.bin").toStdString(), std::ios::binary)
            .write(reinterpret_cast<const char *>(numbers.data()),
                   static_cast<std::streamsize>(numbers.size() * sizeof(float)));
        const auto weight = [&](const char *name, std::int64_t first) {
            return externalWeight(name, {count},
                                  {{"location", "data.bin"}, {"offset", std::to_string(first * 4)}});
        };
        const auto read = graph::onnx::readModelBytes(
            model(node("Sum", {"x", "v", "w", "u"}, {"y"}) + weight("v", 0) + weight("w", count)
                  + weight("u", count + 1) + input("x", {count}) + output("y")),
            folder.path().toStdString());
        QVERIFY(read);
        const auto data = [&](const char *name) -> const ir::NdArray & {
            return *read->initializers.at(name).data;
        };
        QCOMPARE(data("w").data<float>() - data("v").data<float>(), count);
        QCOMPARE(data("w").at(1), static_cast<double>(count + 1));
        QCOMPARE(data("u").at(0), static_cast<double>(count + 1));
        QVERIFY(data("u").data<float>() != data("w").data<float>() + 1);
    }

    void theFileLiesBesideTheModel()
    {
        QVERIFY(weightOf({}, {2}, "none.bin").startsWith("the data of the tensor \"w\": "));
        QVERIFY(weightOf({}, {2}, "../data.bin").startsWith("the data of the tensor \"w\": "));
        QVERIFY(weightOf({}, {2}, "").startsWith("the data of the tensor \"w\": "));
    }
};

QTEST_GUILESS_MAIN(ExternalDataTest)
#include "external_data_test.moc"
