// SPDX-License-Identifier: Apache-2.0
// ONNX's own node tests: every model with the inputs and outputs that come with it, and as it would be if its
// attributes of their usual values were written.
#include "core/frontend/onnx/importer.h"
#include "tests/core/graph/default_attributes.h"
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

/// Values of files NAME_0.pb, NAME_1.pb, … of a folder, as inputs or outputs declare them: tensors, several
/// of a sequence, none where an optional value is missing.
using FileValue = std::optional<std::vector<ir::NdArray>>;
support::Result<std::vector<FileValue>> valuesOf(const fs::path &folder, const std::string &name,
                                                 const std::vector<onnx::OnnxValue> &declared)
{
    std::vector<FileValue> values;
    for (std::size_t i = 0; i < declared.size() && fs::exists(folder / std::format("{}_{}.pb", name, i));
         ++i) {
        auto value = onnx::readValue((folder / std::format("{}_{}.pb", name, i)).string(), declared[i]);
        if (!value)
            return support::fail(value.error());
        if (*value)
            std::ranges::for_each(**value,
                                  [&](ir::NdArray &tensor) { correctType(tensor, declared[i].dtype); });
        values.push_back(std::move(*value));
    }
    return values;
}

/// A value of the model that is no tensor of supported numbers: "map"; nothing where there is none.
std::string otherValue(const onnx::OnnxModel &model)
{
    for (const auto *values : {&model.inputs, &model.outputs}) {
        for (const onnx::OnnxValue &value : *values) {
            if (!value.otherType.empty())
                return value.otherType;
        }
    }
    return {};
}

/// An importing of the model for these inputs.
support::Result<onnx::Imported> importedFor(const onnx::OnnxModel &model,
                                            const std::vector<FileValue> &inputs)
{
    onnx::ImportOptions options;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const onnx::OnnxValue &input = model.inputs[i];
        if (inputs[i] && input.isSequence)
            options.sequences[input.name] = {};
        for (const ir::NdArray &tensor : inputs[i] ? *inputs[i] : FileValue::value_type()) {
            Data data = std::make_shared<const ir::NdArray>(tensor);
            if (input.isSequence)
                options.sequences[input.name].push_back(std::move(data));
            else
                options.data.emplace(input.name, std::move(data));
        }
    }
    return onnx::importModel(model, options);
}

/// The model's outputs for these inputs, as it declares them.
support::Result<std::vector<FileValue>> outputsOf(const onnx::OnnxModel &model,
                                                  const std::vector<FileValue> &inputs, int level)
{
    auto imported = importedFor(model, inputs);
    if (!imported)
        return support::fail(imported.error());
    if (const std::string wrong = verify(imported->function); !wrong.empty())
        return support::fail("test.verify", wrong);
    PassContext context;
    context.level = level;
    auto optimized = optimize(std::move(imported->function), context);
    if (!optimized)
        return support::fail(optimized.error());
    std::vector<ir::NdArray> arrays;
    for (const FileValue &input : inputs) {
        if (input)
            arrays.insert(arrays.end(), input->begin(), input->end());
    }
    const Function function = optimized->function;
    auto results = tests::compiled(std::move(optimized->function), arrays);
    if (!results)
        return support::fail(results.error());
    cutLateOutputs(function, imported->lateOutputs, *results);
    std::vector<FileValue> outputs;
    std::size_t next = 0;
    for (const onnx::OnnxValue &output : model.outputs) {
        const auto sequence = imported->sequences.find(output.name);
        const bool isTensor = sequence == imported->sequences.end();
        outputs.emplace_back();
        if (!isTensor && sequence->second.isMissing)
            continue;
        outputs.back().emplace();
        for (std::size_t i = 0; i < (isTensor ? 1 : sequence->second.tensors.size()); ++i)
            outputs.back()->push_back(std::move(results->at(next++)));
    }
    return outputs;
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

std::string difference(const FileValue &expected, const FileValue &actual)
{
    if (expected.has_value() != actual.has_value())
        return actual ? "it is not missing" : "it is missing";
    if (!expected)
        return {};
    if (expected->size() != actual->size())
        return std::format("{} tensors instead of {}", actual->size(), expected->size());
    for (std::size_t i = 0; i < expected->size(); ++i) {
        if (std::string wrong = difference((*expected)[i], (*actual)[i]); !wrong.empty())
            return wrong;
    }
    return {};
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

    void node_data() { addFolders(); }
    void node()
    {
        QFETCH(QString, folder);
        const fs::path data = folder.toStdString();
        const auto model = onnx::readModel((data / "model.onnx").string());
        if (!model && model.error().code == "onnx.tensor")
            QSKIP(qPrintable("refused: " + QString::fromStdString(model.error().message)));
        QVERIFY2(model, model ? "" : qPrintable(QString::fromStdString(model.error().message)));
        if (const std::string other = otherValue(*model); !other.empty())
            QSKIP(qPrintable("refused: " + QString::fromStdString(other)));
        for (int set = 0; fs::exists(data / std::format("test_data_set_{}", set)); ++set) {
            const fs::path files = data / std::format("test_data_set_{}", set);
            const auto inputs = valuesOf(files, "input", model->inputs),
                       expected = valuesOf(files, "output", model->outputs);
            QVERIFY2(inputs && expected,
                     inputs && expected
                         ? ""
                         : qPrintable(QString::fromStdString((inputs ? expected : inputs).error().message)));
            for (const int level : {0, 3}) {
                const auto outputs = outputsOf(*model, *inputs, level);
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

    /// Exporters write attributes that have their usual value, and some leave none out.
    void defaultsMayBeWritten_data() { addFolders(); }
    void defaultsMayBeWritten()
    {
        QFETCH(QString, folder);
        const fs::path data = folder.toStdString();
        const auto model = onnx::readModel((data / "model.onnx").string());
        if (!model)
            return;
        const auto inputs = valuesOf(data / "test_data_set_0", "input", model->inputs);
        if (!inputs)
            return;
        if (const auto plain = importedFor(*model, *inputs))
            QCOMPARE(tests::changeByDefaults(*plain, importedFor(tests::withDefaults(*model), *inputs)), "");
    }

private:
    static void addFolders()
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
};

QTEST_GUILESS_MAIN(OnnxNodesTest)
#include "onnx_nodes_test.moc"
