// SPDX-License-Identifier: GPL-3.0-or-later
// The menu Help: every key on one sheet, the glossary, the pages about the program.
#include "app/window/commands/command_palette.h"
#include "app/window/dialogs/about_dialog.h"
#include "app/window/help/glossary.h"
#include "app/window/help/help_pages.h"
#include "app/window/help/help_window.h"
#include "app/window/help/key_sheet.h"
#include "core/support/build_facts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/document/command_registry.h"
#include "widgets/look/theme.h"

#include <QClipboard>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTabBar>
#include <QTextBrowser>

using namespace nestwright;

class HelpTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    /// The text of a page with its no-break spaces as plain ones.
    static QString textOf(const QTextBrowser *page) { return page->toPlainText().replace(QChar::Nbsp, u' '); }

    void focusWindow() const
    {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->setFocus();
    }

    static void press(QWidget *dialog, const QString &label)
    {
        for (QPushButton *button : dialog->findChildren<QPushButton *>()) {
            if (button->text().remove(u'&') == label)
                return QTest::mouseClick(button, Qt::LeftButton);
        }
        QFAIL(qPrintable(label));
    }

private Q_SLOTS:
    void initTestCase() { showWindow(1366, 768, {}); }
    void cleanupTestCase() { m_window.reset(); }

    void everyKeyStandsOnOneSheet()
    {
        focusWindow();
        QTest::keyClick(m_window.get(), Qt::Key_Slash, Qt::ControlModifier);
        auto *sheet = m_window->findChild<app::KeySheet *>();
        QVERIFY(sheet && sheet->isVisible());
        QVERIFY(QTest::qWaitForWindowActive(sheet));
        QVERIFY(sheet->width() <= 1366 && sheet->height() <= 768);
        QVERIFY2(!sheet->sheet()->verticalScrollBar()->isVisible(),
                 qPrintable(QString::number(sheet->sheet()->verticalScrollBar()->maximum())));
        QVERIFY(sheet->sheet()->document()->size().width() <= sheet->sheet()->viewport()->width());
        const QString text = textOf(sheet->sheet());
        for (const document::Command &command : m_window->commands().all()) {
            for (const QKeySequence &key : command.keys)
                QVERIFY2(text.contains(key.toString(QKeySequence::NativeText)), qPrintable(command.id));
            QVERIFY2(command.keys.isEmpty() || text.contains(command.title), qPrintable(command.id));
        }
        shoot("keys-light", sheet);
        m_theme->setMode(look::Mode::Dark);
        shoot("keys-dark", sheet);
        m_theme->setMode(look::Mode::Light);
    }

    void keysAreSearchedAndCopied()
    {
        auto *sheet = m_window->findChild<app::KeySheet *>();
        QTest::keyClicks(sheet->field(), QStringLiteral("loop outwards,"));
        QVERIFY(textOf(sheet->sheet()).contains(QStringLiteral("Alt+↑")));
        QVERIFY(!textOf(sheet->sheet()).contains(QStringLiteral("Ctrl+K")));
        shoot("keys-search", sheet);
        press(sheet, QStringLiteral("Copy"));
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 QStringLiteral("In the tree of loops\nAlt+↑, Alt+↓\tMove the loop outwards, inwards\n"));
        QTest::keyClicks(sheet->field(), QStringLiteral(" nothing"));
        QVERIFY(textOf(sheet->sheet()).startsWith(QStringLiteral("No key matches")));
        QTest::keyClick(sheet->field(), Qt::Key_Escape);
        QTRY_VERIFY(!sheet->isVisible());
        focusWindow();
        QTest::keyClick(m_window.get(), '?');
        QTRY_VERIFY(sheet->isVisible());
        QVERIFY(textOf(sheet->sheet()).contains(QStringLiteral("Ctrl+K")));
        QCOMPARE(m_window->findChildren<app::KeySheet *>().size(), 1);
        sheet->close();
    }

    void everyTermIsExplained()
    {
        QVERIFY(app::glossary().size() > 50);
        static const QRegularExpression link(QStringLiteral(R"(\]\(([^)]*)\))"));
        QSet<QString> seen;
        for (const app::HelpPage &page : app::helpPages()) {
            QVERIFY2(!seen.contains(page.address), qPrintable(page.address));
            seen << page.address;
            QVERIFY2(page.summary.endsWith(u'.'), qPrintable(page.address));
            for (auto found = link.globalMatch(page.markdown); found.hasNext();) {
                const QString target = found.next().captured(1);
                QVERIFY2(app::findHelpPage(target), qPrintable(page.address + u' ' + target));
                QVERIFY2(target != page.address, qPrintable(page.address));
            }
        }
    }

    void aTermIsFoundAndLeadsToAPrimitive()
    {
        focusWindow();
        QTest::keyClick(m_window.get(), Qt::Key_F1, Qt::ShiftModifier);
        app::HelpWindow *help = m_window->help();
        QVERIFY(help && help->isVisible());
        QVERIFY(QTest::qWaitForWindowActive(help));
        QCOMPARE(help->list()->currentItem()->text(), QStringLiteral("Loop"));
        shoot("glossary-light", help);
        QTest::keyClicks(help->field(), QStringLiteral("95"));
        QCOMPARE(help->list()->currentItem()->text(), QStringLiteral("Median with 95 % interval"));
        help->field()->clear();
        QTest::keyClicks(help->field(), QStringLiteral("tile"));
        QCOMPARE(help->page()->source(), QUrl(QStringLiteral("primitive:tile")));
        help->field()->clear();
        QTest::keyClicks(help->field(), QStringLiteral("extent"));
        QVERIFY(help->page()->toPlainText().startsWith(QStringLiteral("Extent\nAlso: iterations")));
        m_theme->setMode(look::Mode::Dark);
        shoot("glossary-dark", help);
        m_theme->setMode(look::Mode::Light);
        // The first link by keys, then back.
        help->page()->setFocus();
        QTest::keyClick(help->page(), Qt::Key_Tab);
        QTest::keyClick(help->page(), Qt::Key_Return);
        QCOMPARE(help->page()->source(), QUrl(QStringLiteral("term:symbolic-size")));
        QTest::keyClick(help->page(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(help->page()->source(), QUrl(QStringLiteral("term:extent")));
        QCOMPARE(help->list()->currentItem()->text(), QStringLiteral("Extent"));
        QVERIFY(help->page()->toPlainText().startsWith(QStringLiteral("Extent")));
        help->close();
    }

    void theProgramSaysWhatItIs()
    {
        focusWindow();
        QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("about nestwright"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        auto *about = m_window->findChild<app::AboutDialog *>();
        QVERIFY(about && about->isVisible());
        QVERIFY(about->height() <= 768);
        const QString libraries = about->findChild<QTextBrowser *>()->toPlainText();
        for (const support::LinkedLibrary &library : support::linkedLibraries()) {
            QVERIFY(libraries.contains(QString::fromUtf8(library.name)));
            QVERIFY(libraries.contains(QString::fromUtf8(library.version)));
            QVERIFY2(!library.licence.empty(), library.name.data());
        }
        QVERIFY(libraries.contains(QStringLiteral("Qt Charts")));
        shoot("about-light", about);
        auto *tabs = about->findChild<QTabBar *>();
        tabs->setFocus();
        QTest::keyClick(tabs, Qt::Key_Right);
        QTest::qWait(20);
        const std::pair<const char *, const char *> licences[] = {
            {"GPL-3.0-or-later", "GNU GENERAL PUBLIC LICENSE"}, {"Apache-2.0", "Apache License"}};
        for (const auto &[name, heading] : licences) {
            const auto texts = about->findChildren<QPlainTextEdit *>();
            const auto text =
                std::ranges::find(texts, QString::fromUtf8(name), &QPlainTextEdit::accessibleName);
            QVERIFY2(text != texts.end() && (*text)->isReadOnly(), name);
            QVERIFY2((*text)->toPlainText().trimmed().startsWith(QLatin1String(heading)), name);
        }
        m_theme->setMode(look::Mode::Dark);
        shoot("about-dark", about);
        m_theme->setMode(look::Mode::Light);
        press(about, QStringLiteral("Copy"));
        const QString copied = QGuiApplication::clipboard()->text();
        for (const char *part : {"Program: nestwright 0.", "Qt: 6", "Processor: ", "Threads: "})
            QVERIFY2(copied.contains(QLatin1String(part)), qPrintable(copied));
        QTest::keyClick(about, Qt::Key_Escape);
        QTRY_VERIFY(!m_window->findChild<app::AboutDialog *>());
    }

    void aPrimitiveLeadsToItsTerms()
    {
        const app::HelpPage *split = app::findHelpPage(QStringLiteral("primitive:split"));
        QVERIFY(split && split->isPrimitive);
        QVERIFY(split->markdown.contains(QStringLiteral("[Extent](term:extent)"))
                || split->markdown.contains(QStringLiteral("[Tile](term:tile)")));
    }

    void aPrimitiveShowsWhatIsProvedOfItsIndices()
    {
        QTextBrowser page;
        page.setMarkdown(app::findHelpPage(QStringLiteral("primitive:split"))->markdown);
        const QString text = textOf(&page);
        QVERIFY(text.contains(QStringLiteral("Proved for all integers")));
        QVERIFY(text.contains(QStringLiteral("    i // f * f + i % f == i")));
        const app::HelpPage *parallel = app::findHelpPage(QStringLiteral("primitive:parallel"));
        QVERIFY(parallel && !parallel->markdown.contains(QStringLiteral("Proved for")));
    }
};

QTEST_MAIN(HelpTest)
#include "help_test.moc"
