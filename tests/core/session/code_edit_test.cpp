// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/code_edit.h"

#include "core/measure/measurer.h"
#include "core/session/codes.h"
#include "core/session/files/project_file.h"
#include "core/session/history/history_edit.h"
#include "core/session/measure_job.h"
#include "tests/core/session/sessions.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::session;
using namespace nestwright::tests;

namespace {

/// An edit of the C of a variant with `line` in front of the last function's return.
CodeEdit editedC(const Session &session, VariantId of, const std::string &line = "/* by hand */")
{
    auto edit = beginEdit(*session.tree().at(of).state, session.target(), backend::SourceKind::C);
    if (!edit)
        qFatal("%s", edit.error().render().c_str());
    edit->text.insert(edit->text.find("int32_t main"), line + '\n');
    return *edit;
}

const Variant &editBelow(const VariantTree &tree, VariantId parent)
{
    for (const VariantId child : tree.at(parent).children) {
        if (tree.at(child).edit)
            return tree.at(child);
    }
    qFatal("no edited code");
}

} // namespace

class CodeEditTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anEditIsAVariant()
    {
        Session session = begin();
        const VariantId root = session.tree().root().id;
        const VariantId id = session.tree().addEdit(root, editedC(session, root));
        const Variant &edited = session.tree().at(id);
        QCOMPARE(edited.label, "edited C: +1 −0 lines");
        QVERIFY(edited.ok());
        QVERIFY(edited.parent == root);
        QVERIFY(session.tree().trace(id).empty());
        QVERIFY(session.tree().setCurrent(id));
        QVERIFY(session.tree().addEdit(root, editedC(session, root)) == id); // the same text
        QVERIFY(session.tree().addEdit(id, editedC(session, root, "/* again */")) != id);
        QVERIFY(session.tree().all().back().parent == root); // never of edited code
    }

    /// A step on edited code is one on the program that it is of.
    void aStepBeginsBelowTheEdit()
    {
        Session session = begin();
        const VariantId root = session.tree().root().id;
        const VariantId id = session.tree().addEdit(root, editedC(session, root));
        const VariantId split = session.apply(id, splitStep(*session.tree().at(id).state, "i", 4));
        QVERIFY(session.tree().at(split).parent == root);
        QCOMPARE(session.exportSchedule(id).value(), session.exportSchedule(root).value());
    }

    void savedAndOpenedAgain()
    {
        Session session = begin();
        const VariantId root = session.tree().root().id;
        const VariantId split = session.apply(root, splitStep(*session.tree().root().state, "i", 4));
        const VariantId id = session.tree().addEdit(split, editedC(session, split));
        session.tree().addName(id, "mine");
        session.tree().setCurrent(id);
        const auto opened = readProject(writeProject(session), "a.nest");
        QVERIFY2(opened, opened ? "" : opened.error().render().c_str());
        const Variant &edited = opened->tree().current();
        QCOMPARE(edited.id, id);
        QCOMPARE(edited.name, "mine");
        QVERIFY(edited.edit);
        QCOMPARE(edited.edit->text, session.tree().at(id).edit->text);
        QCOMPARE(edited.edit->base, session.tree().at(id).edit->base);
        QVERIFY(opened->notes().empty());
        QVERIFY(writeProject(*opened) == writeProject(session));
    }

    /// Sessions without edited code are those that earlier releases read.
    void theFormatIsThatOfBefore()
    {
        Session session = begin();
        QVERIFY(writeProject(session).contains("\"version\": 1"));
        session.tree().addEdit(session.tree().root().id, editedC(session, session.tree().root().id));
        QVERIFY(writeProject(session).contains("\"version\": 2"));
    }

    /// Edited code of a file is not run before somebody agrees.
    void aFilesEditsAreForeign()
    {
        Session session = begin();
        const VariantId root = session.tree().root().id;
        const VariantId id = session.tree().addEdit(root, editedC(session, root));
        QCOMPARE(session.tree().foreignEdits(), 0);
        QVERIFY(runnable(*session.tree().at(id).edit));
        auto opened = readProject(writeProject(session), "a.nest");
        QVERIFY(opened);
        QCOMPARE(opened->tree().foreignEdits(), 1);
        measure::MeasureJob job;
        const auto added = addTo(job, opened->tree().at(id));
        QVERIFY(!added);
        QCOMPARE(added.error().code, std::string(codes::foreignEdit));
        QVERIFY(job.variants.empty());
        // Nor where it is carried along.
        const VariantId split = opened->apply(root, splitStep(*opened->tree().root().state, "i", 4));
        const auto moved = carried(*opened->tree().at(id).edit, *opened->tree().at(split).state, {});
        QVERIFY(moved && moved->isForeign);
        opened->tree().allowEdits();
        QVERIFY(addTo(job, opened->tree().at(id)));
        QCOMPARE(job.edits.size(), std::size_t{1});
    }

    void damagedEditsAreNotes()
    {
        Session session = begin();
        const VariantId root = session.tree().root().id;
        session.tree().addEdit(root, editedC(session, root));
        std::string text = writeProject(session);
        const auto at = text.find("\"kind\": \"c\"");
        QVERIFY(at != std::string::npos);
        text.replace(at, 11, "\"kind\": \"x\"");
        const auto opened = readProject(text, "a.nest");
        QVERIFY(opened);
        QCOMPARE(opened->tree().size(), 1);
        QCOMPARE(opened->notes().size(), std::size_t{1});
        QCOMPARE(opened->notes().front().code, "session.edit");
    }

    /// A step that is left out below edited code: the edit goes along, onto the code of the new schedule.
    void historyEditsCarryTheEdit()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const VariantId root = tree.root().id;
        const VariantId first = session.apply(root, splitStep(*tree.root().state, "i", 4));
        const VariantId second = session.apply(first, splitStep(*tree.at(first).state, "j", 4));
        const VariantId id = tree.addEdit(second, editedC(session, second));
        // Where the edited code is current it stays so.
        tree.setCurrent(id);
        const HistoryEdit drop = dropStep(tree, first, tipOf(tree, first));
        const VariantId made = adopt(tree, drop, replay(tree, drop));
        QVERIFY(tree.at(made).edit);
        QVERIFY(tree.current().id == made);
        QVERIFY(tree.at(made).edit->text.contains("/* by hand */"));
        QCOMPARE(tree.at(made).edit->conflicts(), 0);
        QVERIFY(tree.at(made).edit->base
                == beginEdit(*tree.at(made).state, session.target(), backend::SourceKind::C)->text);
        QVERIFY(tree.trace(made).size() == 1);
        // Where it hangs on the end of the branch it comes along.
        tree.setCurrent(second);
        const HistoryEdit again = dropStep(tree, second, second);
        const VariantId end = adopt(tree, again, replay(tree, again));
        QVERIFY(end == first);
        QVERIFY(tree.current().id == first);
        QVERIFY(editBelow(tree, first).edit->text.contains("/* by hand */"));
    }

    /// Both sides stand in the text.
    void conflictsAreKept()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const VariantId root = tree.root().id;
        CodeEdit edit = editedC(session, root);
        const auto loop = edit.text.find("for (");
        edit.text.insert(loop + 4, " /* mine */ ");
        const VariantId id = tree.addEdit(root, edit);
        const VariantId split = session.apply(root, splitStep(*tree.root().state, "i", 4));
        const HistoryEdit onto = rebase(tree, id, id, split);
        const VariantId made = adopt(tree, onto, replay(tree, onto));
        const CodeEdit &moved = *tree.at(made).edit;
        QVERIFY(moved.conflicts() > 0);
        QVERIFY(moved.text.contains("<<<<<<< the edit\n")
                && moved.text.contains(">>>>>>> the new schedule\n"));
        QVERIFY(moved.text.contains("/* mine */") && moved.text.contains("/* by hand */"));
        QVERIFY(tree.at(made).label.contains("conflict"));
        const auto run = runnable(moved);
        QVERIFY(!run);
        QCOMPARE(run.error().code, "edited.conflict");
        QVERIFY(run.error().locations.front().line > 1);
    }

    /// Taking one step along leaves the edits of its variant where they are.
    void oneStepAloneCarriesNone()
    {
        Session session = begin();
        VariantTree &tree = session.tree();
        const VariantId root = tree.root().id;
        const VariantId first = session.apply(root, splitStep(*tree.root().state, "i", 4));
        tree.addEdit(first, editedC(session, first));
        const VariantId other = session.apply(root, splitStep(*tree.root().state, "k", 4));
        const int before = tree.size();
        const HistoryEdit pick = rebase(tree, first, first, other);
        adopt(tree, pick, replay(tree, pick));
        QCOMPARE(tree.size(), before + 1);
    }

    /// The sandbox is applied as described.
    void theQuestionSaysWhatIsApplied()
    {
        measure::Sandbox sandbox{.limits = true, .systemCalls = true, .files = true};
        const std::string all = foreignEditsText(2, sandbox);
        QVERIFY(all.contains("2 variants") && all.contains("runs in a sandbox"));
        QVERIFY(all.contains("seccomp") && all.contains("Landlock") && !all.contains("network"));
        sandbox.files = false;
        QVERIFY(foreignEditsText(1, sandbox).contains("Landlock is missing"));
        sandbox = {.files = true};
        QVERIFY(foreignEditsText(1, sandbox).contains("seccomp is missing"));
        QVERIFY(!foreignEditsText(1, sandbox).contains("runs in a sandbox"));
    }
};

QTEST_GUILESS_MAIN(CodeEditTest)
#include "code_edit_test.moc"
