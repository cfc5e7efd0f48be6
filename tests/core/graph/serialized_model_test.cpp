// SPDX-License-Identifier: Apache-2.0
/// Models apart from the data of their weights, which are read where they lie.
#include "core/frontend/onnx/file/model.h"
#include "core/frontend/onnx/file/serialized_model.h"
#include "core/frontend/onnx/importer.h"
#include "core/graph/program/weight_files.h"
#include "tests/support/onnx_bytes.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>

using namespace nestwright;
using namespace nestwright::tests::onnx;
using graph::onnx::withoutRawData;

namespace {

std::string textOf(const graph::onnx::RawData &data)
{
    return data ? std::string(reinterpret_cast<const char *>(data->data()), data->size()) : "none";
}

/// Values of the weight "w" of a model, or the refusal.
QString weightOf(const std::string &bytes)
{
    const auto read = graph::onnx::readModelBytes(bytes, "");
    if (!read)
        return QString::fromStdString(read.error().message);
    const ir::NdArray &weight = *read->initializers.at("w").data;
    QStringList values;
    for (std::int64_t i = 0; i < weight.size(); ++i)
        values << QString::number(weight.at(i));
    return values.join(u' ');
}

const std::string rest = node("Add", {"x", "w"}, {"y"}) + input("x", {2}) + output("y");

} // namespace

class SerializedModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rawDataStayWhereTheyAre()
    {
        const std::string first = field(5, tensor("a", {4}, Int8, "abcd")),
                          second = field(5, tensor("b", {0}, Int8, {}));
        const std::string bytes = model(rest + first + second, field(2, "maker"));
        const auto made = withoutRawData(bytes);
        QVERIFY(made);
        QCOMPARE(made->rawData.size(), 2U);
        QCOMPARE(textOf(made->rawData[0]), "abcd");
        QCOMPARE(textOf(made->rawData[1]), "none");
        const auto *begin = reinterpret_cast<const std::byte *>(bytes.data());
        QVERIFY(made->rawData[0]->data() > begin && made->rawData[0]->data() < begin + bytes.size());
        // The rest is the same, in the same order.
        QCOMPARE(made->message,
                 model(rest + field(5, tensor("a", {4}, Int8, {})) + second, field(2, "maker")));
    }

    /// Forms that the encoding allows, though few write them.
    void messagesInPieces()
    {
        const std::string five(reinterpret_cast<const char *>(Sizes{5, 6}.data()), 16);
        const std::string seven(reinterpret_cast<const char *>(Sizes{7, 8}.data()), 16);
        // Two graphs are one; of two raw data the last counts; a number in the place of raw data is unknown.
        QCOMPARE(weightOf(model(rest, field(7, field(5, tensor("w", {2}, Int64, five))))), "5 6");
        QCOMPARE(weightOf(model(rest + field(5, tensor("w", {2}, Int64, five) + field(9, seven)))), "7 8");
        QCOMPARE(weightOf(model(rest + field(5, tensor("w", {2}, Int64, five) + field(9, std::int64_t{3})))),
                 "5 6");
        // Numbers in their own field.
        QCOMPARE(weightOf(model(rest
                                + field(5, tensor("w", {2}, Int64, {}) + field(7, std::int64_t{9})
                                               + field(7, std::int64_t{4})))),
                 "9 4");
        // Fields of other kinds are passed over.
        const std::string fixed =
            varint(99 << 3 | 1) + std::string(8, 'x') + varint(99 << 3 | 5) + std::string(4, 'x');
        QCOMPARE(weightOf(model(fixed + rest + field(5, fixed + tensor("w", {2}, Int64, seven)), fixed)),
                 "7 8");
    }

    void whatIsNoMessage()
    {
        const std::string bytes = model(rest + field(5, tensor("w", {4}, Int8, "abcd")));
        for (std::size_t length = 1; length < bytes.size(); ++length) {
            if (const auto made = withoutRawData(std::string_view(bytes).substr(0, length)))
                QVERIFY(made->rawData.empty()); // cut off between two fields
        }
        QVERIFY(!withoutRawData(bytes + varint(99 << 3 | 3) + varint(99 << 3 | 4))); // a group
        QVERIFY(withoutRawData("")->message.empty());
        // A tensor that is cut off within a model that is not.
        QCOMPARE(weightOf(model(rest + field(5, tensor("w", {4}, Int8, "abcd").substr(0, 12)))),
                 "\"model\" is no ONNX model, or is cut off");
    }

    void wrongSizesNameTheTensor()
    {
        QCOMPARE(weightOf(model(rest + field(5, tensor("w", {3}, Int8, "abcd")))),
                 "the tensor \"w\" has a shape of 3 elements, but holds 4");
    }

    /// Large weights are read from the file when somebody asks for them; whether it was changed until then is
    /// known.
    void largeWeightsAreReadLater()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("large.onnx").toStdString();
        const std::string bytes =
            model(node("Sum", {"x", "v", "w"}, {"y"}) + weight("v", {5}) + weight("w", Sizes(10'000, 5))
                  + input("x", {1}, Int64) + output("y"));
        std::ofstream(path, std::ios::binary) << bytes;
        auto read = graph::onnx::readModel(path);
        QVERIFY(read);
        const auto imported = graph::onnx::importModel(*read, {});
        QVERIFY2(imported, imported ? "" : imported.error().render().c_str());
        const graph::WeightFiles files(imported->function);
        QVERIFY(files.check());
        std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(bytes.rfind(std::string("\5\0\0\0\0\0\0\0", 8)))); // the last
        file.put(6).flush();
        QCOMPARE(read->initializers.at("v").data->at(0), 5.0);
        const graph::Data large = read->initializers.at("w").data;
        QCOMPARE(large->at(9'998), 5.0);
        QCOMPARE(large->at(9'999), 6.0);
        const auto changed = files.check();
        QVERIFY(!changed);
        QCOMPARE(changed.error().code, std::string("graph.weights"));
        QVERIFY(changed.error().message.contains(path));
        QVERIFY(graph::WeightFiles(imported->function).check()); // nothing lies there any more
    }

    /// Where the file is cut off before somebody asked, zeros are read.
    void largeWeightsOfAFileCutOff()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("cut.onnx").toStdString();
        std::ofstream(path, std::ios::binary) << model(rest + weight("w", Sizes(100'000, 5)));
        const auto read = graph::onnx::readModel(path);
        QVERIFY(read);
        std::filesystem::resize_file(path, 4096);
        QCOMPARE(read->initializers.at("w").data->at(99'999), 0.0);
    }

    void manyWeightsOfAFile()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("many.onnx").toStdString();
        std::string weights;
        for (std::int64_t i = 0; i < 300; ++i)
            weights += weight("w" + std::to_string(i), Sizes(100, i));
        std::ofstream(path, std::ios::binary) << model(rest + weights);
        const auto read = graph::onnx::readModel(path);
        QVERIFY(read);
        QCOMPARE(read->initializers.size(), 300U);
        for (std::int64_t i = 0; i < 300; ++i) {
            const ir::NdArray &data = *read->initializers.at("w" + std::to_string(i)).data;
            QCOMPARE(data.size(), 100);
            QCOMPARE(data.at(99), static_cast<double>(i));
        }
    }
};

QTEST_GUILESS_MAIN(SerializedModelTest)
#include "serialized_model_test.moc"
