// SPDX-License-Identifier: Apache-2.0
#include "core/session/sweep.h"

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

private Q_SLOTS:
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
        const explore::Machine machine = explore::thisMachine(1);
        const SweepPoint wide = sweepPoint(tree, split, number, 32, tip, machine);
        QVERIFY(wide.state && !wide.why && wide.prediction);
        QVERIFY(wide.prediction->seconds > 0);
        QVERIFY(loopNamed(*wide.state, "j_1"));
        const SweepPoint none = sweepPoint(tree, split, number, 0, tip, machine);
        QVERIFY(none.why && !none.state && !none.prediction);
    }
};

QTEST_GUILESS_MAIN(SweepTest)
#include "sweep_test.moc"
