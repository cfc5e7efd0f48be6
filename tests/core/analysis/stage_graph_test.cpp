// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/stage_graph.h"

#include "core/analysis/access/complete_regions.h"
#include "core/ir/build/builder.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using analysis::StageGraph;

namespace {

StageGraph graphOf(std::string_view program)
{
    return analysis::stageGraph(analysis::completeRegions(tests::parsed(program)));
}

/// One line per node ("in A 4×4 f32"), then one per edge ("0 -> 2 (A)").
std::string textOf(const StageGraph &graph)
{
    std::string text;
    for (const StageGraph::Node &node : graph.nodes) {
        const char *kind = node.kind == StageGraph::Kind::Placeholder ? "in"
                           : node.kind == StageGraph::Kind::Stage     ? "stage"
                                                                      : "out";
        text += std::format("{} {} {}", kind, node.name, analysis::shapeText(node.shape, node.dtype));
        if (node.kind == StageGraph::Kind::Stage)
            text += std::format(" | {} | {}", node.operation, node.summary);
        text += "\n";
    }
    for (const StageGraph::Edge &edge : graph.edges)
        text += std::format("{} -> {} ({})\n", edge.from, edge.to, edge.buffer.name());
    return text;
}

} // namespace

class StageGraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matmul()
    {
        const StageGraph graph = graphOf(R"(
@T.prim_func
def main(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32"),
         C: T.Buffer((1024, 1024), "float32")):
    for i, j, k in T.grid(1024, 1024, 1024):
        with T.block("C"):
            v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[v_i, v_j] = T.float32(0)
            C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]
)");
        QCOMPARE(textOf(graph), R"(in A 1024×1024 f32
in B 1024×1024 f32
stage C 1024×1024 f32 | matmul | sum over k · 2.15 GFLOP
out C 1024×1024 f32
0 -> 2 (A)
1 -> 2 (B)
2 -> 3 (C)
)");
        QCOMPARE(graph.nodes[2].flops, 2.0 * 1024 * 1024 * 1024);
        QVERIFY(graph.nodes[2].block);
        QVERIFY(!graph.nodes[0].block && !graph.nodes[3].block);
    }

    /// Only a sum of products of two elements is a product of matrices.
    void sumsOfOtherProductsAreReductions()
    {
        for (const auto &[term, operation] :
             {std::pair{"A[vi, vk] * A[vj, vk]", "matmul"},
              std::pair{"A[vi, vk] * (A[vj, vk] + T.float32(1))", "reduction"},
              std::pair{"(A[vi, vk] + T.float32(1)) * A[vj, vk]", "reduction"},
              std::pair{"(A[vi, vk] + A[vj, vk])", "reduction"}}) {
            const StageGraph graph = graphOf(std::format(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i, j, k in T.grid(8, 8, 8):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + {}
)",
                                                         term));
            QCOMPARE(graph.nodes[1].operation, std::string(operation));
        }
    }

    void stagesOfEveryKind()
    {
        QCOMPARE(textOf(graphOf(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float16"), z: T.Buffer((8, 8), "float16")):
    p = T.alloc_buffer((10, 10), "float16")
    c = T.alloc_buffer((8, 8), "float16")
    e = T.alloc_buffer((8, 8), "float16")
    t = T.alloc_buffer((8, 8), "float16")
    m = T.alloc_buffer((8,), "float16")
    for i, j in T.grid(10, 10):
        with T.block("p"):
            vi, vj = T.axis.remap("SS", [i, j])
            p[vi, vj] = T.if_then_else(1 <= vi and vi < 9 and 1 <= vj and vj < 9,
                                       A[vi - 1, vj - 1], T.float16(0))
    for i, j, r, q in T.grid(8, 8, 3, 3):
        with T.block("c"):
            vi, vj, vr, vq = T.axis.remap("SSRR", [i, j, r, q])
            with T.init():
                c[vi, vj] = T.float16(0)
            c[vi, vj] = c[vi, vj] + p[vi + vr, vj + vq] * A[vr, vq]
    for i, j in T.grid(8, 8):
        with T.block("e"):
            vi, vj = T.axis.remap("SS", [i, j])
            e[vi, vj] = T.exp(c[vi, vj])
    for i, j in T.grid(8, 8):
        with T.block("t"):
            vi, vj = T.axis.remap("SS", [i, j])
            t[vi, vj] = e[vj, vi]
    for i, l in T.grid(8, 8):
        with T.block("m"):
            vi, vl = T.axis.remap("SR", [i, l])
            with T.init():
                m[vi] = T.min_value("float16")
            m[vi] = T.max(m[vi], e[vi, vl])
    for i, j in T.grid(8, 8):
        with T.block("z"):
            vi, vj = T.axis.remap("SS", [i, j])
            z[vi, vj] = T.max(t[vi, vj] - m[vi], T.float16(0))
)")),
                 R"(in A 8×8 f16
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

    /// A buffer's contents come from the block that wrote it last.
    void aBufferWrittenTwice()
    {
        QCOMPARE(textOf(graphOf(R"(
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
)")),
                 R"(in A 8 f32
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
        const StageGraph graph = graphOf(R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, n * 2), "float32")
    B = T.match_buffer(b, (n, n * 2), "float32")
    for i, j in T.grid(n, n * 2):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
)");
        QCOMPARE(graph.nodes[1].summary, "add");
        QCOMPARE(graph.nodes[1].flops, 0.0);
        QCOMPARE(analysis::shapeText(graph.nodes[0].shape, graph.nodes[0].dtype), "n×n*2 f32");
    }

    void noFunctionNoGraph() { QVERIFY(analysis::stageGraph(ir::Module()).nodes.empty()); }

    void shapes()
    {
        QCOMPARE(analysis::shapeText({}, ir::DataType::int_(8)), "i8");
        QCOMPARE(analysis::shapeText({ir::intImm(3)}, ir::DataType::bfloat16()), "3 bf16");
    }
};

QTEST_GUILESS_MAIN(StageGraphTest)
#include "stage_graph_test.moc"
