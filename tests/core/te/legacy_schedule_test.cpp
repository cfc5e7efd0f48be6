// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/te_script.h"

#include "tests/support/steps_text.h"

#include <QtTest>

using namespace nestwright;

namespace {

const std::string kernel = R"(import tvm
from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.placeholder((64, 64), name="B")
k = te.reduce_axis((0, 64), name="k")
D = te.compute((64, 64), lambda i, j: A[i, j] * 2.0, name="D")
C = te.compute((64, 64), lambda i, j: te.sum(D[i, k] * B[k, j], axis=k), name="C")
s = te.create_schedule(C.op)
)";
constexpr int kernelLines = 8;

/// The lines of the schedule script that `steps` give, without its head.
QString stepsOf(const std::string &steps)
{
    const auto script = te::readTeScript(kernel + steps + "\n", "k.py");
    if (!script)
        return QString::fromStdString(script.error().render());
    if (script->schedules.empty())
        return "no schedule";
    const QString text = QString::fromStdString(tests::stepsText(script->schedules.back()));
    return text.section('\n', 2).trimmed().replace("\n  ", "\n");
}

class LegacyScheduleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tileSplitReorderAndAnnotations()
    {
        QCOMPARE(stepsOf(R"(
xo, yo, xi, yi = s[C].tile(C.op.axis[0], C.op.axis[1], 32, y_factor=16)
(kaxis,) = s[C].op.reduce_axis
ko, ki = s[C].split(kaxis, nparts=4)
s[C].reorder(xo, yo, ko, xi, ki, yi)
s[C].vectorize(yi)
s[C].parallel(xo)
s[C].unroll(ki)
s[C].pragma(ko, "auto_unroll_max_step", 16)
)"),
                 R"(b0 = sch.get_block(name="C", func_name="main")
l1, l2, l3 = sch.get_loops(block=b0)
l4, l5 = sch.split(loop=l1, factors=[None, 32])
l6, l7 = sch.split(loop=l2, factors=[None, 16])
sch.reorder(l4, l6, l5, l7)
l8, l9 = sch.split(loop=l3, factors=[4, None])
sch.reorder(l4, l6, l8, l5, l9, l7)
sch.vectorize(loop=l7)
sch.parallel(loop=l4)
sch.unroll(loop=l9)
sch.annotate(block_or_loop=l8, ann_key="pragma_auto_unroll_max_step", ann_val=16))");
    }

    void fuseAndBind()
    {
        QCOMPARE(stepsOf(R"(
fused = s[C].fuse(*s[C].op.axis)
bx, tx = s[C].split(fused, factor=64)
s[C].bind(bx, te.thread_axis("blockIdx.x"))
s[C].bind(tx, te.thread_axis((0, 64), "threadIdx.x"))
)"),
                 R"(b0 = sch.get_block(name="C", func_name="main")
l1, l2, l3 = sch.get_loops(block=b0)
l4 = sch.fuse(l1, l2)
l5, l6 = sch.split(loop=l4, factors=[None, 64])
sch.bind(loop=l5, thread_axis="blockIdx.x")
sch.bind(loop=l6, thread_axis="threadIdx.x"))");
    }

    /// The script schedules the producer first; its consumer's loops have to be there before it is moved.
    void computeAtComesAfterTheConsumersLoops()
    {
        QCOMPARE(stepsOf(R"(
s[D].vectorize(s[D].op.axis[1])
xo, xi = s[C].split(C.op.axis[0], factor=8)
s[D].compute_at(s[C], xo)
)"),
                 R"(b0 = sch.get_block(name="C", func_name="main")
l1, l2, l3 = sch.get_loops(block=b0)
l4, l5 = sch.split(loop=l1, factors=[None, 8])
b6 = sch.get_block(name="D", func_name="main")
sch.compute_at(block=b6, loop=l4, preserve_unit_loops=True, index=-1)
l7, l8, l9 = sch.get_loops(block=b6)
sch.vectorize(loop=l9))");
    }

    void inlineStandsFirst()
    {
        QCOMPARE(stepsOf("s[C].parallel(C.op.axis[0])\ns[D].compute_inline()"),
                 R"(b0 = sch.get_block(name="D", func_name="main")
sch.compute_inline(block=b0)
b1 = sch.get_block(name="C", func_name="main")
l2, l3, l4 = sch.get_loops(block=b1)
sch.parallel(loop=l2))");
    }

    void cacheWriteMovesTheReductionIntoTheCache()
    {
        QCOMPARE(stepsOf(R"(
CC = s.cache_write(C, "local")
xo, xi = s[C].split(C.op.axis[0], 8)
s[CC].compute_at(s[C], xo)
ko, ki = s[CC].split(s[CC].op.reduce_axis[0], factor=4)
s[CC].unroll(ki)
)"),
                 R"(b0 = sch.get_block(name="C", func_name="main")
b1 = sch.cache_write(block=b0, write_buffer_index=0, storage_scope="local")
l2, l3 = sch.get_loops(block=b1)
l4, l5 = sch.split(loop=l2, factors=[None, 8])
sch.compute_at(block=b0, loop=l4, preserve_unit_loops=True, index=-1)
l6, l7, l8, l9 = sch.get_loops(block=b0)
l10, l11 = sch.split(loop=l9, factors=[None, 4])
sch.unroll(loop=l11))");
    }

    void cacheReadNamesTheBufferByItsPlaceAmongTheReads()
    {
        QCOMPARE(stepsOf(R"(
BB = s.cache_read(B, "shared", [C])
BL = s.cache_read(BB, "local", [C])
s[BB].compute_at(s[C], C.op.axis[0])
s[BL].compute_at(s[C], s[C].op.reduce_axis[0])
)"),
                 R"(b0 = sch.get_block(name="C", func_name="main")
b1 = sch.cache_read(block=b0, read_buffer_index=1, storage_scope="shared", consumer_blocks=[b0])
b2 = sch.cache_read(block=b0, read_buffer_index=1, storage_scope="local", consumer_blocks=[b0])
l3, l4, l5 = sch.get_loops(block=b0)
sch.compute_at(block=b2, loop=l5, preserve_unit_loops=True, index=-1)
l6, l7, l8, l9, l10 = sch.get_loops(block=b2)
sch.compute_at(block=b1, loop=l3, preserve_unit_loops=True, index=-1)
l11, l12, l13 = sch.get_loops(block=b1))");
    }

    void rfactorKeepsPartialSums()
    {
        QCOMPARE(stepsOf(R"(
ko, ki = s[C].split(C.op.reduce_axis[0], factor=16)
CF = s.rfactor(C, ki)
s[CF].compute_at(s[C], s[C].op.reduce_axis[0])
s[C].bind(s[C].op.axis[0], te.thread_axis("blockIdx.x"))
s[C].bind(s[C].op.reduce_axis[0], te.thread_axis("threadIdx.x"))
s[CF].unroll(s[CF].op.reduce_axis[0])
)"),
                 R"(b0 = sch.get_block(name="C", func_name="main")
l1, l2, l3 = sch.get_loops(block=b0)
l4, l5 = sch.split(loop=l3, factors=[None, 16])
b6 = sch.rfactor(loop=l5, factor_axis=0)
l7, l8, l9 = sch.get_loops(block=b0)
sch.bind(loop=l7, thread_axis="blockIdx.x")
sch.bind(loop=l9, thread_axis="threadIdx.x")
sch.compute_at(block=b6, loop=l9, preserve_unit_loops=True, index=-1)
l10, l11, l12, l13, l14, l15, l16 = sch.get_loops(block=b6)
sch.unroll(loop=l16))");
        // At the root, the loops stand as the reduction had them; the script means the new dimension to be
        // outermost.
        QCOMPARE(stepsOf(R"(
ko, ki = s[C].split(C.op.reduce_axis[0], nparts=4)
CF = s.rfactor(C, ko)
s[CF].parallel(s[CF].op.axis[0])
)"),
                 R"(b0 = sch.get_block(name="C", func_name="main")
l1, l2, l3 = sch.get_loops(block=b0)
l4, l5 = sch.split(loop=l3, factors=[4, None])
b6 = sch.rfactor(loop=l4, factor_axis=0)
l7, l8, l9, l10 = sch.get_loops(block=b6)
sch.reorder(l9, l7, l8, l10)
sch.parallel(loop=l9))");
    }

    void stepsKeepTheirLines()
    {
        const auto script = te::readTeScript(
            kernel + "xo, xi = s[C].split(\n  C.op.axis[0], 8)\ns[C].parallel(xo)\n", "k.py");
        QVERIFY(script && !script->schedules.empty());
        QCOMPARE(script->schedules.back().steps.back().primitive, "parallel");
        QCOMPARE(script->schedules.back().steps.back().line, kernelLines + 3);
        QCOMPARE(script->schedules.back().steps[2].line, kernelLines + 1);
    }

    void aScheduleWithoutStepsIsNone() { QCOMPARE(stepsOf("s[C].compute_root()"), "no schedule"); }

    void partsNotCarriedOverAreNoted()
    {
        const auto script = te::readTeScript(kernel + R"(
cfg = autotvm.get_config() if False else print("x")
xo, xi = s[C].split(C.op.axis[0], cfg["tile"].val)
s[C].parallel(xo)
s[C].set_store_predicate(te.thread_axis("threadIdx.x").var.equal(0))
s[C].vectorize(C.op.axis[1])
)",
                                             "k.py");
        QVERIFY2(script, script ? "" : script.error().render().c_str());
        QStringList codes;
        for (const support::Diagnostic &note : script->notes)
            codes += QString("%1 %2")
                         .arg(note.locations[0].line - kernelLines)
                         .arg(QString::fromStdString(note.code));
        QVERIFY2(codes.contains("3 te.not-carried-over"), qPrintable(codes.join(", ")));
        QVERIFY2(codes.contains("4 te.not-carried-over"), qPrintable(codes.join(", ")));
        QVERIFY2(codes.contains("5 te.not-carried-over"), qPrintable(codes.join(", ")));
        QCOMPARE(script->schedules.back().steps.back().primitive, "vectorize");
    }

    void errors_data()
    {
        QTest::addColumn<QString>("steps");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("line");
        QTest::newRow("factor of 0") << "s[C].split(C.op.axis[0], factor=0)" << "te.bad-factor" << 1;
        QTest::newRow("no factor") << "s[C].split(C.op.axis[0])" << "te.argument" << 1;
        QTest::newRow("both factors") << "s[C].split(C.op.axis[0], factor=2, nparts=2)" << "te.argument" << 1;
        QTest::newRow("axis of another stage") << "s[C].parallel(D.op.axis[0])" << "te.not-an-axis" << 1;
        QTest::newRow("axis that was split")
            << "xo, xi = s[C].split(C.op.axis[0], 4)\ns[C].parallel(C.op.axis[0])" << "te.not-a-leaf" << 2;
        QTest::newRow("axes apart") << "s[C].fuse(C.op.axis[0], C.op.reduce_axis[0])" << "te.not-adjacent"
                                    << 1;
        QTest::newRow("rfactor of a spatial axis")
            << "s.rfactor(C, C.op.axis[0])" << "te.not-reduce-axis" << 1;
        QTest::newRow("rfactor to a dimension there is not")
            << "s.rfactor(C, C.op.reduce_axis[0], 3)" << "te.argument" << 1;
        QTest::newRow("axes in the wrong order")
            << "s[C].fuse(C.op.axis[1], C.op.axis[0])" << "te.not-adjacent" << 1;
        QTest::newRow("axis twice") << "s[C].reorder(C.op.axis[1], C.op.axis[1])" << "te.argument" << 1;
        QTest::newRow("placeholder") << "s[A].parallel(A.op.axis[0])" << "te.no-stage" << 1;
        QTest::newRow("a stage of a number") << "s[4]" << "te.type" << 1;
        QTest::newRow("unknown step") << "s[C].vectorise(C.op.axis[0])" << "te.unknown-attribute" << 1;
        QTest::newRow("unknown step of the schedule") << "s.cache(C)" << "te.unknown-attribute" << 1;
        QTest::newRow("thread that is none")
            << "s[C].bind(C.op.axis[0], \"threadIdx.x\")" << "te.argument" << 1;
        QTest::newRow("into itself") << "s[C].compute_at(s[C], C.op.axis[0])" << "te.argument" << 1;
        QTest::newRow("cache after a split")
            << "xo, xi = s[C].split(C.op.axis[0], 4)\ns.cache_write(C, \"local\")"
            << "te.cache-after-schedule" << 2;
    }
    /// Each of a tile's arguments may come from a line that is not carried out; the steps around it stay.
    void tilesOfSkippedValuesAreLeftOut()
    {
        for (const char *tile : {"i, j, n, 8", "i, j, 8, n", "n, j, 8, 8", "i, n, 8, 8"}) {
            const QString steps = stepsOf(std::string("n = np.random.randint(4)\ni, j = C.op.axis\n")
                                          + "s[C].tile(" + tile + ")\ns[C].parallel(i)");
            QVERIFY2(!steps.contains("split") && steps.contains("parallel"), qPrintable(steps));
        }
    }

    void errors()
    {
        QFETCH(QString, steps);
        QFETCH(QString, code);
        QFETCH(int, line);
        const auto script = te::readTeScript(kernel + steps.toStdString() + "\n", "k.py");
        QVERIFY2(!script, "the script was read");
        QVERIFY2(script.error().code == code.toStdString(), script.error().render().c_str());
        QCOMPARE(script.error().locations.at(0).line, line + kernelLines);
    }
};

} // namespace

QTEST_GUILESS_MAIN(LegacyScheduleTest)
#include "legacy_schedule_test.moc"
