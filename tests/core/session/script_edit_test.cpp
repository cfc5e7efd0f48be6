// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/script_edit.h"

#include "core/schedule/apply.h"
#include "core/schedule/primitive.h"
#include "tests/core/session/sessions.h"
#include "tests/support/check.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::session;
using namespace nestwright::tests;

namespace {

constexpr const char *tiledText = R"(def apply_trace(sch):
  b = sch.get_block("C")  # the only one
  loops = sch.get_loops(b)
  i0, i1 = sch.split(loops[0], [None, 4])
  sch.reorder(i0, loops[1], loops[2], i1)

  sch.vectorize(i1)
)";

struct Edited {
    Session session = begin();

    ScriptReading read(const std::string &text) const { return readScript(root(), text); }
    const schedule::State &root() const { return *session.tree().root().state; }
    /// Makes the text's branch current.
    VariantId follow(const std::string &text)
    {
        StepBranch branch = branchOf(session.tree(), read(text).steps);
        adopt(session.tree(), branch.edit(), std::move(branch.replayed));
        return session.tree().current().id;
    }
};

std::vector<int> linesOf(const ScriptReading &reading)
{
    std::vector<int> lines;
    for (const schedule::ScriptStep &each : reading.steps)
        lines.push_back(each.line);
    return lines;
}

std::string replaced(std::string text, const std::string &what, const std::string &with)
{
    const std::size_t at = text.find(what);
    if (at == std::string::npos)
        qFatal("no %s", what.c_str());
    return text.replace(at, what.size(), with);
}

} // namespace

class ScriptEditTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void linesOfStepsAreKnown()
    {
        const ScriptReading reading = Edited().read(tiledText);
        QVERIFY(!reading.fault);
        QCOMPARE(reading.faultLine, 0);
        QCOMPARE(linesOf(reading), (std::vector{4, 5, 7}));
        QCOMPARE(reading.names.schedule, std::string("sch"));
        QVERIFY(reading.names.taken.contains("loops"));
    }

    /// The steps before the first line at fault are run, whether it is no step, no Python or not finished.
    void theFirstFaultEndsIt_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("with");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("steps");
        QTest::newRow("illegal step") << "vectorize(i1)" << "vectorize(loops[2])" << 7 << 2;
        QTest::newRow("unknown name") << "vectorize(i1)" << "vectorize(i7)" << 7 << 2;
        QTest::newRow("unfinished call") << "vectorize(i1)" << "vectorize(i1" << 7 << 2;
        QTest::newRow("unfinished call above others") << "i0, loops[1], loops[2], i1)" << "i0, " << 5 << 1;
        QTest::newRow("no Python") << "sch.reorder(" << "sch reorder(" << 5 << 1;
        QTest::newRow("unfinished list") << "[None, 4]" << "[None, " << 4 << 0;
        QTest::newRow("two faults, the first counts")
            << "loops[2], i1)\n\n  sch.vectorize(i1)" << "loops[9], i1)\n\n  sch.vec(" << 5 << 1;
        QTest::newRow("empty loop") << "sch.vectorize(i1)" << "for l in loops:" << 7 << 2;
        QTest::newRow("head") << "def apply_trace(sch):" << "def apply_trace(sch" << 1 << 0;
    }
    void theFirstFaultEndsIt()
    {
        QFETCH(QString, what);
        QFETCH(QString, with);
        QFETCH(int, line);
        QFETCH(int, steps);
        const ScriptReading reading =
            Edited().read(replaced(tiledText, what.toStdString(), with.toStdString()));
        QVERIFY(reading.fault);
        QCOMPARE(reading.faultLine, line);
        QCOMPARE(static_cast<int>(reading.steps.size()), steps);
    }

    void loopsAndConditionsAreRun()
    {
        const ScriptReading reading = Edited().read(R"(def apply_trace(sch):
  for name in ["C"]:
    for l in sch.get_loops(sch.get_block(name)):
      if sch.get(l).extent == 16:
        sch.annotate(l, "mark", 1)
)");
        QVERIFY(!reading.fault);
        QCOMPARE(linesOf(reading), (std::vector{5, 5, 5}));
    }

    void theSameStepsAreTheSameVariants()
    {
        Edited edited;
        const VariantId tip = edited.follow(tiledText);
        QCOMPARE(edited.session.tree().size(), 4);
        QCOMPARE(edited.follow(tiledText), tip);
        QCOMPARE(edited.session.tree().size(), 4);
        // A step in the middle is left out: what stands before it is shared.
        const VariantId other =
            edited.follow(replaced(tiledText, "  sch.reorder(i0, loops[1], loops[2], i1)\n", ""));
        QCOMPARE(edited.session.tree().size(), 5);
        QCOMPARE(edited.session.tree().at(other).parent, std::optional(VariantId{1}));
        edited.follow(replaced(tiledText, "vectorize", "unroll"));
        QCOMPARE(edited.session.tree().size(), 6);
        QCOMPARE(edited.session.tree().current().parent, std::optional(VariantId{2}));
        // An illegal step leaves no variant: it is text still.
        edited.follow(replaced(tiledText, "vectorize(i1)", "vectorize(loops[2])"));
        QCOMPARE(edited.session.tree().size(), 6);
        QCOMPARE(edited.session.tree().current().id, VariantId{2});
    }

    /// Steps made elsewhere are lines at the end, with the names that the text gives.
    void stepsMadeElsewhereAreAppended()
    {
        Edited edited;
        edited.follow(tiledText);
        const ScriptReading reading = edited.read(tiledText);
        const support::StmtId k =
            *reading.steps[1].step.args[0].as<schedule::ArgList>()->at(2).as<support::StmtId>();
        edited.session.apply(
            edited.session.tree().current().id,
            schedule::makeStep("split", {{"loop", k}, {"factors", schedule::ArgList{{}, 2}}}).value());
        QVERIFY(edited.session.tree().current().ok());
        const auto change =
            changeTo(edited.session.tree(), edited.session.tree().current().id, tiledText, reading);
        QVERIFY(change);
        QCOMPARE(change->firstGone, 0);
        QCOMPARE(change->added, std::string("  l0, l1 = sch.split(loop=loops[2], factors=[None, 2], "
                                            "preserve_unit_iters=True, disable_predication=False)\n"));
        QCOMPARE(change->text, tiledText + change->added);
        QVERIFY(!change->reading.fault);
        QCOMPARE(edited.follow(change->text), VariantId{4});
    }

    void namesThatAreTakenStay()
    {
        Edited edited;
        const std::string text = "l0 = sch.get_block(\"C\")\n";
        const ScriptReading reading = edited.read(text);
        QVERIFY(!reading.fault);
        const VariantId split = edited.session.apply({0}, splitStep(edited.root(), "i", 4));
        const auto change = changeTo(edited.session.tree(), split, text, reading);
        QVERIFY(change);
        QCOMPARE(change->added, std::string("l1, l2, l3 = sch.get_loops(block=l0)\n"
                                            "l4, l5 = sch.split(loop=l1, factors=[None, 4], "
                                            "preserve_unit_iters=True, disable_predication=False)\n"));
    }

    /// Going back takes the lines of the steps behind away, as far as they stand apart.
    void stepsThatWereUndoneGo()
    {
        Edited edited;
        const VariantId tip = edited.follow(tiledText);
        const auto &tree = edited.session.tree();
        const ScriptReading reading = edited.read(tiledText);
        const auto undone = changeTo(tree, *tree.at(tip).parent, tiledText, reading);
        QVERIFY(undone);
        QCOMPARE(undone->firstGone, 7);
        QCOMPARE(undone->text, replaced(tiledText, "  sch.vectorize(i1)\n", ""));
        const auto none = changeTo(tree, tip, tiledText, reading);
        QVERIFY(none && none->isNone());
        const auto redone = changeTo(tree, tip, undone->text, undone->reading);
        QVERIFY(redone);
        QCOMPARE(redone->added, std::string("  sch.vectorize(loop=i1)\n"));
        const auto all = changeTo(tree, {0}, tiledText, reading);
        QVERIFY(all);
        QCOMPARE(all->firstGone, 4);
    }

    /// Nothing above is rewritten and nothing that is not legal goes: the text stays as it is.
    void whatCannotFollowStays()
    {
        Edited edited;
        const std::string faulty = replaced(tiledText, "vectorize(i1)", "vectorize(loops[2])");
        edited.follow(faulty);
        const ScriptReading reading = edited.read(faulty);
        QVERIFY(!changeTo(edited.session.tree(), {1}, faulty, reading));
        const auto same = changeTo(edited.session.tree(), {2}, faulty, reading);
        QVERIFY(same && same->isNone());
        const std::string loop =
            "b = sch.get_block(\"C\")\nfor l in sch.get_loops(b):\n  sch.annotate(l, \"mark\", 1)\n";
        const VariantId tip = edited.follow(loop);
        QVERIFY(
            !changeTo(edited.session.tree(), *edited.session.tree().at(tip).parent, loop, edited.read(loop)));
    }

    void anEmptyFunctionHasPass()
    {
        Edited edited;
        const std::string text = "def apply_trace(sch):\n  sch.annotate(sch.get_block(\"C\"), \"mark\", 1)\n";
        edited.follow(text);
        const auto change = changeTo(edited.session.tree(), {0}, text, edited.read(text));
        QVERIFY(change);
        QCOMPARE(change->text, std::string("def apply_trace(sch):\n  pass\n"));
    }
};

QTEST_APPLESS_MAIN(ScriptEditTest)
#include "script_edit_test.moc"
