// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/reader.h"
#include "core/script/print/printer.h"
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// A whole buffer and a place of it, matched as parts.
std::string separatedParts(const std::string &separators)
{
    const std::string place = separators.empty() ? "" : ", axis_separators=[0]";
    return R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8, 4), "float32")):
    B = T.alloc_buffer((8, 4))"
           + separators + R"()
    for i, j in T.grid(8, 4):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            P = T.match_buffer(B[vi, vj], (), offset_factor=1)"
           + place + R"()
            P[()] = A[vi, vj] * T.float32(2)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0:4])
            T.writes(C[vi, 0:4])
            Q = T.match_buffer(B[vi, 0:4], (1, 4), offset_factor=1)"
           + separators + R"()
            for j in range(4):
                C[vi, j] = Q[0, j] + T.float32(1)
)";
}

} // namespace

class StorageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void scope()
    {
        checkPrimitive(chain, "sch.set_scope('B', 0, 'shared')\nsch.set_scope('B', 0, 'shared')", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12), scope="shared")
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
        checkRefused(chain, "sch.set_scope('C', 0, 'shared')", "schedule.not-allocated", "cache_write");
        checkRefused(chain, "sch.set_scope('B', 0, 'shard')", "schedule.storage-scope", "shared");
        checkRefused(chain, "sch.set_scope('B', 1, 'shared')", "schedule.buffer-index");
    }

    void partsOfAMemory()
    {
        const auto scopeAfter = [](const std::string &scope) {
            const auto run = schedule::runScheduleScript(
                scheduled(chain), "sch.set_scope('B', 0, '" + scope + "')", "steps.py");
            return run->state.module.functions()
                .front()
                .function->body.as<ir::Block>()
                ->allocBuffers[0]
                ->scope;
        };
        QCOMPARE(scopeAfter("shared.tile"), std::string("shared.tile"));
        QCOMPARE(scopeAfter("wmma.accumulator"), std::string("wmma.accumulator"));
        QCOMPARE(scopeAfter(""), std::string("global"));
        checkRefused(chain, "sch.set_scope('B', 0, 'sharedtile')", "schedule.storage-scope", "shared");
    }

    void partsAndPointersMoveAlong()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8, 4), "float32")):
    B = T.alloc_buffer((8, 4))
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            row = T.match_buffer(B[vi, 0:4], (4,), offset_factor=1)
            for j in range(4):
                with T.block("inner"):
                    vj = T.axis.spatial(4, j)
                    cell = T.match_buffer(row[vj], (), offset_factor=1)
                    cell[()] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(8, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)",
                       "sch.set_scope('B', 0, 'shared')", R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8, 4), "float32")):
    B_shared = T.alloc_buffer((8, 4), scope="shared")
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            row = T.match_buffer(B_shared[vi, 0:4], (4,), scope="shared", offset_factor=1)
            for j in range(4):
                with T.block("inner"):
                    vj = T.axis.spatial(4, j)
                    cell = T.match_buffer(row[vj], (), scope="shared", offset_factor=1)
                    cell[()] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(8, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B_shared[vi, vj] + T.float32(1)
)");
        const schedule::State before = scheduled(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi]
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi])
            T.writes(C[vi])
            T.evaluate(T.call_extern("int32", "observe", B.data, vi))
            C[vi] = B[vi]
)");
        const auto run = schedule::runScheduleScript(before, "sch.set_scope('B', 0, 'shared')", "script.py");
        QVERIFY(run);
        QVERIFY(script::print(run->state.module).text.contains("B_shared.data"));
    }

    void align()
    {
        checkPrimitive(chain,
                       "sch.storage_align('B', 0, -2, 8, 4)\nsch.storage_align('B', 0, 1, 16, 0)\n"
                       "sch.storage_align(block='B', buffer_index='B', axis=0, factor=32, offset=1)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.block_attr({"buffer_dim_align": [[0, 0, 32, 1], [0, 1, 16, 0]]})
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
        checkRefused(chain, "sch.storage_align('B', 0, 2, 8, 4)", "schedule.axis");
        checkRefused(chain, "sch.storage_align('B', 0, 1, 0, 4)", "schedule.factor-not-positive");
        checkRefused(chain, "sch.storage_align('C', 0, 1, 8, 4)", "schedule.not-allocated");
        checkRefused(chain,
                     "sch.annotate(sch.get_block('B'), 'buffer_dim_align', [0])\n"
                     "sch.storage_align('B', 0, 1, 8, 4)",
                     "schedule.annotation", "unannotate");
    }

    void axisSeparators()
    {
        checkPrimitive(chain, "sch.set_axis_separator('B', ('write', 0), [1])", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12), axis_separators=[1])
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
        for (const char *step :
             {"sch.set_axis_separator('B', ('write', 0), [1])",
              "sch.transform_layout('B', 'B', lambda i, j: (i, IndexMap.AXIS_SEPARATOR, j))"})
            checkPrimitive(separatedParts(""), step, separatedParts(", axis_separators=[1]"));
        checkRefused(chain, "sch.set_axis_separator('B', ('write', 0), [3])", "schedule.axis-separators");
        checkRefused(chain, "sch.set_axis_separator('B', ('write', 0), [1, 0])", "schedule.axis-separators");
    }

    void unitLoops()
    {
        checkPrimitive(
            chain,
            "b = sch.get_block('B')\nsch.add_unit_loop(b)\nu = sch.add_unit_loop(sch.get_loops(b)[0])\n"
            "sch.bind(u, 'blockIdx.x')",
            R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for u in T.thread_binding(1, thread="blockIdx.x"):
        for i, j, u_1 in T.grid(10, 12, 1):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
        checkRefused(chain, "sch.add_unit_loop(sch.get_block('root'))", "schedule.root-block");
    }

    void iterationVariables()
    {
        checkPrimitive(mmRelu, "sch.reorder_block_iter_var('Y', [2, 0, 1])", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    for i, j, k in T.grid(8, 8, 8):
        with T.block("Y"):
            vk, vi, vj = T.axis.remap("RSS", [k, i, j])
            with T.init():
                Y[vi, vj] = T.float32(0)
            Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
        checkRefused(mmRelu, "sch.reorder_block_iter_var('Y', [0, 1])", "schedule.not-a-permutation");
        checkRefused(mmRelu, "sch.reorder_block_iter_var('Y', [0, 1, 1])", "schedule.not-a-permutation");
        checkRefused(mmRelu, "sch.reorder_block_iter_var('Y', [0, 1, 3])", "schedule.not-a-permutation");
    }
};

QTEST_GUILESS_MAIN(StorageTest)
#include "storage_test.moc"
