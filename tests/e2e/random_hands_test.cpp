// SPDX-License-Identifier: GPL-3.0-or-later
// Random hands that are faster than the steps they make: what they get is what slow hands get that do the
// same to the same loops, variants and documents. NESTWRIGHT_FUZZ_COUNT and …_SEED choose the sequences.
#include "app/window/frame/document_tabs.h"
#include "app/window/panes/nest_pane.h"
#include "core/schedule/primitive.h"
#include "tests/e2e/hands.h"
#include "tests/support/programs.h"
#include "tests/support/random.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/code/code_view.h"
#include "widgets/document/text.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/history/history_view.h"
#include "widgets/look/button.h"
#include "widgets/models/nest_model.h"

#include <QtTest>

using namespace nestwright;
using e2e::Key;
using support::StmtId;

namespace {

/// Something that a hand does.
struct Deed {
    QString told;
    std::function<void()> again; ///< does it to what it was done to, wherever that is now
    bool isTimed = false;        ///< depends on what is worked out meanwhile: slow hands may do otherwise
};

} // namespace

class RandomHandsTest : public QObject, e2e::HandsFixture {
    Q_OBJECT

    static constexpr int keysOfSequence = 16, deedsOfSequence = 20, quickMs = 5;

    /// "first" or "second", by the file's name.
    static QString roleOf(const QString &title) { return title.section(u'-', 0, 0); }
    QString role() const { return roleOf(document().title()); }
    app::DocumentTabs *tabs() const { return m_window->findChild<app::DocumentTabs *>(); }
    int tabOf(const QString &role) const
    {
        for (int i = 0; i < m_window->documents().count(); ++i) {
            if (roleOf(m_window->documents().at(i).title) == role)
                return i;
        }
        return -1;
    }

    // --- keys -------------------------------------------------------------------------------------------

    /// Letters of steps, numbers for their forms, ways through form, tree and history.
    static Key randomKey(tests::Random &random)
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
        static const std::vector<Key> others = {{Qt::Key_Return},
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
        return random.below(4) == 0 ? random.pick(letters) : random.pick(others);
    }
    /// Result of the keys; `pauseMs` between them, or as long as each takes where it is negative.
    QStringList afterTyping(const std::vector<Key> &keys, int pauseMs)
    {
        openAnew({"first"});
        for (const Key &key : keys) {
            note(e2e::textOf({key}));
            type(key);
            if (pauseMs < 0)
                settleBehind(textOf(keys));
            else if (pauseMs > 0)
                QTest::qWait(pauseMs);
        }
        settleBehind(textOf(keys));
        const QStringList steps = madeAndCurrent();
        type({Qt::Key_Escape});
        return steps;
    }

    // --- what hands do ----------------------------------------------------------------------------------

    Deed keyDeed(tests::Random &random) const
    {
        const Key key = randomKey(random);
        return {e2e::textOf({key}), [this, key] { type(key); }};
    }
    Deed rowDeed(tests::Random &random) const
    {
        const std::vector<document::NestRow> &rows = document().nest()->rows;
        const document::NestRow &chosen = random.pick(rows);
        const int how = static_cast<int>(random.below(10));
        const Qt::KeyboardModifiers modifiers = how < 2   ? Qt::ControlModifier
                                                : how < 3 ? Qt::ShiftModifier
                                                          : Qt::NoModifier;
        const auto click = [this, id = chosen.id, seen = document().currentId(), where = role(), modifiers,
                            isDouble = how == 3] {
            const bool isThere = where == role() && seen.value < document().tree().size();
            const StmtId now = isThere ? document().follow(id, seen) : StmtId();
            if (!now || !tree()->isVisible())
                return;
            tree()->scrollTo(tree()->nestModel()->indexOf(now));
            const QRect rect = tree()->rowRect(now);
            if (rect.isNull())
                return document().selection().select(now); // folded away since
            if (isDouble)
                return doubleClickAt(tree()->viewport(), rect.center());
            QTest::mouseClick(tree()->viewport(), Qt::LeftButton, modifiers, rect.center());
        };
        if (tree()->rowRect(chosen.id).isNull())
            return keyDeed(random);
        const char *name = modifiers & Qt::ControlModifier ? "ctrl+row "
                           : modifiers                     ? "shift+row "
                           : how == 3                      ? "fold "
                                                           : "row ";
        return {QLatin1String(name) + chosen.name, click};
    }
    Deed historyDeed(tests::Random &random) const
    {
        history::HistoryView *view = m_window->historyView();
        const auto row = static_cast<int>(random.below(view->model()->rowCount()));
        const auto id = view->variantAt(view->visualRect(view->model()->index(row, 0)).center());
        if (!id)
            return keyDeed(random);
        return {QStringLiteral("variant %1").arg(id->value), [this, view, id = *id, where = role()] {
                    const QRect rect = view->rowRect(id);
                    if (where == role() && view->isVisible() && view->variantAt(rect.center()) == id)
                        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, rect.center());
                }};
    }
    Deed buttonDeed(tests::Random &random) const
    {
        static const std::vector<const char *> actions = {"split",    "fuse",   "vectorize",
                                                          "parallel", "unroll", "reorder"};
        const char *action = random.pick(actions);
        return {QStringLiteral("button ") + QLatin1String(action), [this, action] {
                    if (look::Button *button = strip()->button(action); button->isVisible())
                        QTest::mouseClick(button, Qt::LeftButton);
                }};
    }
    Deed formDeed(tests::Random &random) const
    {
        QWidget *focus = QApplication::focusWidget();
        if (!strip()->form() || !strip()->form()->isAncestorOf(focus))
            return buttonDeed(random);
        static const std::vector<Key> keys = {{Qt::Key_1},         {Qt::Key_4}, {Qt::Key_6},
                                              {Qt::Key_Backspace}, {Qt::Key_N}, {Qt::Key_Tab},
                                              {Qt::Key_Return}};
        const Key key = random.pick(keys);
        return {QStringLiteral("in form ") + e2e::textOf({key}), [this, key] { type(key); }};
    }
    Deed nodeDeed(tests::Random &random) const
    {
        const canvas::GraphCanvas *graph = m_window->graphCanvas();
        if (!graph->isVisible() || !graph->isLaidOut() || graph->accessibleCount() == 0)
            return keyDeed(random);
        const auto node = static_cast<int>(random.below(graph->accessibleCount()));
        const std::optional<int> id = graph->idAt(graph->nodeRect(node).center());
        if (!id)
            return keyDeed(random);
        return {QStringLiteral("node %1").arg(*id),
                [this, id = *id, isDouble = random.chance(40), where = role()] {
                    canvas::GraphCanvas *there = m_window->graphCanvas();
                    for (int i = 0; i < 200 && there->isPainting(); ++i)
                        QTest::qWait(quickMs); // hands hit what stands still
                    const QPoint at = there->rectOfId(id).center().toPoint();
                    if (where != role() || !there->isVisible() || there->idAt(at) != id)
                        return;
                    if (isDouble)
                        doubleClickAt(there, at);
                    else
                        QTest::mouseClick(there, Qt::LeftButton, {}, at);
                }};
    }
    /// Gives the pane all the room, or takes it back.
    Deed headerDeed(tests::Random &random) const
    {
        const char *dock = random.chance(50) ? "graph" : "loops";
        return {QStringLiteral("header ") + QLatin1String(dock), [this, dock] {
                    if (look::CardHeader *there = header(dock); there->isVisible())
                        doubleClickAt(there, QPoint(there->width() / 2, there->height() / 2));
                }};
    }
    Deed tabDeed(tests::Random &random) const
    {
        const QString wanted = random.chance(50) ? QStringLiteral("first") : QStringLiteral("second");
        if (tabOf(wanted) < 0 || m_window->documents().count() < 2)
            return keyDeed(random);
        const int how = static_cast<int>(random.below(10));
        if (how < 3) {
            return {QStringLiteral("other document"),
                    [this] { type({Qt::Key_PageDown, Qt::ControlModifier}); }};
        }
        const Qt::MouseButton button = how == 3 ? Qt::MiddleButton : Qt::LeftButton;
        const QString told = (how == 3   ? QStringLiteral("close ")
                              : how == 4 ? QStringLiteral("cross of ")
                                         : QStringLiteral("tab "))
                             + wanted;
        return {told, [this, wanted, button, isCross = how == 4] {
                    const int tab = tabOf(wanted);
                    if (tab < 0 || m_window->documents().count() < 2)
                        return;
                    if (isCross)
                        QTest::mouseClick(tabs()->tabButton(tab, QTabBar::RightSide), Qt::LeftButton);
                    else
                        QTest::mouseClick(tabs(), button, {}, tabs()->tabRect(tab).center() - QPoint(20, 0));
                }};
    }
    Deed dragDeed(tests::Random &random) const
    {
        const std::vector<document::NestRow> &rows = document().nest()->rows;
        const QRect from = tree()->rowRect(random.pick(rows).id), to = tree()->rowRect(random.pick(rows).id);
        if (from.isNull() || to.isNull() || !tree()->isVisible())
            return keyDeed(random);
        const auto drag = [this, from = from.center(), to = to.center()] {
            QWidget *viewport = tree()->viewport();
            const auto move = [viewport](const QPoint &at) {
                QMouseEvent event(QEvent::MouseMove, at, viewport->mapToGlobal(at), Qt::NoButton,
                                  Qt::LeftButton, {});
                QCoreApplication::sendEvent(viewport, &event);
            };
            QTest::mousePress(viewport, Qt::LeftButton, {}, from);
            move(from + QPoint(0, QApplication::startDragDistance() + 2));
            move(to);
            QTest::qWait(5);
            move(to);
            QTest::mouseRelease(viewport, Qt::LeftButton, {}, to);
        };
        return {QStringLiteral("drag"), drag, true};
    }
    Deed randomDeed(tests::Random &random) const
    {
        switch (random.below(20)) {
        case 0:
        case 1:
        case 2: return rowDeed(random);
        case 3:
        case 4: return historyDeed(random);
        case 5: return buttonDeed(random);
        case 6:
        case 7: return formDeed(random);
        case 8: return nodeDeed(random);
        case 9: return random.chance(40) ? headerDeed(random) : keyDeed(random);
        case 10: return tabDeed(random);
        case 11: return random.chance(40) ? dragDeed(random) : keyDeed(random);
        default: return keyDeed(random);
        }
    }
    /// The steps in each of the documents that are still open, and where hands ended.
    QStringList outcome()
    {
        QStringList found{QStringLiteral("in ") + role()};
        for (const char *name : {"first", "second"}) {
            const int tab = tabOf(QLatin1String(name));
            if (tab < 0)
                continue;
            m_window->documents().activate(tab);
            settleBehind(QStringLiteral("the end"));
            found << QLatin1String(name) << madeAndCurrent();
        }
        return found;
    }
    static QString told(const std::vector<Deed> &deeds)
    {
        QStringList texts;
        for (const Deed &deed : deeds)
            texts << deed.told;
        return texts.join(QStringLiteral(", "));
    }
    /// Result of doing this one after the other; `pauseMs` between, or as long as each takes where it
    /// is negative.
    QStringList afterDoing(const std::vector<Deed> &deeds, int pauseMs)
    {
        openAnew({"first", "second"});
        for (const Deed &deed : deeds) {
            note(deed.told);
            deed.again();
            if (pauseMs < 0)
                settleBehind(told(deeds));
            else
                QTest::qWait(pauseMs);
        }
        settleBehind(told(deeds));
        QStringList found = outcome();
        showAllPanes();
        return found;
    }
    /// Without what can be left out while fast and slow hands still get different things.
    std::vector<Deed> reduced(std::vector<Deed> deeds)
    {
        for (std::size_t i = deeds.size(); i-- > 0;) {
            std::vector<Deed> fewer = deeds;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            if (afterDoing(fewer, quickMs) != afterDoing(fewer, -1))
                deeds = std::move(fewer);
        }
        return deeds;
    }
    void showAllPanes() const
    {
        if (!tree()->isVisible() || !m_window->graphCanvas()->isVisible())
            m_window->commands().trigger(QStringLiteral("view.maximise"));
        if (!tree()->isVisible())
            m_window->commands().trigger(QStringLiteral("view.go.loops"));
        type({Qt::Key_Escape});
    }

    static tests::Random seeded(std::uint64_t salt)
    {
        return tests::Random(qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED") * 1000003ULL + salt);
    }
    /// Slow hands take part where somebody asks for a number of sequences, unless NESTWRIGHT_FUZZ_COMPARE=0.
    static bool isCompared()
    {
        return qEnvironmentVariableIsSet("NESTWRIGHT_FUZZ_COUNT")
               && qEnvironmentVariable("NESTWRIGHT_FUZZ_COMPARE") != QStringLiteral("0");
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

    void keys()
    {
        for (int i = 0; i < count(12); ++i) {
            tests::Random random = seeded(static_cast<std::uint64_t>(i));
            std::vector<Key> keys;
            for (int n = 0; n < keysOfSequence; ++n)
                keys.push_back(randomKey(random));
            const QStringList fast = afterTyping(keys, static_cast<int>(random.below(2)) * 5);
            QVERIFY2(fast.filter(QStringLiteral("refused: ")).isEmpty(),
                     qPrintable(textOf(keys) + u'\n' + fast.join(u'\n')));
            if (!isCompared()) // work done meanwhile may differ on a busy machine
                continue;
            const QStringList slow = afterTyping(keys, -1);
            QVERIFY2(fast == slow, qPrintable(QStringLiteral("sequence %1: %2\nfast: %3\nslow: %4")
                                                  .arg(i)
                                                  .arg(textOf(keys), fast.join(u"; "), slow.join(u"; "))));
        }
    }

    void keysAndClicks()
    {
        for (int i = 0; i < count(12); ++i) {
            tests::Random random = seeded(500'000'000 + static_cast<std::uint64_t>(i));
            openAnew({"first", "second"});
            std::vector<Deed> deeds;
            for (int n = 0; n < deedsOfSequence; ++n) {
                deeds.push_back(randomDeed(random));
                note(deeds.back().told);
                deeds.back().again();
                QTest::qWait(quickMs);
            }
            settleBehind(told(deeds));
            const QStringList fast = outcome();
            const QString story = QStringLiteral("sequence %1: %2\nfast: %3")
                                      .arg(i)
                                      .arg(told(deeds), fast.join(QStringLiteral("; ")));
            QVERIFY2(fast.filter(QStringLiteral("refused: ")).isEmpty(), qPrintable(story));
            showAllPanes();
            if (!isCompared() || std::ranges::any_of(deeds, &Deed::isTimed))
                continue;
            if (const QStringList slow = afterDoing(deeds, -1); fast != slow) {
                const std::vector<Deed> least = reduced(deeds);
                QFAIL(qPrintable(QStringLiteral("%1\nslow: %2\nreduced to: %3\nfast: %4\nslow: %5")
                                     .arg(story, slow.join(QStringLiteral("; ")), told(least),
                                          afterDoing(least, quickMs).join(QStringLiteral("; ")),
                                          afterDoing(least, -1).join(QStringLiteral("; ")))));
            }
        }
    }
};

QTEST_MAIN(RandomHandsTest)
#include "random_hands_test.moc"
