// SPDX-License-Identifier: GPL-3.0-or-later
// The code pane by mouse and key.
#include "tests/widgets/code/code_sources.h"
#include "widgets/code/find_bar.h"
#include "widgets/code/languages.h"
#include "widgets/look/theme.h"

#include <QClipboard>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QScrollBar>
#include <QtTest>

using namespace nestwright;
using namespace nestwright::code;
using support::StmtId;

class CodeViewTest : public QObject {
    Q_OBJECT

    look::Theme *m_theme = nullptr;
    std::shared_ptr<const Languages> m_languages;
    std::unique_ptr<CodeView> m_view;

    QPoint at(Position position) { return m_view->rectOf(position).center().toPoint() - QPoint(2, 0); }
    void click(Position position) { QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, at(position)); }

private Q_SLOTS:
    void initTestCase()
    {
        m_theme = new look::Theme(*qApp, look::Mode::Light);
        QElapsedTimer timer;
        timer.start();
        m_languages = std::make_shared<Languages>();
        qInfo("index of languages read in %lld ms", timer.elapsed());
    }

    void init()
    {
        m_view = std::make_unique<CodeView>("Loop nest", m_languages);
        m_view->resize(420, 360);
        m_view->setSource(nestSource());
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup() { m_view.reset(); }

    void clickMeansTheInnermostLoop()
    {
        QSignalSpy spy(m_view.get(), &CodeView::lineClicked);
        click({6, 12});
        QCOMPARE(spy.count(), 1);
        QCOMPARE(spy[0][0].toInt(), 6);
        QCOMPARE(spy[0][1].value<StmtId>(), StmtId{ji});
        click({12, 20});
        QCOMPARE(spy[1][1].value<StmtId>(), StmtId{block});
        // Two loops share the line of a grid: the variable tells which.
        click({3, 9});
        QCOMPARE(spy[2][1].value<StmtId>(), StmtId{jo});
        click({3, 13});
        QCOMPARE(spy[3][1].value<StmtId>(), StmtId{ko});
        click({1, 4});
        QCOMPARE(spy[4][1].value<StmtId>(), StmtId{});
    }

    void hoverTellsAndLeaves()
    {
        QSignalSpy spy(m_view.get(), &CodeView::lineHovered);
        QTest::mouseMove(m_view->viewport(), at({4, 8}));
        QTRY_VERIFY(!spy.isEmpty());
        QCOMPARE(spy.last()[1].value<StmtId>(), StmtId{ii});
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(m_view->viewport(), &leave);
        QCOMPARE(spy.last()[0].toInt(), -1);
    }

    void textIsSelectedByDraggingAndCopied()
    {
        const QPoint from = at({4, 6});
        const QPoint to = at({5, 11});
        QSignalSpy clicked(m_view.get(), &CodeView::lineClicked);
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(m_view->viewport(), to);
        QMouseEvent move(QEvent::MouseMove, to, m_view->viewport()->mapToGlobal(to), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(m_view->viewport(), &move);
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, to);
        QCOMPARE(m_view->selectedText(), QString("for ii in range(32):\n        for"));
        QCOMPARE(clicked.count(), 0); // a drag is no click
        QTest::keyClick(m_view.get(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), m_view->selectedText());
    }

    void doubleClickSelectsAWord()
    {
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, at({6, 22}));
        QCOMPARE(m_view->selectedText(), QString("vectorized"));
    }

    void keysMoveAndSelect()
    {
        m_view->setFocus();
        m_view->goToLine(4);
        QTest::keyClick(m_view.get(), Qt::Key_End);
        QCOMPARE(m_view->cursor(), (Position{4, 26}));
        QCOMPARE(m_view->accessibleDescription(), QString("line 5:       for ii in range(32):"));
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QTest::keyClick(m_view.get(), Qt::Key_Home, Qt::ShiftModifier);
        QCOMPARE(m_view->selectedText(), QString("        for ki in T.unroll"));
        QSignalSpy spy(m_view.get(), &CodeView::lineClicked);
        QTest::keyClick(m_view.get(), Qt::Key_Return);
        QCOMPARE(spy[0][1].value<StmtId>(), StmtId{ki});
        QTest::keyClick(m_view.get(), Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(m_view->cursor().line, 13);
        QTest::keyClick(m_view.get(), Qt::Key_A, Qt::ControlModifier);
        QCOMPARE(m_view->selectedText(), QString(nest).trimmed());
    }

    void lettersAreLeftToTheWindow()
    {
        QKeyEvent letter(QEvent::KeyPress, Qt::Key_S, Qt::NoModifier, "s");
        QApplication::sendEvent(m_view.get(), &letter);
        QVERIFY(!letter.isAccepted());
    }

    void findGoesThroughMatches()
    {
        QTest::keyClick(m_view.get(), Qt::Key_F, Qt::ControlModifier);
        auto *edit = m_view->findBar()->findChild<QLineEdit *>();
        QVERIFY(m_view->findBar()->isVisible());
        QTest::keyClicks(edit, "t.axis");
        QCOMPARE(m_view->findBar()->matches().size(), 3U);
        QCOMPARE(m_view->cursor().line, 8);
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(m_view->cursor().line, 9);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(m_view->cursor().line, 10); // around the end
        QCOMPARE(m_view->selectedText(), QString("T.axis"));
        edit->clear();
        QTest::keyClicks(edit, "T.AXIS"); // a capital: case matters
        QCOMPARE(m_view->findBar()->matches().size(), 0U);
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!m_view->findBar()->isVisible());
        QVERIFY(m_view->hasFocus());
    }

    void goToLineByKey()
    {
        m_view->setSource(longSource(5000));
        QTest::keyClick(m_view.get(), Qt::Key_G, Qt::ControlModifier);
        auto *edit = m_view->findBar()->findChild<QLineEdit *>();
        QTest::keyClicks(edit, "4180");
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(m_view->cursor().line, 4179);
        QVERIFY(m_view->firstVisibleLine() <= 4179 && m_view->lastVisibleLine() >= 4179);
    }

    void scrollingMovesNothingThatIsSeen()
    {
        m_view->setSource(longSource(1000));
        m_view->scrollToLine(500);
        const int value = m_view->verticalScrollBar()->value();
        m_view->scrollToLine(m_view->firstVisibleLine());
        m_view->scrollToLine(m_view->lastVisibleLine());
        QCOMPARE(m_view->verticalScrollBar()->value(), value);
        m_view->scrollTo(StmtId{7});
        QVERIFY(m_view->firstVisibleLine() <= 980 && m_view->lastVisibleLine() >= 989);
    }

    void sameTextKeepsItsPlace()
    {
        m_view->setSource(longSource(1000));
        m_view->scrollToLine(500);
        const int value = m_view->verticalScrollBar()->value();
        m_view->setSource(longSource(1001));
        QCOMPARE(m_view->verticalScrollBar()->value(), value);
    }

    void wheelZooms()
    {
        QSignalSpy spy(m_view.get(), &CodeView::zoomChanged);
        const double height = m_view->rectOf({0, 0}).height();
        const QPointF where(100, 100);
        QWheelEvent wheel(where, m_view->viewport()->mapToGlobal(where), {}, {0, 120}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        for (int i = 0; i < 4; ++i)
            QApplication::sendEvent(m_view->viewport(), &wheel);
        QCOMPARE(spy.count(), 4);
        QVERIFY(m_view->rectOf({0, 0}).height() > height * 1.3);
        m_view->setFocus();
        QTest::keyClick(m_view.get(), Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(m_view->rectOf({0, 0}).height(), height);
    }

    void emptyTextIsHarmless()
    {
        m_view->setSource({});
        m_view->setEmptyText("No kernel is open", "Open a file, or start from an example");
        m_view->grab();
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, {100, 100});
        m_view->copy();
        QCOMPARE(m_view->selectedText(), QString());
    }

    void hundredThousandLinesOpenAtOnce()
    {
        const Source source = longSource(100'000);
        QElapsedTimer timer;
        timer.start();
        m_view->setSource(source);
        m_view->viewport()->repaint();
        const qint64 opened = timer.elapsed();
        timer.restart();
        m_view->scrollToLine(99'000);
        m_view->viewport()->repaint();
        const qint64 jumped = timer.elapsed();
        timer.restart();
        m_view->setHighlighted({StmtId{7}});
        m_view->scrollTo(StmtId{7});
        m_view->viewport()->repaint();
        qInfo("100,000 lines: open %lld ms, jump to the end %lld ms, link %lld ms", opened, jumped,
              timer.elapsed());
        QCOMPARE(m_view->text().lineCount(), 100'000);
        QVERIFY(m_view->firstVisibleLine() <= 99'980 && m_view->lastVisibleLine() >= 99'989);
    }
};

QTEST_MAIN(CodeViewTest)
#include "code_view_test.moc"
