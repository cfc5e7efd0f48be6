// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/sweep.h"

#include "core/ir/node/equality.h"
#include "core/measure/machine/this_machine.h"
#include "tests/core/session/sessions.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::session;
using namespace nestwright::tests;
using schedule::ArgList;
using schedule::ArgValue;

class SweepTest : public QObject {
    Q_OBJECT

    static Session tiled()
    {
        Session session = begin("op:matmul(M=64,N=64,K=64)");
        const auto made = session.importSchedule(R"(def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  i0, i1 = sch.split(i, [None, 8])
  j0, j1 = sch.split(j, [None, 16])
  sch.reorder(i0, j0, k, i1, j1)
  sch.vectorize(j1)
)",
                                                 "path.py");
        if (!made)
            qFatal("%s", made.error().render().c_str());
        return session;
    }

    /// A convolution whose filters lie in blocks of 16, in tiles of some filters and columns.
    static Session convolution()
    {
        Session session = begin("examples/conv2d.py");
        const auto made = session.importSchedule(R"(def apply_trace(sch):
  b = sch.get_block("Y")
  n, f, h, w, c, y, x = sch.get_loops(b)
  f0, f1 = sch.split(f, [None, 16])
  w0, w1 = sch.split(w, [None, 4])
  sch.reorder(h, w0, w1, c, y, x, f1)
  out = sch.cache_write(b, 0, "local")
  sch.reverse_compute_at(out, w0)
  sch.reorder(c, y, x, w1)
  sch.vectorize(f1)
  sch.cache_read(b, 1, "global")
  sch.transform_layout(b, ("read", 1), lambda f, c, h, w: (f // 16, c, h, w, f % 16))
  sch.transform_layout(b, ("write", 0), lambda n, f, h, w: (n, f // 16, h, w, f % 16))
  sch.unroll(w1)
  rows = sch.fuse(n, f0, h)
  sch.parallel(rows)
  sch.decompose_reduction(b, c)
)",
                                                 "convolution.py");
        if (!made)
            qFatal("%s", made.error().render().c_str());
        return session;
    }

private Q_SLOTS:
    /// Where neither number divides its loop, regions have no bounds of one form: they count for what an
    /// iteration touches, and threads keep to elements of their own.
    void numbersThatDivideNothing()
    {
        const Session session = convolution();
        const VariantTree &tree = session.tree();
        const std::vector<SweptNumber> all = sweptNumbers(tree, tree.current().id);
        const target::Machine machine{
            .vectors = {.bytes = 32},
            .threads = 2,
            .flops = 100e9,
            .levels = {
                {"L1", 32 << 10, 100e9}, {"L2", 512 << 10, 50e9}, {"L3", 16 << 20, 25e9}, {"DRAM", 0, 10e9}}};
        const SweepAxes axes{all[1], all[0], {4, 6, 12}, {8, 12, 16, 24}};
        const SweepGrid grid = sweepGrid(tree, axes, tree.current().id, machine);
        for (std::size_t i = 0; i < grid.points.size(); ++i) {
            const SweepPoint &point = grid.points[i];
            QVERIFY2(!point.why, point.why ? point.why->message.c_str() : "");
            QVERIFY(point.prediction);
            const double even = grid.at(0, i % 4 < 2 ? 0 : 2).prediction->seconds;
            QVERIFY2(point.prediction->seconds < 4 * even && point.prediction->seconds > even / 4,
                     qPrintable(QString("%1: %2 beside %3").arg(i).arg(point.prediction->seconds).arg(even)));
        }
    }

    void divisorsAreOffered()
    {
        const Session session = convolution();
        const VariantTree &tree = session.tree();
        const SweptNumber columns = sweptNumbers(tree, tree.current().id).at(1);
        const VariantId before = *tree.at(columns.variant).parent;
        const std::vector<std::int64_t> values =
            explore::valuesFor(*tree.at(before).state, tree.at(columns.variant).step, columns.number);
        for (const std::int64_t value : {7, 8, 14, 28, 56, 112, 224})
            QVERIFY2(std::ranges::contains(values, value), qPrintable(QString::number(value)));
        const SweepAxes axes = sweepAxes(tree, columns, sweptNumbers(tree, tree.current().id).at(0));
        QVERIFY(axes.rows.size() * axes.columns.size() <= mostCells);
        QVERIFY(std::ranges::contains(axes.rows, 28));
    }

    void numbers()
    {
        const Session session = tiled();
        const VariantTree &tree = session.tree();
        const std::vector<VariantId> path = tree.path(tree.current().id);
        const std::vector<explore::StepNumber> numbers = explore::numbersOf(tree.at(path[1]).step);
        QCOMPARE(numbers.size(), 1U);
        QCOMPARE(numbers[0].name, std::string("factors[1]"));
        QCOMPARE(numbers[0].value, 8);
        QVERIFY(explore::numbersOf(tree.at(path[3]).step).empty()); // reorder
        QVERIFY(explore::numbersOf(tree.root().step).empty());
        const schedule::Step changed = explore::withNumber(tree.at(path[1]).step, numbers[0], 32);
        QCOMPARE((*changed.args[1].as<ArgList>())[1], ArgValue(32));
        QVERIFY((*changed.args[1].as<ArgList>())[0].isNone());
    }

    void values()
    {
        const Session session = tiled();
        const VariantTree &tree = session.tree();
        const VariantId split = tree.path(tree.current().id)[1];
        const auto number = explore::numbersOf(tree.at(split).step).front();
        QCOMPARE(explore::valuesFor(*tree.root().state, tree.at(split).step, number),
                 (std::vector<std::int64_t>{2, 4, 6, 8, 12, 16, 24, 32, 48, 64}));
    }

    void pointsReplayTheRest()
    {
        const Session session = tiled();
        const VariantTree &tree = session.tree();
        const VariantId tip = tree.current().id, split = tree.path(tip)[2];
        const auto number = explore::numbersOf(tree.at(split).step).front();
        const target::Machine machine = measure::thisMachine(1);
        const SweepPoint wide = sweepPoint(tree, split, number, 32, tip, machine);
        QVERIFY(wide.state && !wide.why && wide.prediction);
        QVERIFY(wide.prediction->seconds > 0);
        QVERIFY(loopNamed(*wide.state, "j_1"));
        const SweepPoint none = sweepPoint(tree, split, number, 0, tip, machine);
        QVERIFY(none.why && !none.state && !none.prediction);
    }

    /// The number of a step, counted from 1.
    static SweptNumber numberOfStep(const VariantTree &tree, std::size_t step)
    {
        const VariantId id = tree.path(tree.current().id)[step];
        return {id, explore::numbersOf(tree.at(id).step).front()};
    }

    void numbersOfTheBranch()
    {
        const Session session = tiled();
        const std::vector<SweptNumber> all = sweptNumbers(session.tree(), session.tree().current().id);
        QCOMPARE(all.size(), 2U);
        QCOMPARE(describe(session.tree(), all[1]), std::string("factors[1] of split(j, [None, 16])"));
    }

    void cellsAreTheProgramsOfTheirEdits_data()
    {
        QTest::addColumn<bool>("downIsFirst");
        QTest::newRow("down is the earlier step") << true;
        QTest::newRow("across is the earlier step") << false;
    }

    void cellsAreTheProgramsOfTheirEdits()
    {
        QFETCH(const bool, downIsFirst);
        Session session = tiled();
        const VariantTree &tree = session.tree();
        SweptNumber down = numberOfStep(tree, 1), across = numberOfStep(tree, 2);
        if (!downIsFirst)
            std::swap(down, across);
        const SweepAxes axes{down, across, {4, 8, 0}, {16, 32}};
        double done = 0;
        const SweepGrid grid = sweepGrid(tree, axes, tree.current().id, measure::thisMachine(1),
                                         [&](double part) { done = part; });
        QCOMPARE(done, 1.0);
        QCOMPARE(grid.points.size(), 6U);
        for (std::size_t i = 0; i < 4; ++i) {
            const SweepPoint &point = grid.points[i];
            QVERIFY(point.state && point.prediction && !point.why);
            const Replayed replayed = replay(tree, point.edit);
            QCOMPARE(replayed.steps.size(), 4U);
            QVERIFY(ir::structurallyEqual(replayed.end.module, point.state->module));
            const SweepPoint one = sweepPoint(tree, down.variant, down.number, axes.rows[i / 2],
                                              tree.current().id, measure::thisMachine(1));
            const bool isOwnColumn = axes.columns[i % 2] == across.number.value;
            QCOMPARE(ir::structurallyEqual(one.state->module, point.state->module), isOwnColumn);
        }
        for (std::size_t i = 4; i < 6; ++i)
            QVERIFY(grid.points[i].why && !grid.points[i].state && !grid.points[i].prediction);
        QVERIFY(adopt(session.tree(), grid.at(0, 1).edit, replay(tree, grid.at(0, 1).edit)).value > 0);
        QVERIFY(ir::structurallyEqual(session.tree().current().state->module, grid.at(0, 1).state->module));
    }

    void twoNumbersOfOneStep()
    {
        Session session = begin("op:matmul(M=64,N=64,K=64)");
        QVERIFY(session.importSchedule(R"(def apply_trace(sch):
  i, j, k = sch.get_loops(sch.get_block("C"))
  i0, i1, i2 = sch.split(i, [None, 4, 2])
  sch.unroll(i2)
)",
                                       "path.py"));
        const VariantTree &tree = session.tree();
        const std::vector<SweptNumber> all = sweptNumbers(tree, tree.current().id);
        QCOMPARE(all.size(), 2U);
        const SweepGrid grid =
            sweepGrid(tree, {all[0], all[1], {4, 8}, {2, 4}}, tree.current().id, measure::thisMachine(1));
        QVERIFY(ir::structurallyEqual(grid.at(0, 0).state->module, tree.current().state->module));
        QVERIFY(
            ir::structurallyEqual(replay(tree, grid.at(1, 1).edit).end.module, grid.at(1, 1).state->module));
        QVERIFY(!ir::structurallyEqual(grid.at(1, 1).state->module, grid.at(0, 1).state->module));
    }

    /// Where a step between the two is not legal any more, nothing behind it is.
    void stepsBetweenThatAreNotLegal()
    {
        Session session = begin("op:matmul(M=64,N=64,K=64)");
        QVERIFY(session.importSchedule(R"(def apply_trace(sch):
  i, j, k = sch.get_loops(sch.get_block("C"))
  i0, i1 = sch.split(i, [None, 8])
  sch.split(i1, [2, 4])
  sch.split(j, [None, 16])
)",
                                       "path.py"));
        const VariantTree &tree = session.tree();
        const SweepGrid grid =
            sweepGrid(tree, {numberOfStep(tree, 1), numberOfStep(tree, 3), {8, 32}, {16, 32}},
                      tree.current().id, measure::thisMachine(1));
        for (std::size_t column = 0; column < 2; ++column) {
            QVERIFY(grid.at(0, column).state && !grid.at(0, column).why);
            QVERIFY(grid.at(1, column).why && !grid.at(1, column).state);
        }
    }

    /// Compilers take minutes for bodies of many thousand instructions.
    void bodiesThatAreTooLongAreRefused()
    {
        Session session = begin("op:matmul(M=512,N=512,K=4096)");
        QVERIFY(session.importSchedule(R"(def apply_trace(sch):
  i, j, k = sch.get_loops(sch.get_block("C"))
  i0, i1 = sch.split(i, [None, 4])
  j0, j1 = sch.split(j, [None, 16])
  sch.reorder(i0, j0, k, i1, j1)
  sch.vectorize(j1)
  sch.unroll(i1)
)",
                                       "path.py"));
        const VariantTree &tree = session.tree();
        const SweepGrid grid =
            sweepGrid(tree, {numberOfStep(tree, 1), numberOfStep(tree, 2), {16, 512}, {64, 512}},
                      tree.current().id, measure::thisMachine(1));
        QVERIFY(grid.at(0, 0).state && grid.at(0, 1).state && !grid.at(1, 0).state);
        QVERIFY(!grid.at(1, 1).state && grid.at(1, 1).why);
        QCOMPARE(grid.at(1, 1).why->code, std::string("sweep.too-long"));
    }

    void manyValuesAreThinnedOut()
    {
        Session session = begin("op:matmul(M=4096,N=4096,K=64)");
        QVERIFY(session.importSchedule(R"(def apply_trace(sch):
  i, j, k = sch.get_loops(sch.get_block("C"))
  i0, i1 = sch.split(i, [None, 12])
  j0, j1 = sch.split(j, [None, 16])
)",
                                       "path.py"));
        const SweepAxes axes =
            sweepAxes(session.tree(), numberOfStep(session.tree(), 1), numberOfStep(session.tree(), 2));
        QCOMPARE(axes.rows,
                 (std::vector<std::int64_t>{2, 4, 8, 12, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}));
        QVERIFY(axes.rows.size() * axes.columns.size() <= mostCells);
    }
};

QTEST_GUILESS_MAIN(SweepTest)
#include "sweep_test.moc"
