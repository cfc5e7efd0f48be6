// SPDX-License-Identifier: GPL-3.0-or-later
// Several documents open as tabs: each with its history, kept on disk, and brought back when it is opened
// again.
#include "app/window/frame/banner.h"
#include "app/window/frame/document_tabs.h"
#include "app/window/frame/work_line.h"
#include "app/window/panes/nest_pane.h"
#include "app/window/panes/source_pane.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/code/code_view.h"
#include "widgets/document/files/autosave.h"
#include "widgets/document/files/open_documents.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/link_button.h"
#include "widgets/models/nest_model.h"

#include <QPushButton>
#include <QScrollBar>
#include <QtTest>

#include <atomic>

using namespace nestwright;
using e2e::patience;

namespace {

QByteArray kernelText(int size)
{
    return QByteArray(R"(from tvm import te
A = te.placeholder((SIZE, 64), name="A")
B = te.compute((SIZE, 64), lambda i, j: A[i, j] + 1.0, name="B")
func = te.create_prim_func([A, B])
)")
        .replace("SIZE", QByteArray::number(size));
}

} // namespace

class TabsTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    QString write(const QString &name, int size) const
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(kernelText(size)) < 0)
            qFatal("cannot write");
        return file.fileName();
    }
    void open(const QString &path) const
    {
        m_window->open(path);
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QVERIFY(settle());
    }
    void parallelize() const
    {
        const int before = document().tree().size();
        click("i");
        press(Qt::Key_P);
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), before + 1, patience);
        QVERIFY(settle());
    }
    app::DocumentTabs *tabs() const { return m_window->findChild<app::DocumentTabs *>(); }
    void clickTab(int tab) const
    {
        QTest::mouseClick(tabs(), Qt::LeftButton, {}, tabs()->tabRect(tab).center() - QPoint(20, 0));
        QVERIFY(settle());
    }
    void showRemembering()
    {
        m_window = std::make_unique<app::MainWindow>(
            *m_theme, app::WindowFolders{path("settings.ini"), path("autosave")}, false);
        m_window->resize(1366, 768);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        m_window->activateWindow();
    }

private Q_SLOTS:
    void init()
    {
        showWindow(1366, 768, {});
        m_window.reset();
        showRemembering();
    }
    void cleanup()
    {
        m_window.reset();
        QDir(path("autosave")).removeRecursively();
        QFile::remove(path("settings.ini"));
    }

    void eachTabHasItsHistory()
    {
        open(write("first.py", 32));
        parallelize();
        open(write("second.py", 48));
        QCOMPARE(document().tree().size(), 1);
        QCOMPARE(tabs()->count(), 2);
        QCOMPARE(tabs()->currentIndex(), 1);
        QVERIFY(m_window->documents().at(0).modified && !m_window->documents().at(1).modified);
        shoot("tabs");
        clickTab(0);
        QCOMPARE(document().title(), QStringLiteral("first.py"));
        QCOMPARE(document().tree().size(), 2);
        QCOMPARE(document().currentId().value, 1);
        QVERIFY(document().isModified());
        press(Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(document().currentId().value, 0, patience);
        QVERIFY(settle());
        // By keys, there and back.
        press(Qt::Key_PageDown, Qt::ControlModifier);
        QVERIFY(settle());
        QCOMPARE(document().title(), QStringLiteral("second.py"));
        press(Qt::Key_PageUp, Qt::ControlModifier);
        QVERIFY(settle());
        QCOMPARE(document().currentId().value, 0);
        QCOMPARE(document().tree().size(), 2);
        // A file that is open already is not opened twice.
        open(m_folder.filePath("second.py"));
        QCOMPARE(tabs()->count(), 2);
        QCOMPARE(document().title(), QStringLiteral("second.py"));
    }

    void measurementsStayOfThisProgram()
    {
        open(write("first.py", 32));
        m_window->measuring().setEffort({2, 0.01});
        m_window->measuring().measure({{0}});
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().root().measurement && !m_window->measuring().isRunning(),
                                 patience);
        open(write("second.py", 48));
        clickTab(0);
        QVERIFY(document().tree().root().measurement->isVerified());
    }

    /// Where the text of one kernel was scrolled to says nothing of the next; its first loop is selected.
    void panesBeginAtTheTop()
    {
        open(write("first.py", 32));
        auto *source = m_window->sourcePane()->findChild<code::CodeView *>();
        QTRY_VERIFY(source->text().lineCount() > source->lastVisibleLine() + 1);
        source->verticalScrollBar()->setValue(source->verticalScrollBar()->maximum());
        QVERIFY(source->firstVisibleLine() > 0);
        open(write("second.py", 48));
        QCOMPARE(m_window->nestPane()->view()->firstVisibleLine(), 0);
        QCOMPARE(source->firstVisibleLine(), 0);
        const document::NestRow &first = document().nest()->rows.front();
        QCOMPARE(document().selection().current(), first.id);
        QVERIFY(tree()->selectionModel()->isSelected(tree()->nestModel()->indexOf(first.id)));
    }

    void eachTabKeepsItsSelection()
    {
        open(write("first.py", 32));
        const support::StmtId last = document().nest()->rows.back().id;
        document().selection().select(last);
        open(write("second.py", 48));
        QCOMPARE(document().selection().current(), document().nest()->rows.front().id);
        clickTab(0);
        QVERIFY(settle());
        QCOMPARE(document().selection().current(), last);
    }

    /// The script that a kernel was read from stands beside it.
    void theFileStandsBesideTheNest()
    {
        open(write("first.py", 32));
        m_window->nestPane()->setTab(app::NestPane::File);
        QVERIFY(settle());
        QVERIFY(m_window->nestPane()->view()->text().text().contains("te.placeholder((32"));
        open(write("second.py", 48));
        QVERIFY(m_window->nestPane()->view()->text().text().contains("te.placeholder((48"));
        click("i");
        QVERIFY(m_window->nestPane()->view()->text().text().contains("te.placeholder((48"));
        shoot("tab-file");
        m_window->nestPane()->setTab(app::NestPane::Nest);
    }

    void closedDocumentsComeBack()
    {
        open(write("first.py", 32));
        open(write("second.py", 48));
        parallelize();
        press(Qt::Key_W, Qt::ControlModifier);
        QVERIFY(settle());
        QCOMPARE(tabs()->count(), 1);
        QCOMPARE(document().title(), QStringLiteral("first.py"));
        QVERIFY(m_window->findChild<app::WorkLine *>()->text().contains("its changes are back when"));
        shoot("tab-closed");
        open(m_folder.filePath("second.py"));
        QCOMPARE(document().tree().size(), 2);
        QVERIFY(document().isModified());
        QVERIFY2(m_window->banner()->text().contains("Your changes are back"),
                 qPrintable(m_window->banner()->text()));
        shoot("tab-back");
        // The file as it is can be had as well.
        for (QAbstractButton *button : m_window->banner()->findChildren<QAbstractButton *>()) {
            if (button->text().contains("without them"))
                button->click();
        }
        QTRY_COMPARE_WITH_TIMEOUT(tabs()->count(), 3, patience);
        QVERIFY(settle());
        QCOMPARE(document().tree().size(), 1);
    }

    void aNewWindowBringsBackToo()
    {
        open(write("first.py", 32));
        parallelize();
        open(write("second.py", 48));
        parallelize();
        m_window->close();
        m_window.reset();
        showRemembering();
        open(m_folder.filePath("first.py"));
        QCOMPARE(document().tree().size(), 2);
        open(m_folder.filePath("second.py"));
        QCOMPARE(document().tree().size(), 2);
        QCOMPARE(tabs()->count(), 2);
    }

    void documentsInTheBackgroundEndInOrder_data()
    {
        QTest::addColumn<int>("switches");
        QTest::addColumn<bool>("isSecondChanged");
        for (const int count : {0, 1, 2, 3}) {
            QTest::addRow("%d switches", count) << count << true;
            QTest::addRow("%d switches, the second unchanged", count) << count << false;
        }
    }
    void documentsInTheBackgroundEndInOrder()
    {
        QFETCH(int, switches);
        QFETCH(bool, isSecondChanged);
        open(write("first.py", 32));
        parallelize();
        open(write("second.py", 48));
        if (isSecondChanged)
            parallelize();
        for (int i = 0; i < switches; ++i)
            press(Qt::Key_PageDown, Qt::ControlModifier);
        QVERIFY(settle());
        m_window->close();
        m_window.reset();
        showRemembering();
        document::Document probe(m_window->document().jobs());
        const auto left = document::Autosave(probe, path("autosave")).leftBehind();
        QCOMPARE(left.size(), isSecondChanged ? 2U : 1U);
        for (const document::LeftBehind &each : left)
            QVERIFY2(!each.crashed, qPrintable(each.title));
    }

    /// Panes show the code of the document, or none while it is made, but no longer that of another.
    void panesAreOfTheDocument()
    {
        open(write("first.py", 32));
        auto *source = m_window->sourcePane()->findChild<code::CodeView *>();
        QTRY_VERIFY_WITH_TIMEOUT(source->text().lineCount() > 1, patience);
        m_window->measuring().setEffort({2, 0.01});
        m_window->measuring().measure({{0}});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->measuring().peak() && !m_window->measuring().isRunning(),
                                 patience);
        open(write("second.py", 48));
        QVERIFY(m_window->measuring().peak());
        const QString ofSecond = source->text().text();
        // The jobs of the first document's panes have to wait for work that takes long.
        std::atomic<bool> isDone = false;
        for (int i = 0; i < QThread::idealThreadCount() + 1; ++i)
            document().jobs().run(
                QStringLiteral("long %1").arg(i), m_window.get(),
                [&isDone](const jobs::Job &) {
                    while (!isDone)
                        QThread::msleep(5);
                    return true;
                },
                [](const std::shared_ptr<const bool> &) {});
        QTest::mouseClick(tabs(), Qt::LeftButton, {}, tabs()->tabRect(0).center() - QPoint(20, 0));
        QVERIFY(m_window->measuring().peak());
        QTRY_VERIFY_WITH_TIMEOUT(source->text().text() != ofSecond, patience);
        isDone = true;
        QVERIFY(settle());
        QVERIFY(source->text().lineCount() > 1);
    }

    void aFileThatChangedIsOffered()
    {
        open(write("first.py", 32));
        open(write("second.py", 48));
        write("first.py", 40);
        open(m_folder.filePath("first.py"));
        QVERIFY(document().subtitle().contains("32"));
        QVERIFY(m_window->banner()->text().contains("was changed on disk"));
    }

    void twentyDocumentsAreAllKept()
    {
        QStringList names;
        for (int i = 0; i < 20; ++i) {
            names << QStringLiteral("kernel%1.py").arg(i);
            open(write(names.back(), 16 + i));
            parallelize();
        }
        QCOMPARE(tabs()->count(), 20);
        shoot("twenty-tabs");
        QVERIFY(m_window->width() <= 1366);
        m_window->close();
        m_window.reset();
        showRemembering();
        document::Document probe(m_window->document().jobs());
        const document::Autosave autosave(probe, path("autosave"));
        QStringList found;
        for (const document::LeftBehind &left : autosave.leftBehind())
            found << left.title;
        found.sort();
        names.sort();
        QCOMPARE(found, names);
    }
};

QTEST_MAIN(TabsTest)
#include "tabs_test.moc"
