// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/document/document.h"

#include "tests/core/session/sessions.h"

#include <QtTest>

using namespace nestwright;
using session::VariantId;
using workbench::Document;

namespace {

/// Keeps work until it is let go.
class Held final : public workbench::Executor {
public:
    void run(std::function<Then()> work) override { m_work = std::move(work); }
    void cancel() override { m_work = nullptr; }
    bool hasWork() const { return m_work != nullptr; }
    void letGo()
    {
        const auto work = std::exchange(m_work, nullptr);
        work()();
    }
    void letAllGo()
    {
        while (hasWork())
            letGo();
    }

private:
    std::function<Then()> m_work;
};

/// Writes down what it is told.
class Told final : public workbench::Listener {
public:
    QStringList lines;
    void currentChanged(VariantId from) override { lines << QStringLiteral("from %1").arg(from.value); }
    void stepRefused(const support::Diagnostic &why) override { add("refused", why); }
    void dropped(const support::Diagnostic &why) override { add("dropped", why); }
    void editStopped(const support::Diagnostic &why) override { add("stopped", why); }
    void failed(const support::Diagnostic &why) override { add("failed", why); }

private:
    void add(const char *what, const support::Diagnostic &why)
    {
        lines << QStringLiteral("%1 %2").arg(QLatin1String(what), QString::fromStdString(why.code));
    }
};

Document::View viewOf(const schedule::State &state) { return std::make_shared<const schedule::State>(state); }

class WorkbenchDocumentTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_held = std::make_unique<Held>();
        m_told = std::make_unique<Told>();
        m_document = std::make_unique<Document>(*m_held, *m_told, viewOf);
        session::Session session = tests::begin();
        const Document::View view = viewOf(*session.tree().root().state);
        m_document->take(std::move(session), view);
    }

    void stepsRunAtOnceWhereNobodyWaits()
    {
        workbench::AtOnce atOnce;
        Document document(atOnce, *m_told, viewOf);
        document.take(tests::begin(), nullptr);
        document.apply(split("i", 4));
        document.apply(split("j", 8));
        document.undo();
        QCOMPARE(document.tree().size(), 3);
        QCOMPARE(document.currentId().value, 1);
        QVERIFY(!document.isBusy());
        QVERIFY(document.canRedo());
        QVERIFY(document.view());
    }

    /// Steps asked for before the first is done follow their loops to the program of that time.
    void stepsWaitAndFollow()
    {
        m_document->apply(split("i", 4));
        m_document->apply(split("j", 8));
        m_document->apply(schedule::makeStep("parallel", {{"loop", loop("k")}}).value()); // a sum: refused
        m_document->apply(split("k", 2));
        QVERIFY(m_document->isBusy());
        m_held->letAllGo();
        QCOMPARE(m_document->tree().size(), 4);
        QCOMPARE(m_document->currentId().value, 2);
        QCOMPARE(m_told->lines.size(), 4);
        QCOMPARE(m_told->lines.first(2), (QStringList{"from 0", "from 1"}));
        QVERIFY(m_told->lines.at(2).startsWith(u"refused schedule."));
        QCOMPARE(m_told->lines.at(3), QStringLiteral("dropped window.gone"));
    }

    void stepWhoseLoopIsGoneIsDropped()
    {
        const support::StmtId i = loop("i");
        m_document->apply(
            schedule::makeStep("fuse", {{"loops", schedule::ArgList{loop("i"), loop("j")}}}).value());
        m_document->apply(schedule::makeStep("unroll", {{"loop", i}}).value());
        m_document->apply(split("k", 2));
        m_held->letAllGo();
        // The fused loop stands for i: either it is unrolled in its place, or both requests are dropped.
        const bool isFollowed = bool(m_document->follow(i, {0}));
        QCOMPARE(m_document->tree().size(), isFollowed ? 4 : 2);
        QCOMPARE(m_told->lines.contains("dropped window.gone"), !isFollowed);
    }

    void jumpsInARowAreOne()
    {
        m_document->apply(split("i", 4));
        m_held->letAllGo();
        m_document->apply(split("j", 8));
        m_document->undo();
        m_document->undo();
        m_document->redo();
        m_held->letAllGo();
        QCOMPARE(m_document->currentId().value, 0 + 1);
        m_document->undo();
        QVERIFY(!m_document->canUndo());
        m_document->undo();
        QCOMPARE(m_document->currentId().value, 0);
    }

    void whatIsHeldWaits()
    {
        m_document->hold();
        m_document->apply(split("i", 4));
        QVERIFY(!m_held->hasWork());
        m_document->release();
        QVERIFY(!m_held->hasWork());
        m_document->startNext();
        QVERIFY(m_held->hasWork());
        m_held->letAllGo();
        QCOMPARE(m_document->tree().size(), 2);
    }

    void cancelForgetsWhatWaits()
    {
        QVERIFY(!m_document->cancel());
        m_document->apply(split("i", 4));
        m_document->apply(split("j", 8));
        QVERIFY(m_document->cancel());
        QVERIFY(!m_document->isBusy() && !m_held->hasWork());
        QCOMPARE(m_document->tree().size(), 1);
        m_document->apply(split("j", 8));
        m_held->letAllGo();
        QCOMPARE(m_document->tree().size(), 2);
    }

    void faultOfTheProgramLosesNothing()
    {
        m_document->apply(split("i", 4));
        m_document->apply(split("j", 8));
        m_held->cancel(); // the work came to no end
        m_document->workFailed(support::diagnostic("window.internal", "internal error"));
        QVERIFY(!m_document->isBusy());
        QCOMPARE(m_told->lines, QStringList{"failed window.internal"});
        QCOMPARE(m_document->problems().size(), 1U);
        m_document->apply(split("j", 8));
        m_held->letAllGo();
        QCOMPARE(m_document->tree().size(), 2);
    }

    /// A run of steps is one entry of the history, and undo goes back to where it began.
    void manyStepsAreOneEntry()
    {
        bool isDone = false;
        m_document->branch({0}, "both", {split("i", 4), split("j", 8)}, [&] { isDone = true; });
        m_held->letAllGo();
        QVERIFY(isDone);
        QCOMPARE(m_document->tree().size(), 3);
        QCOMPARE(m_document->tree().current().name, std::string("both"));
        QCOMPARE(m_document->tree().at({1}).partOf, std::optional(VariantId{2}));
        m_document->undo();
        m_held->letAllGo();
        QCOMPARE(m_document->currentId().value, 0);
    }

    /// Steps moved onto a program that one of them does not fit: it becomes a problem, the rest is kept.
    void editThatStops()
    {
        m_document->apply(split("i", 4));
        m_document->apply(schedule::makeStep("unroll", {{"loop", loop("k")}}).value());
        m_held->letAllGo();
        const VariantId end = m_document->currentId();
        QCOMPARE(end.value, 2);
        m_document->edit({.onto = {1}, .steps = {{1}, {2}}}); // i is split already
        m_held->letAllGo();
        QCOMPARE(m_told->lines.filter("stopped").size(), 1);
        QVERIFY(!m_document->rest().empty());
        QCOMPARE(m_document->rest().front().value, 1);
        m_document->goOn(true);
        m_held->letAllGo();
        QVERIFY(m_document->rest().empty());
        QCOMPARE(m_document->currentId(), end); // the same step on the same program
    }

    void worksOnNothing()
    {
        Document empty(*m_held, *m_told, viewOf);
        empty.undo();
        empty.applyAll("x", [](const schedule::State &) { return schedule::ScriptRun(); });
        empty.setTarget({});
        empty.allowEdits();
        QVERIFY(!empty.isOpen() && !empty.isBusy() && !empty.canUndo() && !empty.canRedo());
        QVERIFY(m_told->lines.isEmpty());
    }

private:
    support::StmtId loop(const char *name) const
    {
        return tests::loopNamed(*m_document->tree().current().state, name);
    }
    schedule::Step split(const char *name, int factor) const
    {
        return tests::splitStep(*m_document->tree().current().state, name, factor);
    }

    std::unique_ptr<Held> m_held;
    std::unique_ptr<Told> m_told;
    std::unique_ptr<Document> m_document;
};

} // namespace

QTEST_GUILESS_MAIN(WorkbenchDocumentTest)
#include "document_test.moc"
