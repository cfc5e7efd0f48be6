// SPDX-License-Identifier: GPL-3.0-or-later
// A file that another program changes while it is open, and the dialog for a target. NESTWRIGHT_SHOTS=DIR
// leaves pictures there.
#include "app/window/dialogs/target_dialog.h"
#include "app/window/frame/banner.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/document/files/open_documents.h"
#include "widgets/look/button.h"

#include <QAbstractButton>
#include <QLineEdit>
#include <QPushButton>
#include <QtTest>

using namespace nestwright;
using e2e::patience;

class ChangedFileTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    QByteArray program(int size, const char *name = "C") const
    {
        return QStringLiteral("from tvm import te\nA = te.placeholder((%1,), name=\"A\")\n"
                              "%2 = te.compute((%1,), lambda i: A[i] * 2.0, name=\"%2\")\n"
                              "func = te.create_prim_func([A, %2])\n")
            .arg(size)
            .arg(QString::fromLatin1(name))
            .toUtf8();
    }
    /// As editors do it: written beside it, and put in its place.
    void replace(const QByteArray &text) const
    {
        QFile beside(path("twice.py.new"));
        QVERIFY(beside.open(QIODevice::WriteOnly));
        beside.write(text);
        beside.close();
        QVERIFY(std::rename(qPrintable(path("twice.py.new")), qPrintable(path("twice.py"))) == 0);
    }
    void open()
    {
        replace(program(64));
        m_window->open(path("twice.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QVERIFY(settle());
    }
    QAbstractButton *bannerButton(const char *text) const
    {
        for (QAbstractButton *button : m_window->banner()->findChildren<QAbstractButton *>()) {
            if (button->isVisible() && button->text() == QLatin1String(text))
                return button;
        }
        return nullptr;
    }
    QString extent() const { return document().nest()->row(row("i"))->extent; }

private Q_SLOTS:
    void init() { showWindow(1366, 768, {}); }
    void cleanup() { m_window.reset(); }

    void itIsOfferedWithItsSteps()
    {
        open();
        click("i");
        press(Qt::Key_P);
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), 2, patience);
        QVERIFY(settle());
        QVERIFY(m_window->banner()->isHidden());
        replace(program(96));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->banner()->isVisible(), patience);
        QVERIFY2(m_window->banner()->text().contains("was changed on disk"),
                 qPrintable(m_window->banner()->text()));
        shoot("file-changed");
        QVERIFY(bannerButton("Open it anew"));
        QTest::mouseClick(bannerButton("Open it with its steps"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->documents().count(), 2, patience);
        QTRY_VERIFY_WITH_TIMEOUT(!document().isBusy(), patience);
        QCOMPARE(document().tree().size(), 2);
        QCOMPARE(document().tree().current().label, std::string("parallel(i)"));
        QCOMPARE(extent(), QStringLiteral("96"));
        QVERIFY(document().isModified());
        // The open document is as it was, and the file opens where it is now.
        m_window->documents().activate(0);
        QVERIFY(settle());
        QCOMPARE(extent(), QStringLiteral("64"));
        m_window->open(path("twice.py"));
        QVERIFY(settle());
        QCOMPARE(extent(), QStringLiteral("96"));
    }

    void itIsOpenedAnew()
    {
        open();
        replace(program(32));
        QTRY_VERIFY_WITH_TIMEOUT(bannerButton("Open it anew"), patience);
        QVERIFY(!bannerButton("Open it with its steps")); // there are none
        QTest::mouseClick(bannerButton("Open it anew"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->documents().count() == 2 && !document().isBusy(), patience);
        QCOMPARE(extent(), QStringLiteral("32"));
    }

    /// A file that is only touched, or is as it was, is no news.
    void nothingIsSaidWithoutAChange()
    {
        open();
        replace(program(64));
        QTest::qWait(800);
        QVERIFY(m_window->banner()->isHidden());
        replace(program(65));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->banner()->isVisible(), patience);
    }

    void stepsThatAreNotLegalAreTold()
    {
        open();
        click("i");
        press(Qt::Key_P);
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), 2, patience);
        QVERIFY(settle());
        replace(program(64, "D"));
        QTRY_VERIFY_WITH_TIMEOUT(bannerButton("Open it with its steps"), patience);
        QTest::mouseClick(bannerButton("Open it with its steps"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->documents().count() == 2 && !document().isBusy(), patience);
        QCOMPARE(document().tree().size(), 1);
        QCOMPARE(document().problems().size(), std::size_t{1});
    }

    void aTargetIsCheckedWhileItIsTyped()
    {
        open();
        app::TargetDialog dialog(document().session().target(), m_window.get());
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        QVERIFY(dialog.problem().isEmpty());
        QPushButton *use = nullptr;
        for (QPushButton *button : dialog.findChildren<QPushButton *>()) {
            if (button->text() == u"Use")
                use = button;
        }
        QVERIFY(use && use->isEnabled());
        QTest::keyClicks(dialog.field(), "llvm -mcpu=foo");
        QVERIFY2(dialog.problem().contains("'-mcpu=foo' names no processor"), qPrintable(dialog.problem()));
        QVERIFY(dialog.problem().contains("erhaps -mcpu="));
        QVERIFY(!use->isEnabled());
        shoot("target-wrong", &dialog);
        QTest::keyClick(dialog.field(), Qt::Key_Return);
        QVERIFY(dialog.isVisible());
        dialog.field()->selectAll();
        QTest::keyClicks(dialog.field(), "llvm -num-cores=1");
        QVERIFY(dialog.problem().isEmpty() && use->isEnabled());
        QTest::keyClick(dialog.field(), Qt::Key_Return);
        QVERIFY(!dialog.isVisible());
        QCOMPARE(dialog.target().threads, 1);
    }
};

QTEST_MAIN(ChangedFileTest)
#include "changed_file_test.moc"
