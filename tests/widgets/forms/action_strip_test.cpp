// SPDX-License-Identifier: GPL-3.0-or-later
// The bar of actions and the others behind "More": their places, their keys, and what is told of them.
#include "tests/widgets/forms/strip_fixture.h"
#include "widgets/forms/action_panel.h"
#include "widgets/forms/selection_line.h"
#include "widgets/look/button.h"
#include "widgets/look/finding_box.h"

#include <QHelpEvent>
#include <QLabel>
#include <QSignalSpy>
#include <QTextDocumentFragment>
#include <QToolTip>

using namespace nestwright;

class ActionStripTest : public tests::StripFixture {
    Q_OBJECT

    std::unique_ptr<QWidget> m_stage;

    forms::ActionPanel &panel() const { return *m_strip->findChild<forms::ActionPanel *>(); }
    look::Button &more() const { return *m_strip->findChild<look::Button *>(QStringLiteral("action.more")); }
    bool isInBar(std::string_view primitive) const
    {
        return m_strip->button(primitive)->parentWidget() == more().parentWidget();
    }
    int inBar() const
    {
        return static_cast<int>(
            std::ranges::count_if(schedule::primitives(), [&](const schedule::Primitive &each) {
                return !each.isQuery && isInBar(each.name);
            }));
    }
    void enter(std::string_view primitive) const
    {
        QEnterEvent event(QPointF(4, 4), QPointF(4, 4), QPointF(4, 4));
        QApplication::sendEvent(m_strip->button(primitive), &event);
    }
    void leave(std::string_view primitive) const
    {
        QEvent event(QEvent::Leave);
        QApplication::sendEvent(m_strip->button(primitive), &event);
    }
    /// The line about the selection, as a person reads it.
    QString line() const
    {
        const QString html = m_strip->findChild<forms::SelectionLine *>()->text();
        return QTextDocumentFragment::fromHtml(html).toPlainText().replace(QChar::Nbsp, u' ').simplified();
    }

private Q_SLOTS:
    void init() { show(); }
    void cleanup()
    {
        close();
        m_stage.reset();
    }

    /// A strip of its width has as many of the common actions as have room; all others are behind "More".
    void asManyAsHaveRoom()
    {
        m_strip->resize(200, 340);
        QCOMPARE(inBar(), 3); // two rows of two, the last place is that of "More"
        QVERIFY(isInBar("split") && !isInBar("cache_read"));
        m_strip->resize(900, 340);
        QCOMPARE(inBar(), 9);
        QVERIFY(isInBar("cache_read"));
        for (const schedule::Primitive &primitive : schedule::primitives()) {
            if (!primitive.isQuery && !isInBar(primitive.name))
                QVERIFY2(panel().isAncestorOf(m_strip->button(primitive.name)), primitive.name.data());
        }
    }

    /// A low stage leaves its room to the tree: one row.
    void oneRowWhereTheStageIsLow()
    {
        close();
        m_stage = std::make_unique<QWidget>();
        m_stage->resize(900, 500);
        m_stage->show();
        show(m_stage.get());
        m_strip->resize(900, 100);
        QCOMPARE(inBar(), 9);
        m_stage->resize(900, 250);
        QCOMPARE(inBar(), 4);
        m_stage->resize(900, 500);
        QCOMPARE(inBar(), 9);
    }

    /// Keys stand on buttons that have the room, and in the tool tips of all.
    void keysOfActions()
    {
        select("i");
        m_strip->resize(900, 340);
        QVERIFY(!m_strip->button("split")->key().isEmpty());
        m_strip->resize(200, 340);
        QVERIFY(m_strip->button("vectorize")->key().isEmpty());
        const schedule::Primitive &split = *schedule::findPrimitive("split");
        QVERIFY(m_strip->button("split")->toolTip().contains(
            QStringLiteral("Split (%1): ").arg(QString::fromUtf8(split.key))));
    }

    void moreByTheMouse()
    {
        select("i");
        QVERIFY(panel().isHidden());
        QTest::mouseClick(&more(), Qt::LeftButton);
        QTRY_VERIFY(panel().isVisible());
        // Under headings of their groups, none of which is empty.
        const auto headings = panel().findChildren<QLabel *>();
        QVERIFY(headings.size() > 3);
        QTRY_VERIFY(panel().isAncestorOf(QApplication::focusWidget()));
        const schedule::Primitive *direct = nullptr;
        for (const suggest::Action &action : m_actions->actions()) {
            if (action.legal() && action.direct && !isInBar(action.primitive->name))
                direct = action.primitive;
        }
        QVERIFY(direct);
        QTest::mouseClick(m_strip->button(direct->name), Qt::LeftButton);
        QVERIFY(panel().isHidden());
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QCOMPARE(m_document->tree().current().step.primitive, direct);
    }

    void moreByKeys()
    {
        m_strip->showMore(true);
        QTRY_VERIFY(panel().isVisible() && panel().isAncestorOf(QApplication::focusWidget()));
        QWidget *first = QApplication::focusWidget();
        QTest::keyClick(first, Qt::Key_Down);
        QWidget *below = QApplication::focusWidget();
        QVERIFY(below != first && panel().isAncestorOf(below));
        QVERIFY(below->mapToGlobal(QPoint()).y() > first->mapToGlobal(QPoint()).y());
        QTest::keyClick(below, Qt::Key_Up);
        QCOMPARE(QApplication::focusWidget(), first);
        QTest::keyClick(first, Qt::Key_Left); // nothing lies there
        QCOMPARE(QApplication::focusWidget(), first);
        QTest::keyClick(first, Qt::Key_Escape);
        QVERIFY(panel().isHidden());
        QCOMPARE(m_document->tree().size(), 1);
    }

    /// The bar is one stop of Tab, which comes back to where the arrows went.
    void arrowsInTheBar()
    {
        m_strip->resize(900, 340);
        look::Button *split = m_strip->button("split");
        QCOMPARE(split->focusPolicy(), Qt::TabFocus);
        split->setFocus(Qt::TabFocusReason);
        QTest::keyClick(split, Qt::Key_Right);
        QCOMPARE(QApplication::focusWidget(), m_strip->button("tile"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
        QWidget *below = QApplication::focusWidget();
        QCOMPARE(below->x(), m_strip->button("tile")->x());
        QVERIFY(below->y() > split->y());
        QTest::keyClick(below, Qt::Key_Down);
        QCOMPARE(QApplication::focusWidget(), below);
        for (int i = 0; i < 9; ++i)
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
        QCOMPARE(QApplication::focusWidget(), &more());
        int stops = 0;
        for (const look::Button *each : more().parentWidget()->findChildren<look::Button *>())
            stops += (each->focusPolicy() & Qt::TabFocus) != 0 ? 1 : 0;
        QCOMPARE(stops, 1);
        QCOMPARE(more().focusPolicy(), Qt::TabFocus);
    }

    void enterOnAButton()
    {
        select("i");
        QTest::keyClick(m_strip->button("parallel"), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QCOMPARE(m_document->tree().current().label, std::string("parallel(i)"));
    }

    /// Asked for before the actions of the selection are known, it begins once they are.
    void waitsForTheSelection()
    {
        QVERIFY(!m_strip->isWaiting());
        QSignalSpy begun(m_strip.get(), &forms::ActionStrip::begun);
        m_document->selection().select(row("i"));
        QVERIFY(!m_actions->isCurrent());
        m_strip->trigger("split");
        QVERIFY(m_strip->isWaiting() && !m_strip->form());
        QTRY_VERIFY_WITH_TIMEOUT(m_strip->form(), patience);
        QCOMPARE(begun.size(), 1);
        QVERIFY(!m_strip->isWaiting());
        QTest::keyClick(m_strip->form(), Qt::Key_Return); // it may not be known yet whether that is legal
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QVERIFY(!m_strip->isWaiting());
    }

    /// Pointing at what is not possible says why; at what is, it is done for a look.
    void pointingAtActions()
    {
        select("k");
        QTRY_COMPARE(QApplication::focusWidget(), m_strip->button("split"));
        QCOMPARE(m_strip->topic()->name, std::string_view("split")); // as if the pointer were there
        m_strip->button("split")->clearFocus();
        QVERIFY(!m_strip->topic());
        enter("vectorize");
        QCOMPARE(m_strip->topic()->name, std::string_view("vectorize"));
        QVERIFY(!m_strip->finding()->isVisible()); // not at once, as the pointer only passes
        QTRY_VERIFY(m_strip->finding()->isVisible());
        QCOMPARE(m_strip->finding()->title(), QStringLiteral("Vectorize is not possible here"));
        leave("vectorize");
        QVERIFY(m_strip->finding()->isVisible()); // to be read
        enter("unroll");
        QTRY_VERIFY_WITH_TIMEOUT(m_actions->currentPreview() != nullptr, patience);
        QVERIFY(!m_strip->finding()->isVisible());
        leave("unroll");
        QVERIFY(!m_strip->topic());
        QVERIFY(!m_actions->currentPreview());
        enter("vectorize");
        leave("vectorize"); // too short a visit
        QTest::qWait(200);
        QVERIFY(!m_strip->finding()->isVisible());
        QCOMPARE(m_document->tree().size(), 1);
    }

    /// The card says the reason: a tool tip would say it twice.
    void toolTips()
    {
        select("k");
        const auto tips = [&](std::string_view primitive) {
            look::Button *button = m_strip->button(primitive);
            QToolTip::hideText();
            QHelpEvent help(QEvent::ToolTip, QPoint(4, 4), button->mapToGlobal(QPoint(4, 4)));
            QApplication::sendEvent(button, &help);
            return QToolTip::isVisible();
        };
        QVERIFY(!tips("vectorize"));
        QVERIFY(tips("unroll"));
        QToolTip::hideText();
    }

    void formsAndTheSelection()
    {
        select("i");
        openForm("split");
        QCOMPARE(m_strip->topic()->name, std::string_view("split"));
        enter("tile"); // it is the form that the person has to do with
        QCOMPARE(m_strip->topic()->name, std::string_view("split"));
        leave("tile");
        openForm("tile"); // in place of the one before
        QCOMPARE(m_strip->topic()->name, std::string_view("tile"));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QCOMPARE(m_strip->findChildren<forms::PrimitiveForm *>().size(), 1);
        select("j");
        QVERIFY(!m_strip->form());
        QVERIFY(!m_actions->currentPreview());
    }

    /// The cards lie at the foot of the stage, the bar stays in sight.
    void placesOfCards()
    {
        close();
        m_stage = std::make_unique<QWidget>();
        m_stage->resize(420, 700);
        m_stage->show();
        show(m_stage.get());
        m_strip->resize(420, 110);
        select("i");
        openForm("split");
        const auto onStage = [&](const QWidget *widget) {
            return QRect(widget->mapTo(m_stage.get(), QPoint()), widget->size());
        };
        QTRY_VERIFY(m_stage->rect().contains(onStage(m_strip->form())));
        QVERIFY(onStage(m_strip->form()).top() > onStage(more().parentWidget()).bottom());
        m_strip->closeForm();
        m_strip->trigger("reverse_compute_at");
        QVERIFY(m_strip->finding()->isVisible());
        QVERIFY(m_stage->rect().contains(onStage(m_strip->finding())));
        const int bottom = onStage(m_strip->finding()).bottom();
        m_stage->resize(420, 600); // they move along
        QCOMPARE(onStage(m_strip->finding()).bottom(), bottom - 100);
    }

    void lineOfTheSelection()
    {
        QVERIFY(line().startsWith(QStringLiteral("Select a loop or block")));
        select("i");
        QCOMPARE(line(), QStringLiteral("i 128 iterations · spatial"));
        select("k");
        QCOMPARE(line(), QStringLiteral("k 128 iterations · reduction"));
        select("C");
        QCOMPARE(line(), QStringLiteral("C block · S S R"));
        m_document->selection().select({row("i"), row("j"), row("k")});
        QTRY_VERIFY_WITH_TIMEOUT(m_actions->isCurrent(), patience);
        QCOMPARE(line(), QStringLiteral("k and 2 more selected"));
        m_document->selection().clear();
        QTRY_VERIFY_WITH_TIMEOUT(m_actions->isCurrent(), patience);
        QVERIFY(line().startsWith(QStringLiteral("Select a loop or block")));
    }

    /// Facts that have no room go, those told last first; pointing at the line tells all.
    void narrowLines()
    {
        select("i");
        m_strip->trigger("split");
        QTest::keyClick(m_strip->form(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy() && m_actions->isCurrent(), patience);
        const document::NestRow &outer = m_document->nest()->rows.front();
        const QString first = outer.name + QStringLiteral(" 4 iterations · spatial");
        const QString whole = first + QStringLiteral(" · ") + outer.origin;
        QVERIFY(!outer.origin.isEmpty());
        m_document->selection().select(outer.id);
        QTRY_VERIFY_WITH_TIMEOUT(m_actions->isCurrent(), patience);
        m_strip->resize(900, 340);
        QCOMPARE(line(), whole);
        QVERIFY(m_strip->findChild<forms::SelectionLine *>()->toolTip().isEmpty());
        m_strip->resize(230, 340);
        QCOMPARE(line(), first);
        QCOMPARE(m_strip->findChild<forms::SelectionLine *>()->toolTip(), whole);
    }
};

QTEST_MAIN(ActionStripTest)
#include "action_strip_test.moc"
