// SPDX-License-Identifier: GPL-3.0-or-later
// Findings in the window: their list is opened, remedies are tried by mouse and by key until nothing is left
// to say, each measured beside the schedule that it mends.
#include "app/window/panes/history_pane.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/finding_list.h"
#include "widgets/history/findings_view.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/link_button.h"
#include "widgets/look/tab_row.h"

#include <QDockWidget>
#include <QtTest>

using namespace nestwright;
using e2e::patience;

class FindingsWindowTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    app::HistoryPane *pane() const { return m_window->findChild<app::HistoryPane *>(); }
    history::FindingsView *view() const { return pane()->findings(); }
    document::FindingList *list() const { return m_window->findChild<document::FindingList *>(); }

    void open(const QString &kernel)
    {
        QSignalSpy opened(&document(), &document::Document::opened);
        m_window->open(kernel);
        QTRY_VERIFY_WITH_TIMEOUT(opened.count() > 0, patience);
        QVERIFY(settle());
        QTRY_VERIFY_WITH_TIMEOUT(list()->isKnown(), patience);
    }

    /// Chooses the tab of the findings in the header of the history.
    void showTab()
    {
        look::TabRow *tabs = nullptr;
        for (auto *dock : m_window->findChildren<QDockWidget *>()) {
            if (dock->isAncestorOf(pane()))
                tabs = dock->findChild<look::TabRow *>();
        }
        QVERIFY(tabs);
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center());
        QCOMPARE(pane()->currentWidget(), view());
    }

    QTreeWidgetItem *firstFinding() const
    {
        for (int i = 0; i < view()->topLevelItemCount(); ++i) {
            if (!view()->topLevelItem(i)->text(3).isEmpty())
                return view()->topLevelItem(i);
        }
        return nullptr;
    }

    bool isMeasured() const { return list()->measured(document().currentId()).has_value(); }

    /// Waits until the remedy of the first finding is the current variant, measured.
    void awaitTried(session::VariantId before)
    {
        QTRY_VERIFY_WITH_TIMEOUT(document().currentId() != before, patience);
        QTRY_VERIFY_WITH_TIMEOUT(isMeasured(), 2 * patience);
        QVERIFY(document().tree().current().measurement->isVerified());
        QTRY_VERIFY_WITH_TIMEOUT(list()->isKnown(), patience);
        const document::TriedFinding *tried = list()->tried(document().currentId());
        QVERIFY(tried);
        qInfo("%s: predicted %.2f, measured %.2f, %.1f GFLOPS", tried->title.c_str(), tried->predicted,
              list()->measured(document().currentId())->ratio.median,
              document().tree().current().measurement->gflops());
    }

private Q_SLOTS:
    void initTestCase() { showWindow(1366, 768, {}); }
    void cleanupTestCase() { m_window.reset(); }

    void byMouseUntilNothingIsLeft()
    {
        open(QStringLiteral("op:matmul(M=256,N=256,K=256)"));
        QVERIFY(list()->findings().size() >= 2);
        showTab();
        shoot("findings");
        for (int clicks = 0; !list()->findings().empty(); ++clicks) {
            QVERIFY(clicks < 10);
            const session::VariantId before = document().currentId();
            const QTreeWidgetItem *item = firstFinding();
            QVERIFY(item);
            const QRect cell = view()->visualRect(view()->indexFromItem(item, 3));
            QVERIFY(!cell.isEmpty());
            QTest::mouseClick(view()->viewport(), Qt::LeftButton, {}, cell.center());
            awaitTried(before);
            QCOMPARE(view()->topLevelItem(0)->text(0).left(6), QStringLiteral("mends:"));
            if (clicks == 0)
                shoot("findings-tried");
        }
        QVERIFY(document().tree().size() > 3);
        shoot("findings-none");
    }

    /// A click on the text goes to the loop.
    void theLoopIsShown()
    {
        open(QStringLiteral("op:row_sum(M=512,N=512)"));
        showTab();
        const QTreeWidgetItem *item = firstFinding();
        QVERIFY(item);
        const support::StmtId at = list()->findings().front().at;
        QTest::mouseClick(view()->viewport(), Qt::LeftButton, {},
                          view()->visualRect(view()->indexFromItem(item, 0)).center());
        QCOMPARE(document().selection().current(), at);
    }

    void byKey()
    {
        open(QStringLiteral("op:softmax(M=512,N=512)"));
        press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(pane()->currentWidget(), view());
        QTRY_VERIFY(view()->hasFocus());
        QVERIFY(view()->currentItem());
        session::VariantId before = document().currentId();
        press(Qt::Key_Return);
        awaitTried(before);
        if (!list()->findings().empty()) {
            before = document().currentId();
            m_window->commands().trigger(QStringLiteral("findings.try"));
            awaitTried(before);
        }
        m_theme->setMode(look::Mode::Dark);
        shoot("findings-dark");
        m_theme->setMode(look::Mode::Light);
    }

    /// The box below the source does the same.
    void fromTheSource()
    {
        open(QStringLiteral("op:row_sum(M=1024,N=1024)"));
        look::FindingBox *box = nullptr;
        for (auto *each : m_window->findChildren<look::FindingBox *>()) {
            if (each->isVisible() && each->title().toStdString() == list()->findings().front().title)
                box = each;
        }
        QVERIFY(box);
        const session::VariantId before = document().currentId();
        QTest::mouseClick(box->findChild<look::LinkButton *>(), Qt::LeftButton);
        awaitTried(before);
    }
};

QTEST_MAIN(FindingsWindowTest)
#include "findings_test.moc"
