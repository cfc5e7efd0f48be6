// SPDX-License-Identifier: Apache-2.0
#include "core/session/session.h"

#include "core/ir/node/equality.h"
#include "core/schedule/primitive.h"
#include "core/session/files/project_file.h"
#include "tests/core/session/sessions.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>

using namespace nestwright;
using namespace nestwright::session;
using namespace nestwright::tests;

class SessionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A file with several schedules opens with one branch for each, named as the file names them.
    void schedulesOfTheFileBecomeBranches()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("k.py").toStdString();
        std::ofstream(path) << R"(import tvm
from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.compute((64, 64), lambda i, j: A[i, j] * 2.0, name="B")
for name, factor in [("four", 4), ("eight", 8), ("four again", 4)]:
    s = te.create_schedule(B.op)
    s[B].split(B.op.axis[1], factor=factor)
)";
        const Session session = begin(path);
        const VariantTree &tree = session.tree();
        QCOMPARE(tree.root().children.size(), 2U);
        QCOMPARE(tree.at(tree.root().children[0]).name, std::string("four, four again"));
        QCOMPARE(tree.at(tree.root().children[1]).name, std::string("eight"));
        QCOMPARE(tree.current().id, tree.root().children[0]);
        QVERIFY(tree.root().name.empty());
        // The names are kept in the session's file.
        const auto again = readProject(writeProject(session), "s.nest");
        QVERIFY(again);
        QCOMPARE(again->tree().at(tree.root().children[0]).name, std::string("four, four again"));
    }

    void theFastestOfOtherTargets()
    {
        VariantTree tree = begin().tree();
        const Variant &root = tree.root();
        QVERIFY(!root.fastestElsewhere());
        measure::Measurement measurement;
        measurement.time = {1, 1, 1};
        measurement.failed = measure::Failure::Crash;
        tree.setMeasurementElsewhere(root.id, "a", measurement);
        QVERIFY(!root.fastestElsewhere()); // one that failed is none
        measurement.failed = measure::Failure::None;
        for (const auto &[target, time] : {std::pair{"b", 4.0}, std::pair{"c", 2.0}, std::pair{"d", 3.0}}) {
            measurement.time = {time, time, time};
            tree.setMeasurementElsewhere(root.id, target, measurement);
        }
        QVERIFY(root.fastestElsewhere());
        QCOMPARE(root.fastestElsewhere()->first, std::string("c"));
        QCOMPARE(root.fastestElsewhere()->second.time.median, 2);
    }

    /// The results of rungs belong to the target that they were found on.
    void trustBelongsToItsTarget()
    {
        VariantTree tree = begin().tree();
        const VariantId root = tree.root().id;
        tree.setTarget("cuda");
        QVERIFY(tree.trust(root).empty());
        tree.setTrust(root, {measure::RungResult{}, measure::RungResult{}});
        QCOMPARE(tree.trust(root).size(), 2UL);
        tree.setTarget("opencl");
        QVERIFY(tree.trust(root).empty());
        tree.setTrust(root, {measure::RungResult{}});
        QCOMPARE(tree.trust(root).size(), 1UL);
        tree.setTarget("cuda");
        QCOMPARE(tree.trust(root).size(), 2UL);
    }

    void theOnlyScheduleOfAFileHasNoName()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("k.py").toStdString();
        std::ofstream(path) << R"(import tvm
from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.compute((64, 64), lambda i, j: A[i, j] * 2.0, name="B")
s = te.create_schedule(B.op)
s[B].split(B.op.axis[1], factor=4)
)";
        const Session session = begin(path);
        QCOMPARE(session.tree().size(), 2);
        QVERIFY(session.tree().all().back().name.empty());
    }

    /// Programs that a script compares are variants: a schedule that does nothing is the unscheduled one, one
    /// that fails is none.
    void comparisonsOfVariants()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("k.py").toStdString();
        const auto write = [&path](const char *second) {
            std::ofstream(path) << R"(from tvm import te
A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] * 2.0, name="B")
C = te.compute((32,), lambda i: B[i] + 1.0, name="C")
s1 = te.create_schedule(C.op)
before = tvm.lower(s1, [A, B, C])
s2 = te.create_schedule(C.op)
)" << second << R"(
after = tvm.lower(s2, [A, B, C])
def compare(a, b):
    print(a, b)
compare(str(before), str(after))
)";
        };
        write("s2[C].split(C.op.axis[0], factor=4)");
        const Session session = begin(path);
        QCOMPARE(session.comparisons().size(), 1U);
        const Comparison &comparison = session.comparisons()[0];
        QCOMPARE(comparison.before, session.tree().root().id);
        QCOMPARE(comparison.after, session.tree().current().id);
        QVERIFY(comparison.before != comparison.after);
        QCOMPARE(comparison.note.code, std::string("te.comparison"));
        write("s2[B].compute_at(s2[C], C.op.axis[0])"); // refused: B is an output
        QVERIFY(begin(path).comparisons().empty());
    }

    void errorsOfAnOwnScheduleNameItsLine()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("k.py").toStdString();
        std::ofstream(path) << R"(from tvm import te
A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] * 2.0, name="B")
C = te.compute((32,), lambda i: B[i] + 1.0, name="C")
s = te.create_schedule(C.op)

s[B].compute_at(s[C], C.op.axis[0])
f = tvm.lower(s, [A, B, C])
)";
        const Session session = begin(path);
        const auto error =
            std::ranges::find(session.notes(), "schedule.output-block", &support::Diagnostic::code);
        QVERIFY(error != session.notes().end());
        QCOMPARE(error->locations[0].line, 7);
        QCOMPARE(session.tree().size(), 1);
    }

    void applyingMakesChildrenAndUndoKeepsTheBranch()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const VariantId root = tree.root().id;
        const VariantId four = session.apply(root, splitStep(*tree.root().state, "i", 4));
        QVERIFY(tree.at(four).ok());
        QCOMPARE(tree.current().id.value, four.value);
        QVERIFY(tree.setCurrent(*tree.undoTarget()));
        const VariantId eight = session.apply(root, splitStep(*tree.root().state, "i", 8));
        QVERIFY(eight != four);
        QCOMPARE(tree.root().children.size(), 2UL);
        QVERIFY(tree.setCurrent(root));
        QCOMPARE(tree.redoTarget()->value, eight.value);
        QVERIFY(tree.setCurrent(four));
        QVERIFY(tree.setCurrent(root));
        QCOMPARE(tree.redoTarget()->value, four.value);
    }

    /// The steps of one action are one entry: undo leaves all of it, back to where the person was.
    void undoOfSeveralSteps()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const VariantId root = tree.root().id;
        const VariantId before = session.apply(root, splitStep(*tree.root().state, "i", 4));
        const int first = tree.size();
        const VariantId one = session.apply(root, splitStep(*tree.root().state, "i", 8));
        const VariantId two = session.apply(one, splitStep(*tree.at(one).state, "j", 8));
        const VariantId end = session.apply(two, splitStep(*tree.at(two).state, "k", 8));
        tree.fold(first, end, before);
        QVERIFY(tree.isOnTheWay(one) && tree.isOnTheWay(two) && !tree.isOnTheWay(end));
        QCOMPARE(tree.undoTarget()->value, before.value);
        QVERIFY(tree.setCurrent(before));
        QCOMPARE(tree.redoTarget()->value, end.value);
        QVERIFY(tree.setCurrent(two)); // where a person goes there is a row for it
        QVERIFY(!tree.isOnTheWay(two));
        QCOMPARE(tree.undoTarget()->value, one.value);
        QVERIFY(tree.setCurrent(end));
        tree.setName(one, "half way");
        QVERIFY(!tree.isOnTheWay(one));
    }

    void theSameStepTwiceIsOneVariant()
    {
        Session session = begin();
        const auto step = splitStep(*session.tree().root().state, "j", 4);
        const VariantId once = session.apply(session.tree().root().id, step);
        const VariantId twice = session.apply(session.tree().root().id, step);
        QCOMPARE(twice.value, once.value);
        QCOMPARE(session.tree().size(), 2);
    }

    void aRefusedStepStaysRedAndChangesNothing()
    {
        Session session = begin();
        const auto before = session.tree().root().state->module;
        const VariantId bad =
            session.apply(session.tree().root().id, splitStep(*session.tree().root().state, "i", 0));
        QVERIFY(!session.tree().at(bad).ok());
        QVERIFY(!session.tree().at(bad).state.error().message.empty());
        QCOMPARE(session.tree().current().id.value, 0);
        QVERIFY(!session.tree().setCurrent(bad));
        QVERIFY(ir::structurallyEqual(before, session.tree().root().state->module));
    }

    void exportedSchedulesComeBack()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const VariantId a = session.apply(tree.root().id, splitStep(*tree.root().state, "i", 4));
        const auto script = session.exportSchedule(a);
        QVERIFY2(script.has_value(), script ? "" : script.error().render().c_str());
        Session other = begin();
        const auto imported = other.importSchedule(*script, "exported.py");
        QVERIFY2(imported.has_value(), imported ? "" : imported.error().render().c_str());
        QVERIFY(ir::structurallyEqual(other.tree().current().state->module, tree.at(a).state->module));
    }

    /// A step that scripts write as others is one variant, and what comes behind it goes on from there.
    void whatIsThereAlreadyIsNotMadeAgain()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const auto tile = schedule::makeStep("tile", {{"x_loop", loopNamed(*tree.root().state, "i")},
                                                      {"y_loop", loopNamed(*tree.root().state, "j")},
                                                      {"x_factor", 2},
                                                      {"y_factor", 4}});
        QVERIFY(tile);
        const VariantId a = session.apply(tree.root().id, *tile);
        QVERIFY(tree.at(a).ok());
        const auto script = session.exportSchedule(a);
        QVERIFY(script && script->contains("sch.split"));
        tree.setCurrent(tree.root().id);
        const auto imported = session.importSchedule(*script, "exported.py");
        QVERIFY(imported);
        QVERIFY(*imported == a);
        QCOMPARE(tree.size(), 2);
        const auto more = session.importSchedule(
            *script + "  sch.parallel(sch.get_loops(sch.get_block(\"C\"))[0])\n", "longer.py");
        QVERIFY2(more, more ? "" : more.error().message.c_str());
        QCOMPARE(tree.size(), 3);
        QVERIFY(*tree.at(*more).parent == a);
    }

    void importKeepsWhatWasLegal()
    {
        Session session = begin();
        const auto imported = session.importSchedule("def apply_trace(sch):\n"
                                                     "  b0 = sch.get_block(name=\"C\", func_name=\"main\")\n"
                                                     "  l1, l2, l3 = sch.get_loops(block=b0)\n"
                                                     "  l4, l5 = sch.split(loop=l1, factors=[None, 4])\n"
                                                     "  l6, l7 = sch.split(loop=l2, factors=[None, 0])\n",
                                                     "bad.py");
        QVERIFY(!imported.has_value());
        QVERIFY2(session.tree().size() >= 2, imported.error().render().c_str());
        QVERIFY(session.tree().current().id.value == 1);
    }

    void aScheduleScriptIsNoKernel()
    {
        frontend::OpenedKernel kernel;
        kernel.kind = frontend::KernelSource::ScheduleScript;
        kernel.name = "s.py";
        const auto session = Session::begin(std::move(kernel), {});
        QVERIFY(!session.has_value());
        QCOMPARE(session.error().code, std::string("session.not-a-kernel"));
    }
};

QTEST_GUILESS_MAIN(SessionTest)
#include "session_test.moc"
