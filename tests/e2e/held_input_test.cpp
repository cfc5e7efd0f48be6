// SPDX-License-Identifier: GPL-3.0-or-later
// Typing faster than steps are made: every key and click acts on what it would have acted on with time
// between them. NESTWRIGHT_FUZZ_COUNT and …_SEED choose the random sequences.
#include "core/schedule/primitive.h"
#include "tests/e2e/window_fixture.h"
#include "tests/support/programs.h"
#include "tests/support/random.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/open_documents.h"
#include "widgets/document/text.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/history/history_view.h"
#include "widgets/look/button.h"

#include <QtTest>

using namespace nestwright;
using e2e::patience;

class HeldInputTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    int m_opened = 0;

    struct Key {
        int key;
        Qt::KeyboardModifiers modifiers = {};
    };

    static void type(const Key &key, QWidget *fallback)
    {
        QWidget *focus = QApplication::focusWidget();
        QTest::keyClick(focus ? focus : fallback, Qt::Key(key.key), key.modifiers);
    }
    /// The steps of all variants behind the unscheduled program, refused ones marked.
    QStringList made() const
    {
        QStringList labels;
        for (const session::Variant &variant : document().tree().all()) {
            if (!variant.isRoot())
                labels << (variant.ok() ? QString() : QStringLiteral("refused: "))
                              + QString::fromStdString(variant.label);
        }
        return labels;
    }
    void reopen()
    {
        const QString file = m_folder.filePath(QStringLiteral("matmul%1.py").arg(++m_opened));
        QVERIFY(QFile::copy(m_folder.filePath(QStringLiteral("examples/matmul.py")), file));
        m_window->open(file);
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy() && document().tree().size() == 1,
                                 patience);
        QVERIFY(settle());
        for (int i = m_window->documents().count() - 1; i > 0; --i)
            m_window->documents().close(0);
        document().selection().select(row("i"));
        QVERIFY(settle());
        tree()->setFocus();
    }
    void settleBehind(const std::vector<Key> &keys) const
    {
        if (!settle())
            qFatal("it does not settle behind %s: busy %d, jobs %d, waiting %d", qPrintable(textOf(keys)),
                   document().isBusy(), document().jobs().runningCount(), strip()->isWaiting());
    }
    /// What becomes of the keys; `pauseMs` between them, or as long as each takes where it is negative.
    QStringList afterTyping(const std::vector<Key> &keys, int pauseMs)
    {
        reopen();
        for (const Key &key : keys) {
            type(key, tree());
            if (pauseMs < 0) {
                QTest::qWait(70); // a form is checked a moment after it was changed
                settleBehind(keys);
            } else if (pauseMs > 0) {
                QTest::qWait(pauseMs);
            }
        }
        QTest::qWait(70);
        settleBehind(keys);
        const QStringList steps =
            made() + QStringList{QStringLiteral("at %1").arg(document().currentId().value)};
        type({Qt::Key_Escape}, tree());
        return steps;
    }
    static std::vector<Key> keysOf(const char *text)
    {
        std::vector<Key> keys;
        for (const char *each = text; *each; ++each) {
            keys.push_back(*each == '\n'  ? Key{Qt::Key_Return}
                           : *each == '<' ? Key{Qt::Key_Z, Qt::ControlModifier}
                                          : Key{QChar::fromLatin1(*each).toUpper().unicode()});
        }
        return keys;
    }
    static QString textOf(const std::vector<Key> &keys)
    {
        QStringList names;
        for (const Key &key : keys)
            names << QKeySequence(QKeyCombination(key.modifiers, Qt::Key(key.key))).toString();
        return names.join(u' ');
    }
    /// Letters of steps, numbers for their forms, ways through the tree and the history.
    static std::vector<Key> randomKeys(tests::Random &random)
    {
        static const std::vector<Key> letters = [] {
            std::vector<Key> found;
            for (const schedule::Primitive &primitive : schedule::primitives()) {
                const QKeySequence keys(document::toQt(primitive.key));
                if (!primitive.isQuery && !keys.isEmpty())
                    found.push_back({keys[0].key(), keys[0].keyboardModifiers()});
            }
            return found;
        }();
        static constexpr Key others[] = {{Qt::Key_Return},
                                         {Qt::Key_Return},
                                         {Qt::Key_Return},
                                         {Qt::Key_Down},
                                         {Qt::Key_Down},
                                         {Qt::Key_Up},
                                         {Qt::Key_Escape},
                                         {Qt::Key_2},
                                         {Qt::Key_4},
                                         {Qt::Key_8},
                                         {Qt::Key_Z, Qt::ControlModifier},
                                         {Qt::Key_Y, Qt::ControlModifier},
                                         {Qt::Key_Down, Qt::AltModifier},
                                         {Qt::Key_S},
                                         {Qt::Key_S},
                                         {Qt::Key_F},
                                         {Qt::Key_U},
                                         {Qt::Key_P},
                                         {Qt::Key_V}};
        std::vector<Key> keys;
        for (int i = 0; i < 16; ++i) {
            keys.push_back(random.below(4) == 0 ? letters[random.below(letters.size())]
                                                : others[random.below(std::size(others))]);
        }
        return keys;
    }
    void clickAtRandom(tests::Random &random) const
    {
        const auto onRow = [&](QAbstractItemView *view) {
            if (const int rows = view->model()->rowCount(); rows > 0) {
                const auto at = static_cast<int>(random.below(static_cast<std::size_t>(rows)));
                QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                                  view->visualRect(view->model()->index(at, 0)).center());
            }
        };
        static constexpr const char *actions[] = {"split",    "fuse",   "vectorize",
                                                  "parallel", "unroll", "reorder"};
        switch (random.below(4)) {
        case 0: onRow(m_window->historyView()); break;
        case 1:
            QTest::mouseClick(strip()->button(actions[random.below(std::size(actions))]), Qt::LeftButton);
            break;
        default: onRow(tree());
        }
    }
    static tests::Random seeded(std::uint64_t salt)
    {
        return tests::Random(qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED") * 1000003ULL + salt);
    }
    static int count(int usual)
    {
        return qEnvironmentVariableIsSet("NESTWRIGHT_FUZZ_COUNT")
                   ? qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COUNT")
                   : usual;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::string text(tests::programText("matmul"));
        showWindow(1366, 768, {{"matmul.py", text.c_str()}});
    }
    void cleanupTestCase() { m_window.reset(); }

    void keysWaitForTheStepBefore_data()
    {
        QTest::addColumn<QString>("keys");
        QTest::newRow("two splits") << QStringLiteral("s4\ns8\nu");
        QTest::newRow("fused twice") << QStringLiteral("ffp");
        QTest::newRow("steps without a form") << QStringLiteral("pfu");
        QTest::newRow("undone at once") << QStringLiteral("s4\n<u");
        QTest::newRow("not legal") << QStringLiteral("s0\nu");
    }
    void keysWaitForTheStepBefore()
    {
        QFETCH(QString, keys);
        const std::vector<Key> typed = keysOf(qPrintable(keys));
        const QStringList slow = afterTyping(typed, -1);
        QVERIFY(!slow.join(u' ').contains(u"refused"));
        for (const int pause : {0, 5, 20})
            QCOMPARE(afterTyping(typed, pause), slow);
    }

    void twoSplitsAndAnUnroll()
    {
        const QStringList steps = afterTyping(keysOf("s4\ns8\nu"), 0);
        QCOMPARE(steps.size(), 4);
        QVERIFY2(steps[0].startsWith(u"split(i, ") && steps[0].contains(u'4'), qPrintable(steps[0]));
        QVERIFY2(steps[1].startsWith(u"split(i_") && steps[1].contains(u'8'), qPrintable(steps[1]));
        QVERIFY2(steps[2].startsWith(u"unroll("), qPrintable(steps[2]));
    }

    /// A click means the row that was seen there.
    void clicksWait()
    {
        reopen();
        const auto clickRow = [this](const char *name) {
            QTest::mouseClick(tree()->viewport(), Qt::LeftButton, {}, tree()->rowRect(row(name)).center());
        };
        type({Qt::Key_P}, tree()); // i
        clickRow("j");
        type({Qt::Key_S}, tree());
        type({Qt::Key_4}, tree());
        type({Qt::Key_Return}, tree());
        clickRow("k"); // which then lies a row below
        type({Qt::Key_U}, tree());
        QTest::mouseClick(strip()->button("split"), Qt::LeftButton);
        type({Qt::Key_Escape}, tree());
        QVERIFY(settle());
        const QStringList steps = made();
        QCOMPARE(steps.size(), 3);
        QCOMPARE(steps[0], QStringLiteral("parallel(i)"));
        QVERIFY2(steps[1].startsWith(u"split(j, "), qPrintable(steps[1]));
        QCOMPARE(steps[2], QStringLiteral("unroll(k)"));
    }

    void randomKeys()
    {
        for (int i = 0; i < count(12); ++i) {
            tests::Random random = seeded(static_cast<std::uint64_t>(i));
            const std::vector<Key> keys = randomKeys(random);
            const QStringList fast = afterTyping(keys, static_cast<int>(random.below(2)) * 5);
            for (const QString &step : fast)
                QVERIFY2(!step.startsWith(u"refused"), qPrintable(textOf(keys) + u'\n' + fast.join(u'\n')));
            const QStringList slow = afterTyping(keys, -1);
            QVERIFY2(fast == slow, qPrintable(QStringLiteral("sequence %1: %2\nfast: %3\nslow: %4")
                                                  .arg(i)
                                                  .arg(textOf(keys), fast.join(u"; "), slow.join(u"; "))));
        }
    }

    void randomKeysAndClicks()
    {
        for (int i = 0; i < count(12); ++i) {
            tests::Random random = seeded(500'000'000 + static_cast<std::uint64_t>(i));
            reopen();
            QString told;
            for (const Key &key : randomKeys(random)) {
                if (random.below(3) == 0) {
                    clickAtRandom(random);
                    told += QStringLiteral("click ");
                } else {
                    type(key, tree());
                    told += textOf({key}) + u' ';
                }
                QTest::qWait(5);
            }
            QTest::qWait(70);
            QVERIFY2(settle(), qPrintable(told));
            for (const QString &step : made())
                QVERIFY2(!step.startsWith(u"refused"), qPrintable(told + u'\n' + made().join(u'\n')));
            type({Qt::Key_Escape}, tree());
        }
    }

    /// With the graph alone in sight letters make no steps, and say why.
    void lettersNeedTheTreeInSight()
    {
        reopen();
        auto *graph = m_window->graphCanvas();
        m_window->commands().trigger(QStringLiteral("view.go.graph"));
        m_window->commands().trigger(QStringLiteral("view.maximise"));
        QVERIFY(settle());
        QVERIFY(!tree()->isVisible());
        for (const int letter : {Qt::Key_P, Qt::Key_U, Qt::Key_S, Qt::Key_X}) {
            QTest::keyClick(graph, Qt::Key(letter));
            QVERIFY(settle());
        }
        QCOMPARE(made(), QStringList());
        QVERIFY(!strip()->form());
        m_window->commands().trigger(QStringLiteral("view.go.loops"));
        QVERIFY(settle());
        QVERIFY(tree()->isVisible());
        QCOMPARE(QApplication::focusWidget(), tree());
        type({Qt::Key_P}, tree());
        QVERIFY(settle());
        QCOMPARE(made(), QStringList{QStringLiteral("parallel(i)")});
    }
};

QTEST_MAIN(HeldInputTest)
#include "held_input_test.moc"
