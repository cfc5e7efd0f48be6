// SPDX-License-Identifier: GPL-3.0-or-later
// The loop tree by mouse and keys: selecting, folding, dragging loops and blocks, moving by key.
#include "tests/support/programs.h"
#include "widgets/document/action_list.h"
#include "widgets/document/buffer_mime.h"
#include "widgets/document/document.h"
#include "widgets/document/machine_code.h"
#include "widgets/document/selection.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/looptree/loop_tree.h"
#include "widgets/models/nest_model.h"

#include <QDragEnterEvent>
#include <QFile>
#include <QMimeData>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

using namespace nestwright;

namespace {
constexpr int patience = 20000;
}

class LoopTreeTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<jobs::JobRunner> m_jobs;
    std::unique_ptr<document::Document> m_document;
    std::unique_ptr<document::ActionList> m_actions;
    std::unique_ptr<document::MachineCode> m_code;
    std::unique_ptr<looptree::LoopTree> m_tree;

    void open(std::string_view program)
    {
        const QString path = m_folder.filePath(QStringLiteral("kernel.py"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const std::string_view text = tests::programText(program);
        file.write(text.data(), qint64(text.size()));
        file.close();
        m_document->open(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_document->isOpen() && !m_document->isBusy(), patience);
    }
    support::StmtId row(const char *name, int which = 0) const
    {
        for (const document::NestRow &each : m_document->nest()->rows) {
            if (each.name == QLatin1String(name) && which-- == 0)
                return each.id;
        }
        return {};
    }
    QString order() const
    {
        QStringList names;
        for (const document::NestRow &each : m_document->nest()->rows)
            names << each.name;
        return names.join(u' ');
    }
    void click(support::StmtId id, Qt::KeyboardModifiers modifiers = {}) const
    {
        QTest::mouseClick(m_tree->viewport(), Qt::LeftButton, modifiers, m_tree->rowRect(id).center());
    }
    /// Leaves the button pressed over `to`.
    void beginDrag(support::StmtId id, const QPoint &to) const
    {
        const QPoint from = m_tree->rowRect(id).center();
        QTest::mousePress(m_tree->viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(m_tree->viewport(), from + QPoint(0, 15));
        QTest::mouseMove(m_tree->viewport(), from + QPoint(0, 30));
        QVERIFY(m_tree->isDragging());
        QTRY_VERIFY_WITH_TIMEOUT(!m_actions->placements().empty(), patience);
        QTest::mouseMove(m_tree->viewport(), to);
    }

private Q_SLOTS:
    void init()
    {
        m_jobs = std::make_unique<jobs::JobRunner>(2);
        m_document = std::make_unique<document::Document>(*m_jobs);
        m_actions = std::make_unique<document::ActionList>(*m_document);
        m_code = std::make_unique<document::MachineCode>(*m_document);
        m_tree = std::make_unique<looptree::LoopTree>(*m_document, *m_actions, *m_code);
        m_tree->resize(420, 420);
        m_tree->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_tree.get()));
    }
    void cleanup()
    {
        m_jobs->cancelAll();
        m_tree.reset();
        m_code.reset();
        m_actions.reset();
        m_document.reset();
        m_jobs.reset();
    }

    void selectsByMouseAndKeys()
    {
        open("matmul");
        click(row("j"));
        QCOMPARE(m_document->selection().current(), row("j"));
        QTest::keyClick(m_tree.get(), Qt::Key_Down);
        QCOMPARE(m_document->selection().current(), row("k"));
        QTest::keyClick(m_tree.get(), Qt::Key_Home);
        QCOMPARE(m_document->selection().current(), row("i"));
        QTest::keyClick(m_tree.get(), Qt::Key_End);
        QCOMPARE(m_document->selection().current(), row("C"));
    }

    void cyclesStandWhereThereIsRoom()
    {
        using models::NestModel;
        open("matmul");
        const auto cyclesOf = [&](const char *name) {
            return m_tree->nestModel()->indexOf(row(name), NestModel::Cycles).data().toString();
        };
        QTRY_VERIFY(!cyclesOf("k").isEmpty());
        QVERIFY(cyclesOf("k").toDouble() > 0);
        QVERIFY(cyclesOf("i").isEmpty());
        QVERIFY(!m_tree->isColumnHidden(NestModel::Cycles));
        m_tree->resize(340, 420);
        QVERIFY(m_tree->isColumnHidden(NestModel::Cycles));
        m_document->setTarget(*target::parseTarget("c"));
        QTRY_VERIFY(cyclesOf("k").isEmpty());
    }

    void severalInTheOrderChosen()
    {
        open("matmul");
        click(row("k"));
        click(row("i"), Qt::ControlModifier);
        const std::vector<support::StmtId> expected{row("k"), row("i")};
        QCOMPARE(m_document->selection().all(), expected);
    }

    void followsTheSelection()
    {
        open("matmul");
        m_document->selection().select(row("k"));
        QCOMPARE(m_tree->nestModel()->id(m_tree->currentIndex()), row("k"));
        QVERIFY(m_tree->selectionModel()->isSelected(m_tree->nestModel()->indexOf(row("k"))));
    }

    void foldingSurvivesRewrites()
    {
        open("mm_relu");
        const support::StmtId second = row("i", 1);
        click(second);
        QTest::keyClick(m_tree.get(), Qt::Key_Left);
        QVERIFY(m_tree->rowRect(row("j", 1)).isNull());
        m_document->apply(schedule::makeStep("parallel", {{"loop", row("i")}}).value());
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QTRY_VERIFY(!m_document->isBusy());
        QVERIFY(m_tree->rowRect(row("j", 1)).isNull());
        QVERIFY(!m_tree->rowRect(row("j")).isNull());
        QCOMPARE(m_document->selection().current(), second);
        QTest::keyClick(m_tree.get(), Qt::Key_Right);
        QVERIFY(!m_tree->rowRect(row("j", 1)).isNull());
    }

    void dragsALoop()
    {
        open("matmul");
        beginDrag(row("i"), QPoint(100, m_tree->rowRect(row("k")).bottom()));
        QTest::mouseRelease(m_tree->viewport(), Qt::LeftButton, {},
                            QPoint(100, m_tree->rowRect(row("k")).bottom()));
        QVERIFY(!m_tree->isDragging());
        QTRY_COMPARE_WITH_TIMEOUT(order(), QStringLiteral("j k i C"), patience);
        QCOMPARE(m_document->tree().current().label, std::string("reorder(j, k, i)"));
    }

    void dropsNowhereAndEscapes()
    {
        open("matmul");
        beginDrag(row("i"), QPoint(100, m_tree->rowRect(row("k")).bottom()));
        QTest::keyClick(m_tree.get(), Qt::Key_Escape);
        QVERIFY(!m_tree->isDragging());
        QTest::mouseRelease(m_tree->viewport(), Qt::LeftButton, {}, QPoint(100, 10));
        beginDrag(row("i"), QPoint(100, m_tree->viewport()->height() - 2));
        QTest::mouseRelease(m_tree->viewport(), Qt::LeftButton, {},
                            QPoint(100, m_tree->viewport()->height() - 2));
        QTest::qWait(20);
        QCOMPARE(m_document->tree().size(), 1);
    }

    /// Where programs run on threads, a loop is bound to the axis that it is dropped on.
    void dragsALoopOntoThreads()
    {
        open("matmul");
        beginDrag(row("i"), QPoint(100, 100));
        QVERIFY(m_tree->cellOf("blockIdx.x").isNull()); // a processor has none
        QTest::keyClick(m_tree.get(), Qt::Key_Escape);
        QTest::mouseRelease(m_tree->viewport(), Qt::LeftButton, {}, QPoint(100, 100));

        m_document->setTarget(*target::parseTarget("cuda"));
        const auto drop = [&](const char *loop, const char *thread) {
            beginDrag(row(loop), QPoint(100, 100));
            const QPoint cell = m_tree->cellOf(thread).center();
            QVERIFY(m_tree->viewport()->rect().contains(cell));
            QTest::mouseMove(m_tree->viewport(), cell);
            if (const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS"); !folder.isEmpty())
                m_tree->grab().save(folder + QStringLiteral("/tree-threads-%1.png").arg(QLatin1String(loop)));
            QTest::mouseRelease(m_tree->viewport(), Qt::LeftButton, {}, cell);
            QVERIFY(!m_tree->isDragging());
        };
        drop("k", "blockIdx.x"); // a reduction: nothing happens
        QTest::qWait(20);
        QCOMPARE(m_document->tree().size(), 1);
        drop("i", "blockIdx.y");
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().current().label, std::string("bind(i, \"blockIdx.y\")"),
                                  patience);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->nest()->row(row("i"))->badge, QStringLiteral("blockIdx.y"),
                                  patience);
        QVERIFY(m_document->nest()->row(row("i"))->threads == ir::ThreadRank::Block);
        drop("j", "threadIdx.x");
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 3, patience);
        // The shelf stays where the target is changed back: the program has threads.
        m_document->setTarget({});
        QTRY_VERIFY(!m_document->isBusy());
        drop("k", "threadIdx.y");
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 4, patience);
        for (const document::NestRow &each : m_document->nest()->rows)
            QCOMPARE(each.memoryLevel, 0); // of this processor's caches
    }

    /// Rows beyond the edge come into reach: by waiting at the edge, and by the wheel.
    void aDragScrolls()
    {
        open("mm_relu");
        m_tree->resize(420, 130);
        QScrollBar *bar = m_tree->verticalScrollBar();
        QTRY_VERIFY(bar->maximum() > 0);
        m_tree->scrollToTop();
        const int middle = m_tree->viewport()->height() / 2, bottom = m_tree->viewport()->height() - 3;
        beginDrag(row("i"), QPoint(100, middle));
        QTest::qWait(60);
        QCOMPARE(bar->value(), 0);
        QTest::mouseMove(m_tree->viewport(), QPoint(100, bottom));
        QTRY_COMPARE(bar->value(), bar->maximum());
        QTest::mouseMove(m_tree->viewport(), QPoint(100, 2));
        QTRY_COMPARE(bar->value(), 0);
        QTest::mouseMove(m_tree->viewport(), QPoint(100, middle));
        const QPointF at(100, middle);
        QWheelEvent wheel(at, m_tree->viewport()->mapToGlobal(at), {}, {0, -120}, Qt::LeftButton, {},
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_tree->viewport(), &wheel);
        QVERIFY(bar->value() > 0);
        QVERIFY(m_tree->isDragging());
        QTest::mouseMove(m_tree->viewport(), QPoint(100, bottom));
        QTRY_COMPARE(bar->value(), bar->maximum());
        QTest::keyClick(m_tree.get(), Qt::Key_Escape);
        QTest::mouseRelease(m_tree->viewport(), Qt::LeftButton, {}, QPoint(100, bottom));
        m_tree->scrollToTop();
        QTest::qWait(60);
        QCOMPARE(bar->value(), 0); // nothing scrolls once nothing is dragged
    }

    /// Folding and scrolling of one kernel do not carry over to the next.
    void anotherKernelBeginsAnew()
    {
        open("mm_relu");
        m_tree->resize(420, 130);
        m_tree->collapse(m_tree->nestModel()->indexOf(row("i")));
        m_tree->scrollToBottom();
        open("matmul");
        QCOMPARE(m_tree->verticalScrollBar()->value(), 0);
        for (const char *name : {"i", "j", "k", "C"})
            QVERIFY2(!m_tree->nestModel()->indexOf(row(name)).parent().isValid()
                         || m_tree->isExpanded(m_tree->nestModel()->indexOf(row(name)).parent()),
                     name);
    }

    /// The gains come after the places, and no drag waits for them.
    void placesShowTheirGains()
    {
        open("matmul");
        beginDrag(row("k"), m_tree->rowRect(row("i")).center());
        QTRY_COMPARE_WITH_TIMEOUT(m_actions->gains().size(), m_actions->placements().size(), patience);
        QVERIFY(std::ranges::all_of(m_actions->gains(), [](double gain) { return gain > 0; }));
        QTest::keyClick(m_tree.get(), Qt::Key_Escape);
        QVERIFY(!m_tree->isDragging());
        QTest::mouseRelease(m_tree->viewport(), Qt::LeftButton);
    }

    void dragsABlockIntoALoop()
    {
        open("mm_relu");
        const support::StmtId block = row("D");
        beginDrag(block, m_tree->rowRect(row("i")).center());
        QTest::mouseRelease(m_tree->viewport(), Qt::LeftButton, {}, m_tree->rowRect(row("i")).center());
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QTRY_VERIFY(!m_document->isBusy());
        QVERIFY(m_document->tree().current().ok());
        QCOMPARE(QString::fromStdString(m_document->tree().current().label),
                 QStringLiteral("reverse_compute_at(D, i)"));
        // One nest is left at the top.
        QCOMPARE(int(m_document->nest()->roots.size()), 1);
    }

    void takesABufferOfTheGraph()
    {
        open("matmul");
        QMimeData data;
        data.setData(QLatin1String(document::bufferMimeType), "A");
        const QPoint to = m_tree->rowRect(row("j")).center();
        QDragEnterEvent enter(to, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_tree->viewport(), &enter);
        QVERIFY(enter.isAccepted());
        QTRY_VERIFY_WITH_TIMEOUT(!m_actions->placements().empty(), patience);
        QDragMoveEvent move(to, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_tree->viewport(), &move);
        QDropEvent drop(to, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_tree->viewport(), &drop);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 3, patience);
        QTRY_VERIFY(!m_document->isBusy());
        QVERIFY(m_document->tree().current().ok());
        QCOMPARE(QString::fromStdString(m_document->tree().current().label),
                 QStringLiteral("compute_at(A_global, j)"));
    }

    void refusesOtherDrops()
    {
        open("matmul");
        QMimeData data;
        data.setText(QStringLiteral("A"));
        QDragEnterEvent enter(m_tree->rowRect(row("j")).center(), Qt::CopyAction, &data, Qt::LeftButton, {});
        enter.ignore();
        QCoreApplication::sendEvent(m_tree->viewport(), &enter);
        QVERIFY(!m_tree->isDragging());
    }

    void movesByKey()
    {
        open("matmul");
        click(row("i"));
        QTest::keyClick(m_tree.get(), Qt::Key_Down, Qt::AltModifier);
        QTRY_COMPARE_WITH_TIMEOUT(order(), QStringLiteral("j i k C"), patience);
        QTRY_VERIFY(!m_document->isBusy());
        QCOMPARE(m_document->selection().current(), row("i"));
        QTest::keyClick(m_tree.get(), Qt::Key_Up, Qt::AltModifier);
        QTRY_COMPARE_WITH_TIMEOUT(order(), QStringLiteral("i j k C"), patience);
    }

    void hoverIsShared()
    {
        open("matmul");
        QTest::mouseMove(m_tree->viewport(), m_tree->rowRect(row("j")).center());
        QTRY_COMPARE(m_document->selection().hovered(), row("j"));
    }

    void menuByKey()
    {
        open("matmul");
        click(row("i"));
        QSignalSpy menu(m_tree.get(), &looptree::LoopTree::menuRequested);
        QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(1, 1), m_tree->mapToGlobal(QPoint(1, 1)));
        QApplication::sendEvent(m_tree->viewport(), &event);
        QCOMPARE(menu.size(), 1);
    }
};

QTEST_MAIN(LoopTreeTest)
#include "loop_tree_test.moc"
