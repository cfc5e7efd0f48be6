// SPDX-License-Identifier: GPL-3.0-or-later
// Text of the window in other sizes: it grows everywhere at once, and nothing is cut off. What a person who
// looks elsewhere is told.
#include "app/window/frame/notification.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/document/command_registry.h"
#include "widgets/look/button.h"
#include "widgets/look/fonts.h"

#include <QAbstractButton>
#include <QHeaderView>
#include <QtTest>

using namespace nestwright;
using e2e::patience;

class TextSizeTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    void setText(int percent)
    {
        m_window->commands().trigger(QStringLiteral("view.text.%1").arg(percent));
        QVERIFY(settle());
        QTest::qWait(50);
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {});
        QSignalSpy opened(&document(), &document::Document::opened);
        m_window->open(QStringLiteral("op:matmul(M=256,N=256,K=256)"));
        QTRY_VERIFY_WITH_TIMEOUT(opened.count() > 0, patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    void allTextGrows()
    {
        const int before = tree()->rowRect(row("i")).height();
        const QFont plain = strip()->font(), head = tree()->header()->font();
        setText(130);
        QCOMPARE(look::textScale(), 1.3);
        QVERIFY2(strip()->font().pointSizeF() > 1.25 * plain.pointSizeF(),
                 qPrintable(QString::number(strip()->font().pointSizeF())));
        QVERIFY(tree()->header()->font().pointSizeF() > 1.25 * head.pointSizeF());
        QVERIFY2(tree()->rowRect(row("i")).height() >= before,
                 qPrintable(QString::number(tree()->rowRect(row("i")).height())));
        shoot("text-130");
        for (const auto *button : m_window->findChildren<look::Button *>()) {
            if (button->isVisible())
                QVERIFY2(button->height() >= button->fontMetrics().height(),
                         qPrintable(button->objectName() + button->accessibleName()));
        }
        setText(90);
        QVERIFY(strip()->font().pointSizeF() < plain.pointSizeF());
        shoot("text-90");
        setText(100);
        QVERIFY(std::abs(strip()->font().pointSizeF() - plain.pointSizeF()) < 0.01);
    }

    /// Only of long work, and only where no window of the program has the focus.
    void longWorkIsTold()
    {
        app::Notification notification(m_window.get());
        QSignalSpy shown(&notification, &app::Notification::shown);
        notification.setPatience(0);
        notification.begin();
        notification.end(QStringLiteral("done"));
        QCOMPARE(shown.count(), 0); // the person is here
        m_window->hide();
        QTRY_VERIFY(!QApplication::activeWindow());
        notification.end(QStringLiteral("nothing began"));
        QCOMPARE(shown.count(), 0);
        notification.begin();
        notification.end(QStringLiteral("done"));
        QCOMPARE(shown.count(), 1);
        notification.setPatience(100'000);
        notification.begin();
        notification.end(QStringLiteral("short"));
        QCOMPARE(shown.count(), 1);
        m_window->show();
    }
};

QTEST_MAIN(TextSizeTest)
#include "text_size_test.moc"
