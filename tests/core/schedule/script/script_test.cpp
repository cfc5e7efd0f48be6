// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node/equality.h"
#include "core/schedule/script/trace_json.h"
#include "core/schedule/script/writer.h"
#include "tests/core/schedule/programs.h"
#include "tests/core/schedule/traces.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;
using script::Dialect;

namespace {

std::vector<schedule::Step> steps(const schedule::ScriptRun &run)
{
    std::vector<schedule::Step> result;
    for (const schedule::ScriptStep &step : run.steps)
        result.push_back(step.step);
    return result;
}

schedule::ScriptRun run(const schedule::State &state, std::string_view script)
{
    auto result = schedule::runScheduleScript(state, script, "script.py");
    if (!result)
        qFatal("%s", result.error().render().c_str());
    return std::move(*result);
}

support::Diagnostic errorOf(std::string_view program, std::string_view script)
{
    const auto result = schedule::runScheduleScript(scheduled(program), script, "script.py");
    return result ? support::Diagnostic{} : result.error();
}

/// As TVM 0.23 prints the trace of these steps.
constexpr std::string_view asPython = R"(# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="Y", func_name="main")
  l1, l2, l3 = sch.get_loops(block=b0)
  l4, l5 = sch.split(loop=l2, factors=[None, 4], preserve_unit_iters=True, disable_predication=False)
  sch.reorder(l4, l3, l5)
  b6 = sch.get_block(name="C", func_name="main")
  sch.reverse_compute_at(block=b6, loop=l4, preserve_unit_loops=False, index=-1)
  sch.vectorize(loop=l5)
  sch.annotate(block_or_loop=l5, ann_key="pragma_x", ann_val=1)
  sch.annotate(block_or_loop=b6, ann_key="list", ann_val=[1, 2, "x"])
  sch.parallel(loop=l1)
  b7 = sch.cache_read(block=b0, read_buffer_index=0, storage_scope="local")
  b8 = sch.get_block(name="C", func_name="main")
  b9 = sch.cache_read(block=b6, read_buffer_index=0, storage_scope="local", consumer_blocks=[b8])
  b10, = sch.get_child_blocks(l3)
  b11 = sch.decompose_reduction(block=b0, loop=l3)
  l12, l13 = sch.get_loops(block=b7)
  l14 = sch.fuse(l12, l13, preserve_unit_iters=True)
  sch.bind(loop=l14, thread_axis="threadIdx.x")
  sch.get_producers(block=b7)
)";

} // namespace

class ScriptTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writtenAsTvmWritesIt()
    {
        const schedule::State before = scheduled(mmRelu);
        const auto script = schedule::writeScheduleScript(before, steps(run(before, asPython)));
        QVERIFY(script);
        QCOMPARE(*script, std::string(asPython));
    }

    void latestDialect()
    {
        const schedule::State before = scheduled(mmRelu);
        const auto script = schedule::writeScheduleScript(
            before, steps(run(before, "sch.compute_at('Y', sch.get_loops('C')[1])")), Dialect::Latest);
        QVERIFY(script);
        QCOMPARE(*script, std::string(R"(# from tvm import s_tir
def apply_trace(sch: s_tir.Schedule) -> None:
  b0 = sch.get_sblock(name="C", func_name="main")
  l1, l2 = sch.get_loops(block=b0)
  b3 = sch.get_sblock(name="Y", func_name="main")
  sch.compute_at(block=b3, loop=l2, preserve_unit_loops=False, index=-1)
)"));
    }

    /// A number that a sampling step gave keeps its name in index maps, so that another decision changes the
    /// map.
    void sampledNumbersInIndexMaps()
    {
        const schedule::State before = scheduled(chain);
        const auto made =
            run(before, "b = sch.get_block('B')\ni, j = sch.get_loops(b)\n"
                        "x, y = sch.sample_perfect_tile(j, n=2, max_innermost_factor=8, "
                        "decision=[3, 4])\n"
                        "sch.transform_layout(b, ('write', 0), lambda i, j: (j // y, i, j % y))");
        const auto script = schedule::writeScheduleScript(before, steps(made));
        QVERIFY(script);
        QVERIFY2(script->contains("index_map=lambda i, j: (j // v4, i, j % v4,)"), script->c_str());
        const auto again = schedule::runScheduleScript(before, *script, "");
        QVERIFY(again && again->state.module.functions().size() == 1);
        QVERIFY(ir::structurallyEqual(again->state.module, made.state.module));
        for (const Dialect dialect : script::allDialects) {
            const auto json = schedule::writeTraceJson(before, steps(made), dialect);
            QVERIFY(json && json->contains("root_index") && json->contains("v4"));
            const auto replayed = schedule::runTraceJson(before, *json, "t.json");
            QVERIFY2(replayed, replayed ? "" : replayed.error().render().c_str());
            QVERIFY(ir::structurallyEqual(replayed->state.module, made.state.module));
            const auto written = schedule::writeScheduleScript(before, steps(*replayed));
            QVERIFY(written);
            QCOMPARE(*written, *script);
        }
        // TVM takes no plain number for an index in Python.
        const auto constant = run(before, "sch.transform_layout('B', ('write', 0), lambda i, j: (i, 0, j))");
        const auto text = schedule::writeScheduleScript(before, steps(constant));
        QVERIFY(text && text->contains("(i, i * 0, j,)"));
    }

    void brokenTracesSayWhere()
    {
        const schedule::State before = scheduled(chain);
        const auto refused = [&](std::string_view text) {
            const auto result = schedule::runTraceJson(before, text, "t.json");
            return result ? support::diagnostic("none", "") : result.error();
        };
        const support::Diagnostic syntax =
            refused("[[[\"GetBlock\", [],\n  [\"B\" \"main\"], [\"b0\"]]], []]");
        QCOMPARE(syntax.code, std::string("schedule.trace"));
        QCOMPARE(syntax.locations[0].line, 2);
        QCOMPARE(syntax.locations[0].column, 13); // where the second string ends
        for (const char *step :
             {"5", "[]", R"(["GetBlock", [], ["B", "main"]])", R"([1, [], ["B", "main"], ["b0"]])",
              R"(["GetBlock", 0, ["B", "main"], ["b0"]])", R"(["GetBlock", [], "B", ["b0"]])",
              R"(["GetBlock", [], ["B", "main"], "b0"])"})
            QVERIFY2(refused("[[" + std::string(step) + "], []]")
                         .message.contains("a step is a list of its kind, inputs, attributes and outputs"),
                     step);
        const std::string block = R"(["GetBlock", [], ["B", "main"], ["b0"]], )";
        // As the map was written at first: among the attributes.
        QCOMPARE(
            refused("[[" + block
                    + R"x(["TransformLayout", ["b0"], [0, 1, "lambda i, j: (j, i)", null, 0], []]], []])x")
                .code,
            std::string("none"));
        for (const char *attributes : {"[]", "[0]", "[\"0\", 1]", "[null, 0]"}) {
            const auto refusal =
                refused("[[" + block + R"x(["TransformLayout", ["b0", "lambda i, j: (j, i)"], )x" + attributes
                        + ", []]], []]");
            QVERIFY2(refusal.code.starts_with("schedule."), (refusal.code + ": " + refusal.message).c_str());
        }
        QVERIFY(refused("[[[\"GetBlock\",").message.contains("ends in the middle"));
        QVERIFY(refused("[[], [1e999]]").message.contains("greater than any"));
        QVERIFY(refused(std::string(100000, '[')).message.contains("deep"));
        QVERIFY(
            refused("[[[\"SampleCategorical\", [], [[1e30], [1]], [\"v0\"]]], [[0, 18446744073709551615]]]")
                .message.contains("number"));
        const support::Diagnostic step = refused(
            "[[[\"GetBlock\", [], [\"B\", \"main\"], [\"b0\"]], [\"GetLops\", [\"b0\"], [], []]], []]");
        QVERIFY2(step.message.contains("[0][1]"), step.message.c_str());
    }

    void brokenIndexMapsInTraces_data()
    {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("said");
        const auto row = [](const char *name, const char *graph, const char *said) {
            QTest::newRow(name) << graph << said;
        };
        row("no JSON", "{", "no JSON");
        row("too deep", qPrintable("{'nodes':" + QString(100000, '[')), "no JSON");
        row("too large", "{'root_index':0,'nodes':[1e999]}", "no JSON");
        row("empty", "{}", "root_index");
        row("no node", "{'root_index': 3, 'nodes': []}", "no node 3");
        row("other object", "{'root_index': 0, 'nodes': [{'type': 'ir.Thing', 'data': {}}]}", "'Thing'");
        row("not a list",
            "{'root_index': 0, 'nodes': [{'type': 'tirx.IndexMap', 'data': {'initial_indices': 0}}]}",
            "no list");
        row("cycle",
            "{'root_index': 0, 'nodes': [{'type': 'tirx.IndexMap', 'data': {'initial_indices': 1, "
            "'final_indices': 2}}, {'type': 'Array', 'data': []}, {'type': 'Array', 'data': [3]}, "
            "{'type': 'tir.Add', 'data': {'dtype': 'int32', 'a': 3, 'b': 3}}]}",
            "deep");
        QString doubling =
            "{'root_index': 0, 'nodes': [{'type': 'tirx.IndexMap', 'data': {'initial_indices': 1, "
            "'final_indices': 2}}, {'type': 'Array', 'data': []}, {'type': 'Array', 'data': [3]}";
        for (int node = 4; node < 64; ++node)
            doubling +=
                QString(", {'type': 'tir.Add', 'data': {'dtype': 'int32', 'a': %1, 'b': %1}}").arg(node);
        doubling += ", {'type': 'ir.IntImm', 'data': {'dtype': 'int32', 'value': 1}}]}";
        QTest::newRow("doubling") << doubling << "parts";
        row("division",
            "{'root_index': 0, 'nodes': [{'type': 'tirx.IndexMap', 'data': {'initial_indices': 1, "
            "'final_indices': 2}}, {'type': 'Array', 'data': []}, {'type': 'Array', 'data': [3]}, "
            "{'type': 'tir.FloorDiv', 'data': {'dtype': 'int32', 'a': 4, 'b': 4}}, "
            "{'type': 'ir.IntImm', 'data': {'dtype': 'int32', 'value': 0}}]}",
            "division by zero");
    }
    void brokenIndexMapsInTraces()
    {
        QFETCH(QString, graph);
        QFETCH(QString, said);
        const QString quoted = graph.replace('\'', "\\\"");
        const QString text =
            "[[[\"GetBlock\", [], [\"B\", \"main\"], [\"b0\"]], [\"TransformLayout\", [\"b0\", \"" + quoted
            + "\"], [0, 1, null, 0], []]], []]";
        const auto result = schedule::runTraceJson(scheduled(chain), text.toStdString(), "t.json");
        QVERIFY(!result);
        QCOMPARE(result.error().code, std::string("schedule.trace"));
        QVERIFY2(result.error().message.contains(said.toStdString()), result.error().message.c_str());
    }

    void emptyTrace()
    {
        const auto script = schedule::writeScheduleScript(scheduled(chain), {});
        QVERIFY(script);
        QCOMPARE(*script,
                 std::string("# from tvm import tir\ndef apply_trace(sch: tir.Schedule) -> None:\n  pass\n"));
        QVERIFY(schedule::runScheduleScript(scheduled(chain), *script, "")->steps.empty());
    }

    void queriesAreAddedWhereTheyAreNeeded()
    {
        const schedule::State before = scheduled(chain);
        std::vector<schedule::Step> changes;
        for (const schedule::ScriptStep &step : run(before, "i, j = sch.get_loops('C')\na, b = sch.split(j, "
                                                            "[None, 4])\nsch.vectorize(b)\nsch.parallel(i)")
                                                    .steps) {
            if (!step.step.primitive->isQuery)
                changes.push_back(step.step);
        }
        const auto script = schedule::writeScheduleScript(before, changes);
        QVERIFY(script);
        QCOMPARE(*script, std::string(R"(# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="C", func_name="main")
  l1, l2 = sch.get_loops(block=b0)
  l3, l4 = sch.split(loop=l2, factors=[None, 4], preserve_unit_iters=True, disable_predication=False)
  sch.vectorize(loop=l4)
  sch.parallel(loop=l1)
)"));
    }

    void blocksOfOneNameAreReachedFromOutside()
    {
        constexpr std::string_view twins = R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("same"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("same"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] * T.float32(2)
)";
        checkSchedule(twins, R"(
blocks = sch.get_child_blocks(sch.get_block("root"))
i, = sch.get_loops(blocks[1])
sch.compute_at(blocks[0], i)
)");
        QCOMPARE(errorOf(twins, "sch.get_block('same')").code, "analysis.ambiguous-block");
    }

    void handWritten()
    {
        checkSchedule(mmRelu, R"(
"""Tiles the product."""
import tvm
from tvm import tir  # comments are skipped

tile = 2
factors = [None, tile * 2]

sch = tvm.tir.Schedule(Module, debug_mask="all")
block_y, block_c = sch.get_block("Y"), sch.get_block("C", func_name="main")
loops = sch.get_loops(block_y)
i, *rest = loops
assert_me = len(rest)
i0, i1 = sch.split(i, factors)
j0, j1 = sch.split(loop=loops[1], factors=[8 // tile, tile])
k = loops[-1]
(k0, k1) = sch.split(k, factors=[-(-8 // 4), 4])
order = [i0, j0] + [k0]
sch.reorder(*order, i1, *[k1, j1])
sch.vectorize(sch.get_loops(block_y)[-1])
for_unroll = sch.get_loops(block=block_y)[2:5:2]
sch.unroll(for_unroll[0])
sch.reverse_compute_at(block_c, j0)
print(sch.mod.script())
sch.mod.show()
)");
    }

    void bareAndNamedSchedules()
    {
        checkSchedule(chain, "s.compute_inline(s.get_block('B'))");
        checkSchedule(chain,
                      "def schedule(s):\n    b = s.get_block('B')\n    s.compute_inline(b)\n    return s\n");
    }

    void functionsByName()
    {
        constexpr std::string_view two = R"(
@I.ir_module
class Module:
    @T.prim_func
    def first(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                B[vi] = A[vi] + T.float32(1)

    @T.prim_func
    def second(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                B[vi] = A[vi] * T.float32(2)
)";
        checkSchedule(two, "i, = sch.get_loops(sch.get_block('B', 'second'))\nsch.split(i, [2, 4])");
        checkSchedule(two, "sch.work_on('first')\ni, = sch.get_loops('B')\nsch.parallel(i)\nj, = "
                           "sch.get_loops(sch.get_block('B', "
                           "'second'))\nsch.vectorize(j)");
        checkSchedule(two, "sch.work_on(func_name='second')\ni, = sch.get_loops('B')\nsch.parallel(i)");
        QCOMPARE(errorOf(two, "sch.work_on('third')").code, "schedule.unknown-function");
        QCOMPARE(errorOf(two, "sch.work_on(3)").code, "script.value");
        QCOMPARE(errorOf(two, "sch.get_block('B')").code, "schedule.unknown-function");
        QVERIFY(errorOf(two, "sch.get_block('B')").hint.contains("'second'"));
    }

    void outputBlocksAtAnyDepth()
    {
        constexpr std::string_view nested = R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32")):
    for i in range(8):
        with T.block("row"):
            vi = T.axis.spatial(8, i)
            for j in range(4):
                with T.block("cell"):
                    vj = T.axis.spatial(4, j)
                    B[vi, vj] = A[vi, vj] + T.float32(1)
)";
        checkSchedule(nested, "row, cell = sch.get_output_blocks('root')\nj, = sch.get_loops(cell)\n"
                              "sch.parallel(j)");
        checkSchedule(nested, "cell, = sch.get_output_blocks('row')\nj, = sch.get_loops(cell)\n"
                              "sch.vectorize(j)");
        QCOMPARE(errorOf(mmRelu, "a, b = sch.get_output_blocks('root')").code, "script.value");
    }

    void errorsNameThePlace()
    {
        const auto check = [](std::string_view script, const char *code, int line, int column) {
            const support::Diagnostic error = errorOf(mmRelu, script);
            QCOMPARE(error.code, code);
            QVERIFY(!error.locations.empty());
            QCOMPARE(error.locations.front().file, "script.py");
            QCOMPARE(error.locations.front().line, line);
            QCOMPARE(error.locations.front().column, column);
        };
        check("b = sch.get_block('Z')", "analysis.unknown-block", 1, 5);
        check("b = sch.get_block('Y')\ni, j, k = sch.get_loops(b)\nsch.reorder(i, i)\n",
              "schedule.duplicate-loop", 3, 1);
        check("i, j, k = sch.get_loops('Y')\nsch.split(j, [None, 0])", "schedule.factor-not-positive", 2, 1);
        check("b = sch.get_block('Y'\n", "script.syntax", 1, 18);
        check("i, j = sch.get_loops('Y')", "script.value", 1, 1);
        check("sch.spilt(i, [2])", "script.unknown-name", 1, 11);
        check("sch.spilt('Y', [2])", "script.unknown-primitive", 1, 1);
        check("b = other.get_block('Y') + sch.get_block('Y')", "script.unsupported", 1, 28);
        check("l = sch.get_loops('Y')\nl[3]", "script.value", 2, 3);
        check("x = 1 // 0", "script.value", 1, 5);
        check("x = 9223372036854775807 + 1", "script.value", 1, 5);
        check("while True:\n    pass", "script.unsupported", 1, 1);
        check("x = lambda **a: a", "script.unsupported", 1, 12);
        check("open('/etc/passwd')", "script.unsupported", 1, 1);
        QVERIFY(errorOf(mmRelu, "sch.spilt('Y', [2])").hint.contains("'split'"));
    }

    void stepsBeforeAnErrorAreKept()
    {
        const auto partial = schedule::runAsFarAsLegal(
            scheduled(mmRelu),
            "i, j, k = sch.get_loops('Y')\nsch.parallel(i)\nsch.parallel(k)\nsch.unroll(j)", "");
        QVERIFY(partial.error);
        QCOMPARE(partial.run.steps.size(), 3u);
        QCOMPARE(partial.run.steps.back().line, 2);
    }

    void traceJson()
    {
        const schedule::State before = scheduled(mmRelu);
        const auto json = schedule::writeTraceJson(before, steps(run(before, R"(
i, j, k = sch.get_loops("Y")
a, b = sch.split(j, [None, 4])
f = sch.fuse(i, a)
sch.reorder(k, b)
sch.compute_at("Y", sch.get_loops("C")[0], True)
sch.annotate("Y", "note", "text")
sch.annotate("Y", "list", [1, "x"])
sch.cache_read("C", 0, "local", ["C"])
sch.cache_write("C", 0, "local")
sch.bind(sch.get_loops("C")[0], "threadIdx.x")
)")));
        QVERIFY(json);
        QCOMPARE(*json, std::string(traceAsTvm));
    }

    void traceJsonOfTvm()
    {
        const schedule::State before = scheduled(mmRelu);
        const auto trace = schedule::runTraceJson(before, traceOfLatest, "trace.json");
        QVERIFY(trace);
        const auto same =
            run(before, "i, j, k = sch.get_loops('Y')\na, b = sch.split(j, [None, 4])\nsch.reorder(a, k, b)\n"
                        "sch.reverse_compute_at('C', a)\nsch.annotate('Y', 'a', 'text')");
        QVERIFY(!ir::firstDifference(trace->state.module, same.state.module));
    }

    void brokenTraces()
    {
        const auto code = [](std::string_view json) {
            const auto result = schedule::runTraceJson(scheduled(mmRelu), json, "trace.json");
            return result ? std::string() : result.error().code;
        };
        QCOMPARE(code("[[[\"GetBlock\""), "schedule.trace");
        QCOMPARE(code("{}"), "schedule.trace");
        QCOMPARE(code("[]"), "schedule.trace");
        QCOMPARE(code("[[[1, 2, 3, 4]], []]"), "schedule.trace");
        QCOMPARE(code(R"([[["Nothing", [], [], []]], []])"), "schedule.trace");
        QCOMPARE(code(R"([[["GetLoops", ["b0"], [], ["l1"]]], []])"), "schedule.trace");
        QCOMPARE(code(R"([[["GetBlock", [], ["Y", "main"], ["b0", "b1"]]], []])"), "schedule.trace");
        QCOMPARE(code(R"([[["GetBlock", [], ["Y", "main"], [7]]], []])"), "schedule.trace");
        QCOMPARE(code(R"([[["GetBlock", [], [], ["b0"]]], []])"), "schedule.argument");
        QCOMPARE(code(R"([[["GetBlock", [], [{}, "main"], ["b0"]]], []])"), "schedule.trace");
    }
};

QTEST_GUILESS_MAIN(ScriptTest)
#include "script_test.moc"
