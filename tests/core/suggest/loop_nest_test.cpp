// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/reader.h"
#include "core/schedule/state_index.h"
#include "core/suggest/loop_nest.h"
#include "core/suggest/selection.h"
#include "tests/core/suggest/nests.h"

#include <QtTest>

#include <set>

using namespace nestwright;
using support::StmtId;
using tests::idOf;
using tests::nestOf;

namespace {

std::vector<std::string> names(const suggest::LoopNest &nest, const std::vector<StmtId> &ids)
{
    std::vector<std::string> found;
    for (const StmtId id : ids)
        found.push_back(nest.name(id));
    return found;
}

using Names = std::vector<std::string>;

} // namespace

class LoopNestTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void programOrderWithoutTheRoot()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        QCOMPARE(names(nest, nest.all()), (Names{"i", "j", "k", "C"}));
        const StmtId root = nest.state().index->function("main")->root();
        QVERIFY(nest.isRoot(root) && nest.contains(root));
        QVERIFY(!nest.isRoot(idOf(nest, "C")));
        QVERIFY(!nest.contains(StmtId{9999}));
        QVERIFY(!suggest::LoopNest().contains(root));
    }

    /// Two loops of one name are told apart as the printed program tells them.
    void namesAreThoseOfThePrintedProgram()
    {
        const suggest::LoopNest nest = nestOf("mm_relu");
        const Names all = names(nest, nest.all());
        QCOMPARE(std::set<std::string>(all.begin(), all.end()).size() + 2, all.size()); // i and j twice
        auto split =
            schedule::runScheduleScript(nest.state(), "sch.split(sch.get_loops('C')[0], [None, 8])", "s.py");
        QVERIFY(split);
        const suggest::LoopNest after = nestOf(split->state);
        QVERIFY(idOf(after, "i_0") && idOf(after, "i_1"));
        QCOMPARE(after.name(StmtId{9999}), std::string());
    }

    void factsOfLoops()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        QCOMPARE(nest.iterations(idOf(nest, "i")), std::optional<std::int64_t>(128));
        QVERIFY(!nest.iterations(idOf(nest, "C")));
        QVERIFY(!nestOf("symbolic").iterations(nestOf("symbolic").all().front()));
        QVERIFY(nest.axis(idOf(nest, "k"))->reduce && !nest.axis(idOf(nest, "k"))->spatial);
        QVERIFY(!nest.axis(idOf(nest, "C")));
    }

    void nests()
    {
        const suggest::LoopNest nest = nestOf("mm_relu");
        QCOMPARE(names(nest, nest.perfectNest(idOf(nest, "j"))), (Names{"i", "j", "k"}));
        QCOMPARE(nest.perfectNest(idOf(nest, "j", 1)).size(), std::size_t{2});
        QVERIFY(nest.perfectNest(idOf(nest, "C")).empty());
        QCOMPARE(names(nest, nest.loopsTo(idOf(nest, "j"))), (Names{"i", "j"}));
        QCOMPARE(names(nest, nest.loopsTo(idOf(nest, "C"))), (Names{"i", "j", "k"}));
        QCOMPARE(nest.firstBlock(idOf(nest, "i")), idOf(nest, "C"));
        QCOMPARE(nest.firstBlock(idOf(nest, "D")), idOf(nest, "D"));
        QCOMPARE(nest.firstBlock(StmtId{9999}), StmtId());
    }

    void selections()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        const suggest::Selection loop = suggest::selectionIn(nest, {idOf(nest, "k"), idOf(nest, "j")});
        QCOMPARE(loop.current, idOf(nest, "j"));
        QCOMPARE(loop.loop, loop.current);
        QCOMPARE(loop.block, idOf(nest, "C"));
        QCOMPARE(loop.all.size(), std::size_t{2});
        const suggest::Selection block = suggest::selectionIn(nest, {idOf(nest, "C")});
        QVERIFY(!block.loop && block.block == block.current);
        const suggest::Selection root =
            suggest::selectionIn(nest, {nest.state().index->function("main")->root()});
        QVERIFY(root.current && !root.loop && !root.block);
        QVERIFY(!suggest::selectionIn(nest, {StmtId{9999}}).current);
        QVERIFY(!suggest::selectionIn(nest, {}).current);
    }
};

QTEST_APPLESS_MAIN(LoopNestTest)
#include "loop_nest_test.moc"
