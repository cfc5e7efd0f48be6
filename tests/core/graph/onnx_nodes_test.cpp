// SPDX-License-Identifier: Apache-2.0
// ONNX's own node tests: every model with the inputs and outputs that come with it.
#include "core/graph/onnx/importer.h"
#include "tests/core/graph/run_graph.h"

#include <algorithm>
#include <filesystem>
#include <format>
#include <map>
#include <regex>
#include <set>

using namespace nestwright;
using namespace nestwright::graph;
namespace fs = std::filesystem;

namespace {

const char *const given = std::getenv("NESTWRIGHT_ONNX_FOLDER"); // other tests in the same form
const fs::path root = given ? given : "/usr/share/libonnx-testdata/data/node";

constexpr const char *wraps =
    "the data wrap around where the operator saturates, as in ONNX's later reference and ONNX Runtime";
/// Tests that fail, with the reason.
const std::map<std::string, std::string, std::less<>> known{
    {"test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True",
     "the data count what lies beyond the padding; ONNX's later reference and ONNX Runtime do not"},
    {"test_qlinearmatmul_2D_int8_float16", wraps},
    {"test_qlinearmatmul_2D_int8_float32", wraps},
    {"test_qlinearmatmul_3D_int8_float16", wraps},
    {"test_qlinearmatmul_3D_int8_float32", wraps},
};

/// Data of bfloat16 come as uint16 in some files.
void correctType(ir::NdArray &array, ir::DataType wanted)
{
    if (array.dtype() != ir::DataType::uint(16) || wanted != ir::DataType::bfloat16())
        return;
    ir::NdArray corrected(wanted, array.shape());
    std::ranges::copy(array.bytes(), corrected.bytes().begin());
    array = std::move(corrected);
}

/// The tensors NAME_0.pb, NAME_1.pb, … of a folder; an error for one that is none.
support::Result<std::vector<ir::NdArray>> tensorsOf(const fs::path &folder, const std::string &name)
{
    std::vector<ir::NdArray> tensors;
    for (int i = 0; fs::exists(folder / std::format("{}_{}.pb", name, i)); ++i) {
        auto tensor = onnx::readTensor((folder / std::format("{}_{}.pb", name, i)).string());
        if (!tensor)
            return support::fail(tensor.error());
        tensors.push_back(std::move(*tensor));
    }
    return tensors;
}

/// A value of the model that is no tensor of supported numbers: "sequence"; nothing where there is none.
std::string otherValue(const fs::path &model)
{
    const auto read = onnx::readModel(model.string());
    if (!read)
        return read.error().code == "onnx.tensor" ? read.error().message : std::string();
    for (const auto *values : {&read->inputs, &read->outputs}) {
        for (const onnx::OnnxValue &value : *values) {
            if (!value.otherType.empty())
                return value.otherType;
        }
    }
    return {};
}

support::Result<std::vector<ir::NdArray>> outputsOf(const fs::path &model, std::vector<ir::NdArray> &inputs,
                                                    std::vector<ir::NdArray> &expected, int level)
{
    const auto read = onnx::readModel(model.string());
    if (!read)
        return support::fail(read.error());
    for (std::size_t i = 0; i < std::min(read->inputs.size(), inputs.size()); ++i)
        correctType(inputs[i], read->inputs[i].dtype);
    for (std::size_t i = 0; i < std::min(read->outputs.size(), expected.size()); ++i)
        correctType(expected[i], read->outputs[i].dtype);
    onnx::ImportOptions options;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(read->inputs.size(), inputs.size()); ++i) {
        names.push_back(read->inputs[i].name);
        options.data.emplace(names.back(), std::make_shared<const ir::NdArray>(inputs[i]));
    }
    auto imported = onnx::importModel(*read, options);
    if (!imported)
        return support::fail(imported.error());
    if (const std::string wrong = verify(imported->function); !wrong.empty())
        return support::fail("test.verify", wrong);
    PassContext context;
    context.level = level;
    auto optimized = optimize(std::move(imported->function), context);
    if (!optimized)
        return support::fail(optimized.error());
    return tests::compiled(std::move(optimized->function), inputs);
}

/// The fault in `actual`; empty when there is none.
std::string difference(const ir::NdArray &expected, const ir::NdArray &actual)
{
    if (expected.dtype() != actual.dtype())
        return std::format("{} instead of {}", actual.dtype().str(), expected.dtype().str());
    if (expected.shape() != actual.shape())
        return "another shape";
    const double relative = expected.dtype().bits == 16 && expected.dtype().isFloating() ? 1e-2 : 1e-3;
    const ir::Deviation worst = ir::compare(expected, actual, relative, 1e-5);
    return worst.withinTolerance
               ? std::string()
               : std::format("element {} is {} instead of {}", worst.index, worst.actual, worst.expected);
}

} // namespace

class OnnxNodesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (!fs::exists(root))
            QSKIP("ONNX's test data (libonnx-testdata) are not installed");
    }

    void node_data()
    {
        QTest::addColumn<QString>("folder");
        const char *wanted = std::getenv("NESTWRIGHT_ONNX_TESTS"); // a regular expression
        std::set<std::string> names;
        for (const auto &entry : fs::directory_iterator(root))
            names.insert(entry.path().filename().string());
        for (const std::string &name : names) {
            if (!wanted || std::regex_search(name, std::regex(wanted)))
                QTest::newRow(name.c_str()) << QString::fromStdString((root / name).string());
        }
    }
    void node()
    {
        QFETCH(QString, folder);
        const fs::path data = folder.toStdString();
        if (const std::string other = otherValue(data / "model.onnx"); !other.empty())
            QSKIP(qPrintable("refused: " + QString::fromStdString(other)));
        for (int set = 0; fs::exists(data / std::format("test_data_set_{}", set)); ++set) {
            const fs::path files = data / std::format("test_data_set_{}", set);
            auto inputs = tensorsOf(files, "input"), expected = tensorsOf(files, "output");
            QVERIFY2(inputs && expected,
                     inputs && expected
                         ? ""
                         : qPrintable(QString::fromStdString((inputs ? expected : inputs).error().message)));
            for (const int level : {0, 3}) {
                const auto outputs = outputsOf(data / "model.onnx", *inputs, *expected, level);
                if (!outputs && outputs.error().code == "onnx.refused")
                    QSKIP(qPrintable("refused: " + QString::fromStdString(outputs.error().message)));
                QVERIFY2(outputs.has_value(),
                         outputs ? ""
                                 : qPrintable(QString::fromStdString(outputs.error().code + ": "
                                                                     + outputs.error().message)));
                for (std::size_t i = 0; i < std::min(expected->size(), outputs->size()); ++i) {
                    const std::string wrong = difference((*expected)[i], (*outputs)[i]);
                    if (const auto reason = known.find(data.filename().string());
                        !wrong.empty() && reason != known.end())
                        QEXPECT_FAIL("", reason->second.c_str(), Abort);
                    QVERIFY2(wrong.empty(), std::format("at level {}: {}", level, wrong).c_str());
                }
            }
        }
    }
};

QTEST_GUILESS_MAIN(OnnxNodesTest)
#include "onnx_nodes_test.moc"
