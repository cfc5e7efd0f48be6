// SPDX-License-Identifier: Apache-2.0
// unsafe_set_dtype, unsafe_hide_buffer_access and annotate_buffer_access: steps that rest on the user's
// promise.
#include "core/schedule/script/reader.h"
#include "core/schedule/script/trace_json.h"
#include "core/schedule/script/writer.h"
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr std::string_view whole = R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "int32"), C: T.Buffer((10, 12), "int32")):
    B = T.alloc_buffer((10, 12), "int32")
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * 2
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + 1
)";

/// Where a block reads depends on floating-point arithmetic, so it is found to read everything.
constexpr std::string_view resize = R"(
@T.prim_func
def main(x: T.Buffer((40,), "float32"), y: T.Buffer((20,), "float32")):
    z = T.alloc_buffer((40,))
    for i in range(40):
        with T.block("copy"):
            v = T.axis.spatial(40, i)
            z[v] = x[v]
    for i in range(20):
        with T.block("resize"):
            v = T.axis.spatial(20, i)
            y[v] = z[T.Cast("int32", T.floor(T.Cast("float32", v * 2) + T.float32(0.5)))]
)";

std::string scriptOf(std::string_view program, std::string_view steps)
{
    const schedule::State initial = scheduled(program);
    const auto run = schedule::runScheduleScript(initial, steps, "steps.py");
    if (!run)
        return run.error().render();
    std::vector<schedule::Step> made;
    for (const schedule::ScriptStep &step : run->steps)
        made.push_back(step.step);
    return schedule::writeScheduleScript(initial, made, script::Dialect::Tvm023).value_or("");
}

} // namespace

class UnsafeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void setDtypeConvertsAtEachAccess()
    {
        checkPrimitive(whole, "sch.unsafe_set_dtype('B', 0, 'int64')", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "int32"), C: T.Buffer((10, 12), "int32")):
    B = T.alloc_buffer((10, 12), "int64")
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = T.Cast("int64", A[vi, vj] * 2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.Cast("int32", B[vi, vj]) + 1
)");
    }

    void setDtypeConvertsWhatAReductionBeginsWith()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "int32"), C: T.Buffer((4,), "int32")):
    B = T.alloc_buffer((4,), "int32")
    for i, k in T.grid(4, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 0
            B[vi] = B[vi] + A[vi, vk]
    for i in range(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = B[vi]
)",
                       "sch.unsafe_set_dtype('B', 'B', 'int64')", R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "int32"), C: T.Buffer((4,), "int32")):
    B = T.alloc_buffer((4,), "int64")
    for i, k in T.grid(4, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.Cast("int64", 0)
            B[vi] = T.Cast("int64", T.Cast("int32", B[vi]) + A[vi, vk])
    for i in range(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = T.Cast("int32", B[vi])
)");
    }

    void setDtypeOfAMatchedPart()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "int32"), C: T.Buffer((4, 8), "int32")):
    B = T.alloc_buffer((4, 8), "int32")
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi, 0:8])
            T.writes(B[vi, 0:8])
            row = T.match_buffer(B[vi, 0:8], (8,), "int32", offset_factor=1)
            for j in range(8):
                row[j] = A[vi, j]
    for i, j in T.grid(4, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj]
)",
                       "sch.unsafe_set_dtype('B', 0, 'int64')", R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "int32"), C: T.Buffer((4, 8), "int32")):
    B = T.alloc_buffer((4, 8), "int64")
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi, 0:8])
            T.writes(B[vi, 0:8])
            row = T.match_buffer(B[vi, 0:8], (8,), "int64", offset_factor=1)
            for j in range(8):
                row[j] = T.Cast("int64", A[vi, j])
    for i, j in T.grid(4, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.Cast("int32", B[vi, vj])
)");
    }

    void setDtypeToTheSameChangesNothing()
    {
        checkPrimitive(whole, "sch.unsafe_set_dtype('C', 0, 'int32')", whole); // a parameter, too
    }

    void setDtypeRefuses()
    {
        checkRefused(whole, "sch.unsafe_set_dtype('C', 0, 'int64')", "schedule.not-allocated");
        checkRefused(whole, "sch.unsafe_set_dtype('B', 1, 'int64')", "schedule.buffer-index");
        checkRefused(whole, "sch.unsafe_set_dtype('B', 0, 'floaty')", "schedule.dtype", "float16");
        checkRefused(whole, "sch.unsafe_set_dtype('B', 0, 'handle')", "schedule.dtype");
        checkRefused(whole, "sch.unsafe_set_dtype('B', 0, 'int32x4')", "schedule.dtype");
    }

    void setDtypeLeavesPointersAlone()
    {
        const auto state = scheduled(R"(
@T.prim_func
def main(C: T.Buffer((8,), "int32")):
    B = T.alloc_buffer((8,), "int32")
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = vi
    with T.block("C"):
        T.reads(B[0:8])
        T.writes(C[0:8])
        T.evaluate(T.tvm_access_ptr(T.type_annotation("int32"), B.data, 0, 8, 1))
)");
        const auto run =
            schedule::runAsFarAsLegal(state, "sch.unsafe_set_dtype('B', 0, 'int64')", "steps.py");
        QVERIFY(run.error);
        QCOMPARE(run.error->code, std::string("schedule.pointer-access"));
    }

    void hiddenReadsAreNotDeclared()
    {
        checkPrimitive(whole, "sch.unsafe_hide_buffer_access('C', 'read', [0])", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "int32"), C: T.Buffer((10, 12), "int32")):
    B = T.alloc_buffer((10, 12), "int32")
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * 2
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads()
            T.writes(C[vi, vj])
            C[vi, vj] = B[vi, vj] + 1
)");
    }

    void hiddenWritesAreNotDeclared()
    {
        checkPrimitive(whole, "sch.unsafe_hide_buffer_access('B', 'write', [0, 0])", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "int32"), C: T.Buffer((10, 12), "int32")):
    B = T.alloc_buffer((10, 12), "int32")
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes()
            B[vi, vj] = A[vi, vj] * 2
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + 1
)");
        checkPrimitive(whole, "sch.unsafe_hide_buffer_access('B', 'read', [])", whole);
    }

    void hideRefuses()
    {
        checkRefused(whole, "sch.unsafe_hide_buffer_access('B', 'read', [0, 1])", "schedule.buffer-index",
                     "0 is 'A'");
        checkRefused(whole, "sch.unsafe_hide_buffer_access('B', 'write', [-1])", "schedule.buffer-index");
        checkRefused(whole, "sch.unsafe_hide_buffer_access('B', 'opaque', [0])", "schedule.argument");
    }

    void annotatedRegions()
    {
        checkPrimitive(whole, R"(
b = sch.get_block('B')
sch.annotate_buffer_access(b, 0, 'read', lambda i, j: ((i - 1, i + 1), (j - 1, j + 1)))
sch.annotate_buffer_access(b, 0, 'read', lambda i, j: [i, (j // 4 * 4, j // 4 * 4 + 4)])
sch.annotate_buffer_access(b, 0, 'write', gen_new_ranges=lambda i, j: ((i, i + 2), j))
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "int32"), C: T.Buffer((10, 12), "int32")):
    B = T.alloc_buffer((10, 12), "int32")
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj // 4 * 4:vj // 4 * 4 + 4])
            T.writes(B[vi:vi + 2, vj])
            T.block_attr({"explicit_read_region": [0], "explicit_write_region": [0]})
            B[vi, vj] = A[vi, vj] * 2
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + 1
)");
    }

    /// Each buffer that is annotated is remembered, once.
    void severalAnnotatedBuffers()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        with T.block("C"):
            v = T.axis.spatial(8, i)
            T.reads(A[v], B[v])
            T.writes(C[v])
            C[v] = A[v] + B[v]
)",
                       R"(
sch.annotate_buffer_access('C', 1, 'read', lambda i: [(i // 2 * 2, i // 2 * 2 + 2)])
sch.annotate_buffer_access('C', 0, 'read', lambda i: [(i // 4 * 4, i // 4 * 4 + 4)])
sch.annotate_buffer_access('C', 1, 'read', lambda i: [(i // 4 * 4, i // 4 * 4 + 4)])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        with T.block("C"):
            v = T.axis.spatial(8, i)
            T.reads(A[v // 4 * 4:v // 4 * 4 + 4], B[v // 4 * 4:v // 4 * 4 + 4])
            T.writes(C[v])
            T.block_attr({"explicit_read_region": [1, 0]})
            C[v] = A[v] + B[v]
)");
    }

    void annotatedRegionsAreWrittenAsTvmDoes()
    {
        QCOMPARE(
            scriptOf(whole, "sch.annotate_buffer_access('B', 0, 'read', lambda i, j: [i, (j - 1, j + 1)])"),
            R"(# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="B", func_name="main")
  sch.annotate_buffer_access(block=b0, buffer_index=0, buf_type="read",)"
            R"( gen_new_ranges=lambda i, j: [(i, i + 1), (j - 1, j + 1)])
)");
        QCOMPARE(scriptOf(whole, "sch.unsafe_hide_buffer_access('B', 'read', [0])"),
                 R"(# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="B", func_name="main")
  sch.unsafe_hide_buffer_access(block=b0, buf_type="read", buf_index_array=[0])
)");
    }

    void annotatedRegionsDecideWhatMoves()
    {
        checkPrimitive(resize, R"(
sch.annotate_buffer_access('resize', 0, 'read', lambda v: [(v * 2 - 3, v * 2 + 3)])
outer, inner = sch.split(sch.get_loops('resize')[0], [5, 4])
sch.compute_at('copy', outer)
)",
                       R"(
@T.prim_func
def main(x: T.Buffer((40,), "float32"), y: T.Buffer((20,), "float32")):
    z = T.alloc_buffer((40,))
    for i_0 in range(5):
        for ax0 in range(12):
            with T.block("copy"):
                v = T.axis.spatial(40, i_0 * 8 - 3 + ax0)
                T.where(3 <= i_0 * 8 + ax0 and i_0 * 8 + ax0 < 43)
                z[v] = x[v]
        for i_1 in range(4):
            with T.block("resize"):
                v = T.axis.spatial(20, i_0 * 4 + i_1)
                T.reads(z[v * 2 - 3:v * 2 + 3])
                T.writes(y[v])
                T.block_attr({"explicit_read_region": [0]})
                y[v] = z[T.Cast("int32", T.floor(T.Cast("float32", v * 2) + T.float32(0.5)))]
)");
    }

    void annotateRefuses()
    {
        checkRefused(whole, "sch.annotate_buffer_access('B', 0, 'read', lambda i, j: [i])",
                     "schedule.index-map", "each dimension");
        checkRefused(whole, "sch.annotate_buffer_access('B', 0, 'read', lambda i: [i, i])",
                     "schedule.index-map", "variables");
        checkRefused(whole, "sch.annotate_buffer_access('B', 1, 'read', lambda i, j: [i, j])",
                     "schedule.buffer-index");
        checkRefused(whole, "sch.annotate_buffer_access('B', 0, 'both', lambda i, j: [i, j])",
                     "schedule.argument");
        checkRefused(whole, "sch.annotate_buffer_access('B', 0, 'read', lambda i, j: [(i, i, i), j])",
                     "script.value");
        checkRefused(whole, "sch.annotate_buffer_access('B', 0, 'read', lambda i, j: [T.float32(1), (j, j)])",
                     "schedule.index-map");
        checkRefused(whole, "sch.transform_layout('B', 'B', lambda i, j: [(i, i + 1), (j, j + 1)])",
                     "schedule.argument");
    }
};

QTEST_GUILESS_MAIN(UnsafeTest)
#include "unsafe_test.moc"
