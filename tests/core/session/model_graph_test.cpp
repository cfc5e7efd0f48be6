// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/model_graph.h"
#include "core/session/model/model.h"
#include "core/support/files/mapped_file.h"
#include "tests/support/onnx_bytes.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <fstream>

using namespace nestwright;
using namespace nestwright::frontend;
using namespace nestwright::session;
namespace onnx = nestwright::tests::onnx;

namespace {

/// A product "p" and its softmax, the output "q", of sizes "batch" and "length".
const std::string modelFile = "examples/models/two_sizes.onnx";
const ModelSettings settings{.sizes = {{"batch", 3}, {"length", 5}}};
using Names = std::vector<std::string>;

} // namespace

class ModelGraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesOfKernelsInModels()
    {
        using Parts = std::pair<std::string, std::string>;
        QVERIFY(kernelOfModel("a/b.onnx#conv_1") == Parts("a/b.onnx", "conv_1"));
        QVERIFY(kernelOfModel("a.onnx#b.onnx#c") == Parts("a.onnx#b.onnx", "c"));
        QVERIFY(!kernelOfModel("a.onnx"));
        QVERIFY(!kernelOfModel("a.py#conv_1"));
    }

    void initTestCase()
    {
        const auto opened = openGraph(modelFile, settings);
        if (!opened && opened.error().code == "model.not-built")
            QSKIP("built without the reader for ONNX");
        QVERIFY2(opened.has_value(), opened ? "" : opened.error().render().c_str());
        QCOMPARE(opened->outputs, Names{"q"});
        QCOMPARE(opened->function.outputNames, Names{"q"});
        QVERIFY(opened->records.empty());
    }

    void sizesThatAreOpenAreNamed()
    {
        const auto refused = openGraph(modelFile, {.sizes = {{"batch", 3}}});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("model.open-sizes"));
        QCOMPARE(refused.error().locations.size(), std::size_t{1});
        QCOMPARE(refused.error().locations[0].label, std::string("length"));
        const auto open = openGraph(modelFile, {}, {.leavesSizesOpen = true});
        QVERIFY(open.has_value());
        QVERIFY(!open->function.typeOf(open->function.outputs[0]).constantShape());
    }

    void fetchedNodesBecomeOutputs()
    {
        const auto one = openGraph(modelFile, settings, {.fetched = {"p"}});
        QVERIFY(one.has_value());
        QCOMPARE(one->function.outputNames, (Names{"q", "p"}));
        QCOMPARE(one->outputs, Names{"q"});
        // All in the order of the graph: nodes computed first come first, with the value that has their name.
        const auto all = openGraph(modelFile, settings, {.fetchesAll = true});
        QVERIFY(all.has_value());
        QCOMPARE(all->function.outputNames, (Names{"p", "q"}));
        QVERIFY(all->function.outputs[0] < all->function.outputs[1]);
        QCOMPARE(all->outputs, Names{"q"});
    }

    /// Under the name of its node a value comes before the output that it is too.
    void outputsComeBehindTheirNode()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("relu.onnx").toStdString();
        std::ofstream(path, std::ios::binary)
            << onnx::model(onnx::node("Relu", {"x"}, {"y"}, onnx::field(3, "act"))
                           + onnx::node("Neg", {"y"}, {"z"}, onnx::field(3, "turn")) + onnx::input("x", {4})
                           + onnx::output("z") + onnx::output("y"));
        const auto all = openGraph(path, {}, {.fetchesAll = true});
        QVERIFY2(all.has_value(), all ? "" : all.error().render().c_str());
        QCOMPARE(all->function.outputNames, (Names{"act", "y", "turn", "z"}));
        QCOMPARE(all->outputs, (Names{"z", "y"}));
    }

    /// An opened model has no more to do with its file, not even its graphs between passes.
    void weightsOfAFileThatIsWrittenAnew()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("large.onnx").toStdString();
        constexpr std::int64_t count = 10'000;
        std::ofstream(path, std::ios::binary)
            << onnx::model(onnx::node("Add", {"x", "w"}, {"y"}) + onnx::weight("w", onnx::Sizes(count, 5))
                           + onnx::input("x", {count}, onnx::Int64) + onnx::output("y"));
        const auto opened = openGraph(path, {}, {.keepRecords = true});
        QVERIFY2(opened.has_value(), opened ? "" : opened.error().render().c_str());
        std::ofstream(path, std::ios::binary) << "something else";
        QVERIFY(support::mappedFiles().empty());
        std::vector<const graph::Function *> graphs{&opened->function};
        for (const graph::GraphPassRecord &record : opened->records)
            graphs.push_back(&record.after);
        QVERIFY(graphs.size() > 1);
        for (const graph::Function *each : graphs) {
            const auto weight = std::ranges::find(each->nodes, "w", &graph::Node::name);
            QVERIFY(weight != each->nodes.end());
            QCOMPARE(weight->data->at(count - 1), 5.0);
        }
    }

    void unknownNamesAreRefused()
    {
        const auto output = openGraph(modelFile, settings, {.fetched = {"r"}});
        QVERIFY(!output);
        QCOMPARE(output.error().code, std::string("model.output"));
        const auto input = openGraph(modelFile, settings, {.data = {{"z", nullptr}}});
        QVERIFY(!input);
        QCOMPARE(input.error().code, std::string("model.input"));
        QVERIFY(input.error().message.ends_with("it has x, y"));
        const auto pass = openGraph(modelFile, {.sizes = settings.sizes, .disabled = {"fuse"}});
        QVERIFY(!pass);
        QCOMPARE(pass.error().code, std::string("graph.unknown-pass"));
    }

    void recordsAreKeptWhereTheyAreWanted()
    {
        const auto opened =
            openGraph(modelFile, {.sizes = settings.sizes, .level = 1}, {.keepRecords = true});
        QVERIFY(opened.has_value());
        QCOMPARE(opened->records.size(), std::size_t{2});
        QCOMPARE(opened->records.back().name, std::string("fuse-ops"));
    }
};

QTEST_GUILESS_MAIN(ModelGraphTest)
#include "model_graph_test.moc"
