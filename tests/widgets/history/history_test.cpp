// SPDX-License-Identifier: GPL-3.0-or-later
// The history of variants: its model, clicks and keys, the problems.
#include "core/schedule/primitive.h"
#include "core/session/session.h"
#include "tests/widgets/history/history_fixture.h"
#include "widgets/document/selection.h"
#include "widgets/document/work/sealing.h"
#include "widgets/history/problems_view.h"
#include "widgets/look/fonts.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

using namespace nestwright;
using models::VariantsModel;

class HistoryTest : public QObject, tests::HistoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { useCacheOfItsOwn(); }
    void init() { beginHistory(); }
    void cleanup() { endHistory(); }

    /// A step is sealed by itself, and says so beside the measured result.
    void sealsSteps()
    {
        document::Sealing sealing(*m_document);
        m_model->showSeals(sealing);
        apply("parallel", row("i"));
        QTRY_COMPARE_WITH_TIMEOUT(cell(1, VariantsModel::Result), QStringLiteral("sealed"), patience);
        QVERIFY(m_model->index(1, 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("Sealed: equal for every input")));
        QVERIFY(cell(0, VariantsModel::Result).isEmpty()); // nothing was scheduled there
        m_document->leave();
        QVERIFY(!sealing.of(m_document->currentId()));
    }

    /// Steps that one action makes are one row, which the mark before its text and keys unfold; undo leaves
    /// all of them.
    void stepsOfOneActionFold()
    {
        apply("parallel", row("i"));
        const session::VariantId before = m_document->currentId();
        std::vector<schedule::Step> steps;
        steps.push_back(schedule::makeStep("split", {{"loop", row("j")},
                                                     {"factors", schedule::ArgList{schedule::ArgValue(), 8}}})
                            .value());
        steps.push_back(schedule::makeStep("unroll", {{"loop", row("k")}}).value());
        steps.push_back(schedule::makeStep("vectorize", {{"loop", row("i")}}).value());
        m_document->branch(m_document->tree().root().id, "Three steps", steps);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 5, patience);
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
        const session::VariantId end = m_document->currentId();
        QCOMPARE(m_model->rowCount(), 3);
        QCOMPARE(cell(m_model->rowOf(end), VariantsModel::Step), QStringLiteral("Three steps (3 steps)"));
        const QRect folded = m_view->rowRect(end);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {},
                          QPoint(static_cast<int>(m_view->stepLeft()) + 3, folded.center().y()));
        QCOMPARE(m_model->rowCount(), 5);
        QVERIFY(m_document->currentId() == end);
        m_view->setFocus();
        m_view->setCurrentIndex(m_model->index(m_model->rowOf(end), 0));
        QTest::keyClick(m_view.get(), Qt::Key_Left);
        QCOMPARE(m_model->rowCount(), 3);
        m_document->undo();
        QTRY_VERIFY_WITH_TIMEOUT(m_document->currentId() == before, patience);
        m_document->redo();
        QTRY_VERIFY_WITH_TIMEOUT(m_document->currentId() == end, patience);
        // The one that is current has a row.
        m_document->jumpTo(*m_document->tree().at(end).parent);
        QTRY_VERIFY_WITH_TIMEOUT(m_document->currentId() != end, patience);
        QCOMPARE(m_model->rowCount(), 4);
        m_document->jumpTo(end);
        QTRY_VERIFY_WITH_TIMEOUT(m_document->currentId() == end, patience);
        QCOMPARE(m_model->rowCount(), 3);
    }

    /// A loop that runs so already: no variant is made of nothing.
    void noVariantOfNothing()
    {
        apply("parallel", row("i"));
        QSignalSpy refused(m_document.get(), &document::Document::stepRefused);
        m_document->apply(schedule::makeStep("parallel", {{"loop", row("i")}}).value());
        QTRY_COMPARE_WITH_TIMEOUT(refused.count(), 1, patience);
        QCOMPARE(m_document->tree().size(), 2);
        QCOMPARE(m_model->rowCount(), 2);
    }

    void growsAsATree()
    {
        QAbstractItemModelTester tester(m_model.get(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        apply("parallel", row("i"));
        apply("vectorize", row("j"));
        m_document->undo();
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 1, patience);
        apply("unroll", row("k")); // a branch
        QCOMPARE(m_model->rowCount(), 4);
        QCOMPARE(cell(1, VariantsModel::Step), QStringLiteral("parallel(i)"));
        QCOMPARE(cell(2, VariantsModel::Step), QStringLiteral("unroll(k)"));
        QCOMPARE(cell(3, VariantsModel::Step), QStringLiteral("vectorize(j)"));
        QVERIFY(m_model->isCurrent(2));
        apply("parallel", row("k")); // refused, on the branch
        const std::vector<VariantsModel::Row> &rows = m_model->rows();
        QCOMPARE(m_model->lanes(), 2);
        const auto drawn = [&](std::size_t row) {
            QString text(rows[row].lane, u' ');
            for (std::size_t lane = 0; lane < rows[row].lines.size(); ++lane)
                text[static_cast<qsizetype>(lane)] = rows[row].lines[lane] ? u'|' : u' ';
            return text + (rows[row].isBranch ? u'\\' : u'o') + (rows[row].goesOn ? u'+' : u'.');
        };
        QCOMPARE((QStringList{drawn(0), drawn(1), drawn(2), drawn(3), drawn(4)}),
                 (QStringList{"o+", "o+", "|\\+", "| \\.", "o."}));
    }

    void clicksAndKeysGoThere()
    {
        apply("parallel", row("i"));
        apply("vectorize", row("j"));
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, m_view->rowRect({0}).center());
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 0, patience);
        QTRY_VERIFY(!m_document->isBusy());
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 1, patience);
        QTRY_VERIFY(!m_document->isBusy());
        QTest::keyClick(m_view.get(), Qt::Key_End);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 2, patience);
    }

    void refusedOnesAreRedAndTell()
    {
        apply("parallel", row("k"));
        QCOMPARE(cell(1, VariantsModel::Result), QStringLiteral("refused"));
        QCOMPARE(m_model->tone(1, VariantsModel::Step), models::Tone::Bad);
        QSignalSpy refused(m_view.get(), &history::HistoryView::refusedChosen);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, m_view->rowRect({1}).center());
        QCOMPARE(refused.size(), 1);
        QCOMPARE(m_document->currentId().value, 0);
    }

    void manyVariantsStayQuick()
    {
        for (int i = 0; i < 40; ++i)
            apply(i % 2 == 0 ? "parallel" : "unroll", row("i"));
        QCOMPARE(m_model->rowCount(), 41);
        QVERIFY(!m_view->grab().isNull());
    }

    /// A thousand variants in ten branches: the text of each step has its room.
    void aThousandStepsAreReadable()
    {
        constexpr int branches = 10, steps = 100;
        auto session = session::Session::open(m_folder.filePath("matmul.py").toStdString()).value();
        const support::StmtId loop = row("i");
        for (int branch = 0; branch < branches; ++branch) {
            session::VariantId at = session.tree().root().id;
            for (int step = 0; step < steps; ++step)
                at = session.apply(
                    at, schedule::makeStep("annotate", {{"block_or_loop", loop},
                                                        {"ann_key", "pragma_" + std::to_string(branch)},
                                                        {"ann_val", std::int64_t{step}}})
                            .value());
        }
        m_document->openSession([session] { return session; });
        QTRY_COMPARE_WITH_TIMEOUT(m_model->rowCount(), 1 + branches * steps, patience);
        m_view->resize(700, 300); // the pane at 1366 x 768
        const QFontMetricsF metrics(look::interfaceFont(12, QFont::DemiBold));
        const double room = m_view->columnWidth(VariantsModel::Step) - m_view->stepLeft() - 12;
        for (int i = 0; i < m_model->rowCount(); ++i) {
            const QString text = cell(i, VariantsModel::Step);
            QVERIFY2(metrics.horizontalAdvance(text) <= room, qPrintable(text));
            QVERIFY2(i == 0 || text.startsWith("annotate(i, "), qPrintable(text));
        }
        QElapsedTimer timer;
        timer.start();
        m_view->scrollToTop();
        QVERIFY(!m_view->grab().isNull());
        QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
    }

    /// The pane becomes lower when charts come: the current step is still seen, unless it was not before.
    void theCurrentStepStaysInSight()
    {
        for (int step = 0; step < 14; ++step) {
            const auto made = schedule::makeStep("annotate", {{"block_or_loop", row("i")},
                                                              {"ann_key", "pragma_" + std::to_string(step)},
                                                              {"ann_val", std::int64_t{step}}});
            m_document->apply(*made);
            QTRY_COMPARE_WITH_TIMEOUT(m_model->rowCount(), step + 2, patience);
            QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
        }
        const auto current = [&] { return m_view->rowRect(m_document->currentId()); };
        const auto isInSight = [&] { return m_view->viewport()->rect().contains(current().center()); };
        QVERIFY(isInSight());
        m_view->resize(700, 120);
        QVERIFY(isInSight());
        m_view->scrollToTop();
        QVERIFY(!isInSight());
        m_view->resize(700, 140);
        QVERIFY(!isInSight());
    }

    void problemsLeadToTheirLoop()
    {
        history::ProblemsView problems(*m_document);
        problems.resize(400, 200);
        problems.show();
        apply("parallel", row("k"));
        QCOMPARE(problems.count(), 1);
        QTest::mouseClick(problems.viewport(), Qt::LeftButton, {},
                          problems.visualItemRect(problems.item(0)).center());
        QCOMPARE(m_document->selection().current(), row("k"));
        m_document->clearProblems();
        QCOMPARE(problems.count(), 0);
    }
};

QTEST_MAIN(HistoryTest)
#include "history_test.moc"
