// SPDX-License-Identifier: Apache-2.0
#include "core/te/graph.h"

#include "core/analysis/complete_regions.h"
#include "core/ir/builder.h"
#include "core/script/tvmscript_parser.h"
#include "core/te/te_script.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

/// One line per node ("in A 4×4 f32"), then one per edge ("0 -> 2 (A)").
std::string textOf(const te::StageGraph &graph)
{
    std::string text;
    for (const te::GraphNode &node : graph.nodes) {
        const char *kind = node.kind == te::NodeKind::Placeholder ? "in"
                           : node.kind == te::NodeKind::Stage     ? "stage"
                                                                  : "out";
        text += std::format("{} {} {}", kind, node.name, te::shapeText(node.shape, node.dtype));
        if (node.kind == te::NodeKind::Stage)
            text += std::format(" | {} | {}", node.operation, node.summary);
        text += "\n";
    }
    for (const te::GraphEdge &edge : graph.edges)
        text += std::format("{} -> {} ({})\n", edge.from, edge.to, edge.buffer.name());
    return text;
}

class GraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matmul()
    {
        const auto script = te::readTeScript(R"(from tvm import te
A = te.placeholder((1024, 1024), name="A")
B = te.placeholder((1024, 1024), name="B")
k = te.reduce_axis((0, 1024), name="k")
C = te.compute((1024, 1024), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
)",
                                             "k.py");
        QVERIFY(script);
        QCOMPARE(textOf(script->graph), R"(in A 1024×1024 f32
in B 1024×1024 f32
stage C 1024×1024 f32 | matmul | sum over k · 2.15 GFLOP
out C 1024×1024 f32
0 -> 2 (A)
1 -> 2 (B)
2 -> 3 (C)
)");
        QCOMPARE(script->graph.nodes[2].flops, 2.0 * 1024 * 1024 * 1024);
        QVERIFY(script->graph.nodes[2].block);
        QVERIFY(!script->graph.nodes[0].block && !script->graph.nodes[3].block);
    }

    /// Only a sum of products of two elements is a product of matrices.
    void sumsOfOtherProductsAreReductions()
    {
        for (const auto &[term, operation] :
             {std::pair{"A[i, k] * A[j, k]", "matmul"}, std::pair{"A[i, k] * (A[j, k] + 1)", "reduction"},
              std::pair{"(A[i, k] + 1) * A[j, k]", "reduction"},
              std::pair{"A[i, k] + A[j, k]", "reduction"}}) {
            const std::string text = std::format(
                "from tvm import te\nA = te.placeholder((8, 8), name=\"A\")\nk = te.reduce_axis((0, 8))\n"
                "C = te.compute((8, 8), lambda i, j: te.sum({}, axis=k), name=\"C\")\n",
                term);
            const auto script = te::readTeScript(text, "k.py");
            QVERIFY(script);
            QCOMPARE(script->graph.nodes[1].operation, std::string(operation));
        }
    }

    void stagesOfEveryKind()
    {
        const auto script = te::readTeScript(R"(from tvm import te
n = te.var("n")
A = te.placeholder((8, 8), name="A", dtype="float16")
p = te.compute((10, 10), lambda i, j: te.if_then_else(te.all(i >= 1, i < 9, j >= 1, j < 9), A[i - 1, j - 1], 0.0), name="p")
r = te.reduce_axis((0, 3), name="r")
q = te.reduce_axis((0, 3), name="q")
c = te.compute((8, 8), lambda i, j: te.sum(p[i + r, j + q] * A[r, q], axis=[r, q]), name="c")
e = te.compute((8, 8), lambda i, j: te.exp(c[i, j]), name="e")
l = te.reduce_axis((0, 8), name="l")
m = te.compute((8,), lambda i: te.max(e[i, l], axis=l), name="m")
t = te.compute((8, 8), lambda i, j: e[j, i], name="t")
z = te.compute((8, 8), lambda i, j: te.max(t[i, j] - m[i], 0), name="z")
)",
                                             "k.py");
        QVERIFY2(script, script ? "" : script.error().render().c_str());
        QCOMPARE(textOf(script->graph), R"(in A 8×8 f16
stage p 10×10 f16 | padding | padding
stage c 8×8 f16 | convolution | sum over r, q · 1.15 kFLOP
stage e 8×8 f16 | elementwise | exp · 64 FLOP
stage t 8×8 f16 | injective | copy
stage m 8 f16 | reduction | max over l · 64 FLOP
stage z 8×8 f16 | injective | relu · 128 FLOP
out z 8×8 f16
0 -> 1 (A)
1 -> 2 (p)
0 -> 2 (A)
2 -> 3 (c)
3 -> 4 (e)
3 -> 5 (e)
4 -> 6 (t)
5 -> 6 (m)
6 -> 7 (z)
)");
    }

    /// What a buffer holds comes from the block that wrote it last.
    void aBufferWrittenTwice()
    {
        const auto module = script::parseTvmScript(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("first"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi]
    for i in range(8):
        with T.block("second"):
            vi = T.axis.spatial(8, i)
            B[vi] = B[vi] + T.float32(1)
)",
                                                   "k.py");
        QVERIFY2(module, module ? "" : module.error().render().c_str());
        QCOMPARE(textOf(te::stageGraph(analysis::completeRegions(*module))), R"(in A 8 f32
stage first 8 f32 | elementwise | copy
stage second 8 f32 | elementwise | add · 8 FLOP
out B 8 f32
0 -> 1 (A)
1 -> 2 (B)
2 -> 3 (B)
)");
    }

    void symbolicSizesLeaveTheCountOut()
    {
        const auto script = te::readTeScript(R"(from tvm import te
n = te.var("n")
A = te.placeholder((n, n * 2), name="A")
B = te.compute((n, n * 2), lambda i, j: A[i, j] + 1, name="B")
)",
                                             "k.py");
        QVERIFY(script);
        QCOMPARE(script->graph.nodes[1].summary, "add");
        QCOMPARE(te::shapeText(script->graph.nodes[0].shape, script->graph.nodes[0].dtype), "n×n*2 f32");
    }

    void noFunctionNoGraph() { QVERIFY(te::stageGraph(ir::Module()).nodes.empty()); }

    void units()
    {
        QCOMPARE(te::flopsText(0), "0 FLOP");
        QCOMPARE(te::flopsText(999), "999 FLOP");
        QCOMPARE(te::flopsText(999'600), "1.00 MFLOP");
        QCOMPARE(te::flopsText(12'345'678), "12.3 MFLOP");
        QCOMPARE(te::flopsText(2147483648.0), "2.15 GFLOP");
        QCOMPARE(te::shapeText({}, ir::DataType::int_(8)), "i8");
        QCOMPARE(te::shapeText({ir::intImm(3)}, ir::DataType::bfloat16()), "3 bf16");
    }
};

} // namespace

QTEST_GUILESS_MAIN(GraphTest)
#include "graph_test.moc"
