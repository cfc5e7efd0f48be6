// SPDX-License-Identifier: GPL-3.0-or-later
// Whose a key is: letters are steps in the tree, the nest and the canvas, and nothing where a script is read.
#include "app/window/panes/nest_pane.h"
#include "tests/e2e/window_fixture.h"
#include "tests/support/programs.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/code/code_view.h"
#include "widgets/document/command_registry.h"
#include "widgets/history/history_view.h"

#include <QtTest>

using namespace nestwright;
using e2e::patience;

class KeysTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    /// Number of variants once the key has been pressed in `pane`.
    int sizeAfter(Qt::Key key, QWidget *pane) const
    {
        pane->setFocus();
        QTest::keyClick(pane, key);
        QTest::qWait(50);
        if (!settle())
            qFatal("it does not settle");
        return document().tree().size();
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::string text(tests::programText("matmul"));
        showWindow(1600, 1000, {{"matmul.py", text.c_str()}});
        m_window->open(m_folder.filePath("examples/matmul.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    /// Of two commands with one key neither would run.
    void aKeyBelongsToOneCommand()
    {
        QMap<QString, QString> owners;
        QStringList shared;
        for (const document::Command &command : m_window->commands().all()) {
            for (const QKeySequence &key : command.keys) {
                const QString text = key.toString();
                if (owners.contains(text))
                    shared << text + u' ' + owners[text] + u' ' + command.id;
                owners[text] = command.id;
            }
        }
        QCOMPARE(shared, QStringList());
        QVERIFY(owners.size() > 100);
    }

    void lettersBelongToThePaneWithTheFocus()
    {
        document().selection().select(row("i"));
        QVERIFY(settle());
        code::CodeView *nest = m_window->nestPane()->view();
        m_window->nestPane()->setTab(app::NestPane::Script);
        QVERIFY(settle());
        for (const Qt::Key key : {Qt::Key_X, Qt::Key_Equal, Qt::Key_1, Qt::Key_P, Qt::Key_U, Qt::Key_S})
            QCOMPARE(sizeAfter(key, nest), 1);
        QVERIFY(!strip()->form());
        QCOMPARE(sizeAfter(Qt::Key_M, nest), 1);
        QVERIFY(!document().tree().root().measurement && !m_window->measuring().isRunning());
        QCOMPARE(sizeAfter(Qt::Key_P, m_window->historyView()), 1);
        m_window->nestPane()->setTab(app::NestPane::Nest);
        QVERIFY(settle());
        QCOMPARE(sizeAfter(Qt::Key_P, nest), 2);
        QCOMPARE(document().tree().current().label, std::string("parallel(i)"));
        document().selection().select(row("j"));
        QVERIFY(settle());
        QCOMPARE(sizeAfter(Qt::Key_U, tree()), 3);
        document().selection().select(row("k"));
        QVERIFY(settle());
        QCOMPARE(sizeAfter(Qt::Key_U, m_window->graphCanvas()), 4);
    }
};

QTEST_MAIN(KeysTest)
#include "keys_test.moc"
