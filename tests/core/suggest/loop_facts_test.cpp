// SPDX-License-Identifier: Apache-2.0
// Work and memory of loops.
#include "core/suggest/loop_facts.h"

#include "tests/core/suggest/nests.h"

#include <QtTest>

using namespace nestwright;

class LoopFactsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void matrixProduct()
    {
        const suggest::LoopNest nest = tests::nestOf("matmul");
        const auto facts = [&](const char *name) {
            return suggest::loopFacts(nest, tests::idOf(nest, name));
        };
        QCOMPARE(facts("i").iterations, 128);
        QCOMPARE(facts("i").flops, 2.0 * 128 * 128 * 128);
        QCOMPARE(facts("i").bytes, 3 * 65536.0);
        QCOMPARE(facts("j").flops, 2.0 * 128 * 128);
        QCOMPARE(facts("k").flops, 256.0);
        QCOMPARE(facts("k").bytes, 4.0 * (128 + 128 + 1));
        QCOMPARE(facts("k").intensity(), 256.0 / 1028);
    }

    /// A column takes a line for each element.
    void linesOfAColumn()
    {
        const ir::Module transpose = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((512, 512), "float32"), B: T.Buffer((512, 512), "float32")):
    for i, j in T.grid(512, 512):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vj, vi]
)");
        const suggest::LoopNest nest = tests::nestOf(schedule::makeState(transpose).value());
        const suggest::LoopFacts column = suggest::loopFacts(nest, tests::idOf(nest, "j"));
        QCOMPARE(column.bytes, 2 * 512 * 4.0);
        QCOMPARE(column.lineBytes, 512 * 64.0 + 512 * 4.0);
        const suggest::LoopFacts all = suggest::loopFacts(nest, tests::idOf(nest, "i"));
        QCOMPARE(all.lineBytes, all.bytes);
    }

    void symbolicSizes()
    {
        const suggest::LoopNest nest = tests::nestOf("symbolic");
        const suggest::LoopFacts facts = suggest::loopFacts(nest, nest.all().front());
        QVERIFY(!facts.iterations && !facts.flops && !facts.bytes && !facts.intensity());
    }

    void noLoop()
    {
        const suggest::LoopNest nest = tests::nestOf("matmul");
        const suggest::LoopFacts facts = suggest::loopFacts(nest, {});
        QVERIFY(!facts.iterations && !facts.flops && !facts.bytes);
    }
};

QTEST_APPLESS_MAIN(LoopFactsTest)
#include "loop_facts_test.moc"
