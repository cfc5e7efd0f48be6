// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/history_edit.h"

#include "core/ir/node/equality.h"
#include "core/schedule/codes.h"
#include "core/schedule/primitive.h"
#include "tests/core/session/sessions.h"
#include "tests/support/check.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::session;
using namespace nestwright::tests;
using schedule::ArgList;
using schedule::ArgValue;
using schedule::Step;

namespace {

/// A session whose path is the script's, one step a line.
class Path {
public:
    explicit Path(const std::string &script) : session(begin("op:matmul(M=64,N=64,K=64)")) { add(script); }

    /// Adds steps that follow the unscheduled program, or what is shared with those that are there.
    void add(const std::string &script)
    {
        const auto made = session.importSchedule("def apply_trace(sch):\n" + script, "path.py");
        if (!made)
            qFatal("%s", made.error().render().c_str());
    }
    VariantTree &tree() { return session.tree(); }
    /// The variant on the way to `tip` whose step begins so.
    VariantId step(const std::string &label, VariantId tip)
    {
        for (const VariantId id : tree().path(tip)) {
            if (tree().at(id).label.starts_with(label))
                return id;
        }
        qFatal("no step %s", label.c_str());
    }
    std::vector<std::string> labels(VariantId tip)
    {
        std::vector<std::string> labels;
        for (const VariantId id : tree().path(tip)) {
            if (!tree().at(id).isRoot())
                labels.push_back(tree().at(id).label);
        }
        return labels;
    }

    Session session;
};

constexpr const char *tiled = R"(  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  i0, i1 = sch.split(i, [None, 16])
  j0, j1 = sch.split(j, [None, 8])
  sch.reorder(i0, j0, k, i1, j1)
  sch.parallel(i0)
  sch.vectorize(j1)
)";

using Labels = std::vector<std::string>;

} // namespace

class HistoryEditTest : public QObject {
    Q_OBJECT
private:
    /// Adopts what the edit makes; the end of it.
    static VariantId edited(Path &path, const HistoryEdit &edit)
    {
        Replayed replayed = replay(path.tree(), edit);
        if (replayed.conflict)
            qFatal("%s", replayed.conflict->render().c_str());
        const VariantId last = adopt(path.tree(), edit, std::move(replayed));
        if (!checkEquivalent(path.tree().root().state->module, path.tree().at(last).state->module))
            qFatal("the edited variant computes something else");
        return last;
    }

private Q_SLOTS:
    /// A dropped step takes nothing else with it; what was there stays.
    void dropInTheMiddle()
    {
        Path path(tiled);
        const VariantId tip = path.tree().current().id;
        const int before = path.tree().size();
        const VariantId end = edited(path, dropStep(path.tree(), path.step("parallel", tip), tip));
        QCOMPARE(path.labels(end), (Labels{"split(i, [None, 16])", "split(j, [None, 8])",
                                           "reorder(i_0, j_0, k, i_1, j_1)", "vectorize(j_1)"}));
        QCOMPARE(path.tree().size(), before + 1);
        QCOMPARE(path.tree().current().id, end);
        QCOMPARE(path.labels(tip).size(), 5U);
    }

    /// Ids shift where an earlier step is changed; the steps after it mean the same loops.
    void changedFactor()
    {
        Path path(tiled);
        const VariantId tip = path.tree().current().id, split = path.step("split(i", tip);
        Step step = path.tree().at(split).step;
        step.args[1] = ArgValue(ArgList{ArgValue(), ArgValue(2), ArgValue(8)});
        Replayed replayed = replay(path.tree(), changeStep(path.tree(), split, step, tip));
        // i_1 is now the loop in the middle: reorder names it as before.
        QVERIFY(!replayed.conflict);
        QCOMPARE(replayed.steps.size(), 5U);
        step.args[1] = ArgValue(ArgList{ArgValue(), ArgValue(32)});
        const VariantId end = edited(path, changeStep(path.tree(), split, step, tip));
        QCOMPARE(path.labels(end),
                 (Labels{"split(i, [None, 32])", "split(j, [None, 8])", "reorder(i_0, j_0, k, i_1, j_1)",
                         "parallel(i_0)", "vectorize(j_1)"}));
    }

    /// A step that names what the dropped one made is a conflict that says so; those before it are made.
    void conflict()
    {
        Path path(tiled);
        const VariantId tip = path.tree().current().id;
        const HistoryEdit edit = dropStep(path.tree(), path.step("split(j", tip), tip);
        Replayed replayed = replay(path.tree(), edit);
        QVERIFY(replayed.conflict);
        QCOMPARE(replayed.conflict->code, std::string(schedule::codes::replay));
        QCOMPARE(replayed.conflict->message, std::string("loop 'j_0' is not here"));
        QCOMPARE(replayed.steps.size(), 0U);
        QCOMPARE(replayed.rest.size(), 3U);
        QCOMPARE(adopt(path.tree(), edit, std::move(replayed)), edit.onto);
        QCOMPARE(path.tree().current().id, edit.onto);
    }

    /// A step that is not legal there becomes a refused variant with its reason; the rest is told.
    void refused()
    {
        Path path(R"(  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  sch.vectorize(j)
  sch.parallel(i)
)");
        const VariantId tip = path.tree().current().id, vectorize = path.step("vectorize", tip);
        path.add(R"(  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  sch.decompose_reduction(b, k)
)");
        const VariantId apart = path.tree().current().id;
        const HistoryEdit edit = rebase(path.tree(), vectorize, tip, apart);
        Replayed replayed = replay(path.tree(), edit);
        QVERIFY(!replayed.conflict);
        QCOMPARE(replayed.steps.size(), 1U);
        QCOMPARE(replayed.rest, (std::vector{vectorize, tip}));
        const VariantId last = adopt(path.tree(), edit, std::move(replayed));
        QVERIFY(!path.tree().at(last).ok());
        QCOMPARE(path.tree().at(last).state.error().hint,
                 std::string("apply this step before decompose_reduction"));
        QCOMPARE(path.tree().current().id, apart);
    }

    void moved()
    {
        Path path(tiled);
        const VariantId tip = path.tree().current().id;
        const VariantId end =
            edited(path, moveStep(path.tree(), path.step("vectorize", tip), path.step("reorder", tip), tip));
        QCOMPARE(path.labels(end), (Labels{"split(i, [None, 16])", "split(j, [None, 8])", "vectorize(j_1)",
                                           "reorder(i_0, j_0, k, i_1, j_1)", "parallel(i_0)"}));
        // Down again: the program is the one before.
        const VariantId back =
            edited(path, moveStep(path.tree(), path.step("vectorize", end), path.step("parallel", end), end));
        QCOMPARE(path.labels(back).at(3), std::string("vectorize(j_1)"));
        QVERIFY(ir::structurallyEqual(path.tree().at(back).state->module, path.tree().at(tip).state->module));
    }

    /// Steps of one branch on another, where the same loops have other ids.
    void takenAlong()
    {
        Path path(tiled);
        const VariantId tiledTip = path.tree().current().id;
        path.add(R"(  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  k0, k1, k2 = sch.split(k, [None, 4, 2])
  j0, j1 = sch.split(j, [None, 16])
)");
        const VariantId other = path.tree().current().id;
        const VariantId vectorize = path.step("vectorize", tiledTip);
        const VariantId end = edited(path, rebase(path.tree(), vectorize, vectorize, other));
        QCOMPARE(path.labels(end).back(), std::string("vectorize(j_1)"));
        const auto loop = *path.tree().at(end).step.args[0].as<ir::StmtId>();
        QCOMPARE(loop, loopNamed(*path.tree().at(other).state, "j_1"));
        QVERIFY(loop != *path.tree().at(vectorize).step.args[0].as<ir::StmtId>());
    }

    /// A whole branch on a base that has changed.
    void rebased()
    {
        Path path(tiled);
        const VariantId tip = path.tree().current().id;
        path.add(R"(  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  sch.annotate(b, "note", 1)
)");
        const VariantId base = path.tree().current().id;
        const VariantId end = edited(path, rebase(path.tree(), path.step("split(i", tip), tip, base));
        QCOMPARE(path.labels(end).size(), 6U);
        QVERIFY(path.labels(end).front().starts_with("annotate"));
    }

    void tips()
    {
        Path path(tiled);
        VariantTree &tree = path.tree();
        const VariantId tip = tree.current().id, first = path.step("split(i", tip);
        QCOMPARE(tipOf(tree, first), tip);
        tree.setCurrent(first);
        QCOMPARE(tipOf(tree, first), first); // up to where one stands
        tree.setCurrent(tree.root().id);
        QCOMPARE(tipOf(tree, first), tip); // where redo goes
    }
};

QTEST_GUILESS_MAIN(HistoryEditTest)
#include "history_edit_test.moc"
