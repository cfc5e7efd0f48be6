// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/apply.h"
#include "core/suggest/advice.h"
#include "tests/core/suggest/nests.h"

#include <QtTest>

using namespace nestwright;
using tests::nestOf;

class AdviceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void adviceLeadsToAQuickProgram()
    {
        suggest::LoopNest nest = nestOf("matmul");
        QStringList taken;
        while (const auto advice = suggest::adviceFor(nest, {}, 2, {})) {
            taken << QString::fromStdString(advice->action);
            nest = nestOf(schedule::apply(nest.state(), advice->step).value().state);
            QVERIFY(taken.size() < 10);
        }
        // With j innermost the machine code has vectors already.
        QCOMPARE(taken,
                 QStringList({QStringLiteral("Reorder j innermost"), QStringLiteral("Run i in parallel")}));
        QVERIFY(!suggest::adviceFor(nestOf("symbolic"), {}, 1, {})); // nothing is known of its sizes
        // Where nothing tells, the loops do.
        nest = nestOf("matmul");
        taken.clear();
        lower::Target c;
        c.kind = lower::TargetKind::C;
        while (const auto advice = suggest::adviceFor(nest, c, 2, {})) {
            taken << QString::fromStdString(advice->action);
            nest = nestOf(schedule::apply(nest.state(), advice->step).value().state);
            QVERIFY(taken.size() < 10);
        }
        QCOMPARE(taken, QStringList({QStringLiteral("Reorder j innermost"), QStringLiteral("Split j by 32"),
                                     QStringLiteral("Vectorize j_1"), QStringLiteral("Run i in parallel")}));
    }
};

QTEST_APPLESS_MAIN(AdviceTest)
#include "advice_test.moc"
