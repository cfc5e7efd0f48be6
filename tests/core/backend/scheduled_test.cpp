// SPDX-License-Identifier: Apache-2.0
// Scheduled programs on every backend against the interpreter on the unscheduled program.
#include "core/schedule/script/reader.h"
#include "tests/support/backends.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

struct Variant {
    const char *name;
    const char *program;
    const char *script; ///< the body of apply_trace
};

constexpr Variant variants[] = {
    {"matmul as the ladder ends", "matmul", R"(
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  io, ii = sch.split(i, [None, 32])
  jo, ji = sch.split(j, [None, 32])
  ko, ki = sch.split(k, [None, 4])
  sch.reorder(io, jo, ko, ii, ki, ji)
  sch.vectorize(ji)
  sch.parallel(io)
  sch.unroll(ki)
)"},
    {"matmul in tiles that do not divide", "matmul", R"(
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  io, ii = sch.split(i, [None, 24])
  jo, ji = sch.split(j, [None, 48])
  ko, ki = sch.split(k, [None, 5])
  sch.reorder(io, jo, ko, ii, ki, ji)
  sch.parallel(io)
  sch.vectorize(ji)
  sch.unroll(ki)
)"},
    {"matmul, vector as long as a row and a bit", "matmul", R"(
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  sch.reorder(i, k, j)
  jo, ji = sch.split(j, [None, 36])
  sch.vectorize(ji)
)"},
    {"matmul with its init apart", "matmul", R"(
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  sch.reorder(i, k, j)
  jo, ji = sch.split(j, [None, 16])
  sch.vectorize(ji)
  sch.parallel(i)
  sch.decompose_reduction(b, k)
)"},
    {"integer matmul, fused and split", "integers", R"(
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  f = sch.fuse(i, j)
  o, n = sch.split(f, [None, 7])
  sch.parallel(o)
)"},
    {"relu computed where the row is", "mm_relu", R"(
  c = sch.get_block("C")
  d = sch.get_block("D")
  i, j, k = sch.get_loops(c)
  jo, ji = sch.split(j, [None, 4])
  sch.reorder(i, jo, k, ji)
  sch.reverse_compute_at(d, jo)
  sch.parallel(i)
)"},
    {"product computed where the relu is", "mm_relu", R"(
  c = sch.get_block("C")
  d = sch.get_block("D")
  i, j = sch.get_loops(d)
  io, ii = sch.split(i, [None, 16])
  jo, ji = sch.split(j, [None, 16])
  sch.reorder(io, jo, ii, ji)
  sch.parallel(io)
  sch.compute_at(c, jo)
  sch.vectorize(ji)
)"},
    {"a stage inlined, the other in vectors", "elementwise", R"(
  sch.compute_inline(sch.get_block("B"))
  i, j = sch.get_loops(sch.get_block("C"))
  jo, ji = sch.split(j, [None, 24])
  sch.vectorize(ji)
  sch.parallel(i)
)"},
    {"three stages in one tile", "two_axis", R"(
  blocks = sch.get_child_blocks(sch.get_block("root"))
  i, j = sch.get_loops(blocks[2])
  io, ii = sch.split(i, [None, 8])
  sch.parallel(io)
  sch.compute_at(blocks[1], io)
  sch.compute_at(blocks[0], io)
)"},
    {"convolution with its padding inlined, in vectors", "conv2d_pad", R"(
  sch.compute_inline(sch.get_block("pad"))
  b = sch.get_block("conv")
  loops = sch.get_loops(b)
  sch.parallel(loops[1])
  sch.reorder(loops[0], loops[1], loops[2], loops[4], loops[5], loops[6], loops[3])
  sch.vectorize(loops[3])
)"},
    {"convolution with the padded tile at hand", "conv2d_pad", R"(
  b = sch.get_block("conv")
  loops = sch.get_loops(b)
  sch.compute_at(sch.get_block("pad"), loops[1])
  sch.unroll(loops[6])
)"},
    {"softmax, rows in parallel", "softmax", R"(
  blocks = sch.get_child_blocks(sch.get_block("root"))
  sch.parallel(sch.get_loops(blocks[0])[0])
  sch.parallel(sch.get_loops(blocks[1])[0])
  sch.parallel(sch.get_loops(blocks[2])[0])
  sch.parallel(sch.get_loops(blocks[3])[0])
)"},
    {"symbolic sizes, split and in vectors", "symbolic", R"(
  blocks = sch.get_child_blocks(sch.get_block("root"))
  i, j = sch.get_loops(blocks[0])
  jo, ji = sch.split(j, [None, 8])
  io, ii = sch.split(i, [None, 4])
  sch.reorder(io, jo, ii, ji)
  sch.parallel(io)
  sch.vectorize(ji)
)"},
    {"matmul, its output written through a cache", "matmul", R"(
  b = sch.get_block("C")
  w = sch.cache_write(b, 0, "local")
  i, j, k = sch.get_loops(b)
  io, ii = sch.split(i, [None, 32])
  jo, ji = sch.split(j, [None, 32])
  sch.reorder(io, jo, k, ii, ji)
  sch.reverse_compute_at(w, jo)
  sch.vectorize(ji)
  sch.parallel(io)
)"},
    {"matmul, a tile of B copied first", "matmul", R"(
  b = sch.get_block("C")
  r = sch.cache_read(b, 1, "local")
  i, j, k = sch.get_loops(b)
  jo, ji = sch.split(j, [None, 16])
  sch.reorder(jo, i, k, ji)
  sch.compute_at(r, jo)
  sch.vectorize(ji)
  sch.parallel(jo)
)"},
};

} // namespace

class ScheduledTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void variant_data()
    {
        QTest::addColumn<int>("index");
        for (int i = 0; i < static_cast<int>(std::size(variants)); ++i)
            QTest::newRow(variants[i].name) << i;
    }
    void variant()
    {
        QFETCH(int, index);
        const Variant &variant = variants[index];
        const auto state = schedule::makeState(tests::program(variant.program));
        QVERIFY2(state, state ? "" : state.error().render().c_str());
        const std::string script = std::string("def apply_trace(sch):") + variant.script;
        const auto run = schedule::runScheduleScript(*state, script, "script.py");
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        tests::checkBackends(state->module, run->state.module);
        tests::checkBackends(state->module, run->state.module, {.seed = 7, .sizes = {{"n", 16}, {"m", 24}}});
    }

    /// A condition stands before a load of the same element for all lanes: those that fail it load nothing,
    /// and what they would have loaded does not decide.
    void lanesThatAreLeftOut()
    {
        const ir::Module rows = tests::parsed(R"(
@T.prim_func
def main(P: T.Buffer((6,), "bool"), A: T.Buffer((6, 4), "float32"), C: T.Buffer((6, 4), "float32")):
    for j, i in T.grid(6, 4):
        with T.block("C"):
            vj, vi = T.axis.remap("SS", [j, i])
            C[vj, vi] = T.Select(vj <= vi and vj <= 3 and P[vj], A[vj, vi], T.float32("-inf"))
)");
        const auto state = schedule::makeState(rows);
        QVERIFY(state);
        const auto run = schedule::runScheduleScript(*state,
                                                     "def apply_trace(sch):\n  b = sch.get_block(\"C\")\n  "
                                                     "j, i = sch.get_loops(b)\n  sch.vectorize(i)\n",
                                                     "script.py");
        QVERIFY(run);
        tests::checkBackends(rows, run->state.module);
    }
};

QTEST_GUILESS_MAIN(ScheduledTest)
#include "scheduled_test.moc"
