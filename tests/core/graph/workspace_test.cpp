// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/compile.h"
#include "core/graph/program/export_model.h"
#include "core/graph/program/workspace.h"
#include "core/script/tvmscript/parser.h"
#include "tests/core/graph/run_graph.h"

using namespace nestwright;
using namespace nestwright::graph;

namespace {

ir::Module parse(const char *text)
{
    auto module = script::parseTvmScript(text, "test.py");
    if (!module)
        qFatal("%s", module.error().render().c_str());
    return std::move(*module);
}

/// A convolution with padding, and the sum of its results: the padded image is shared by two loop nests.
Function network()
{
    Builder b;
    TensorType image{{}, ir::DataType::float32()};
    for (const std::int64_t size : {1, 16, 14, 14})
        image.shape.emplace_back(size);
    const Value x = b.input("x", image);
    ir::NdArray weights(ir::DataType::float32(), {32, 16, 3, 3});
    weights.fillRandom(4);
    const std::vector<std::int64_t> padding{1, 1, 1, 1};
    Value y = b.call("nn.conv", {x, b.constant(std::move(weights))}, {{"padding", padding}});
    y = b.call("nn.relu", {y});
    return b.finish({y}, {"y"});
}

} // namespace

class WorkspaceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void buffersOfTwoNestsBecomeParameters()
    {
        const KernelWithWorkspace kernel = withWorkspace(parse(R"(
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.Buffer((8, 4), "float32"), b: T.Buffer((8, 4), "float32")):
        shared = T.alloc_buffer((8, 4))
        own = T.alloc_buffer((8, 4))
        for i, j in T.grid(8, 4):
            with T.block("first"):
                u, v = T.axis.remap("SS", [i, j])
                shared[u, v] = a[u, v] + T.float32(1)
        for i in range(8):
            for j in range(4):
                with T.block("second"):
                    u, v = T.axis.remap("SS", [i, j])
                    own[u, v] = shared[u, v] * T.float32(2)
            for j in range(4):
                with T.block("third"):
                    u, v = T.axis.remap("SS", [i, j])
                    b[u, v] = own[u, v] + shared[u, v]
)"));
        QCOMPARE(kernel.bytes, (std::vector<std::int64_t>{std::int64_t{8} * 4 * 4}));
        const ir::PrimFunc &function = *kernel.module.mainEntry()->function;
        QCOMPARE(function.params.size(), std::size_t{3});
        QCOMPARE(function.params.back().buffer.name(), std::string("shared"));
        QCOMPARE(function.root()->allocBuffers.size(), std::size_t{1}); // lowering makes it a row
        QCOMPARE(function.root()->allocBuffers.front().name(), std::string("own"));
    }

    void otherScopesAndASingleNestStay()
    {
        const ir::Module module = parse(R"(
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.Buffer((8,), "float32"), b: T.Buffer((8,), "float32")):
        near = T.alloc_buffer((8,), scope="local")
        for i in range(8):
            with T.block("first"):
                u = T.axis.spatial(8, i)
                near[u] = a[u]
        for i in range(8):
            with T.block("second"):
                u = T.axis.spatial(8, i)
                b[u] = near[u]
)");
        const KernelWithWorkspace kernel = withWorkspace(module);
        QVERIFY(kernel.bytes.empty());
        QVERIFY(kernel.module.same(module));
    }

    void aModelIsGivenRoomForAll()
    {
        auto program = makeProgram(network());
        QVERIFY(program.has_value());
        const auto modules = scheduleKernels(*program);
        QVERIFY(modules.has_value());
        const std::int64_t before = program->memory.resultBytes;
        const auto padded =
            std::ranges::find_if(program->kernels, [](const Kernel &k) { return !k.workspace.empty(); });
        QVERIFY(padded != program->kernels.end());
        QVERIFY(program->memory.bytes >= before + std::int64_t{16} * 16 * 16 * 4);
        for (const Kernel &kernel : program->kernels) {
            for (const std::int64_t place : kernel.workspace)
                QVERIFY(place >= before && place % 64 == 0 && place < program->memory.bytes);
        }
    }

    void exportedSourcesTakeNoMemoryWhenTheyRun()
    {
        auto program = makeProgram(network());
        QVERIFY(program.has_value());
        const auto files = exportModel(*program, {}, "c", "model");
        QVERIFY2(files.has_value(), files ? "" : files.error().message.c_str());
        int kernels = 0;
        for (const backend::ExportFile &file : *files) {
            if (file.name != "model_kernels.c")
                continue;
            ++kernels;
            QVERIFY(!file.bytes.contains("malloc("));
        }
        QCOMPARE(kernels, 1);
    }
};

QTEST_GUILESS_MAIN(WorkspaceTest)
#include "workspace_test.moc"
