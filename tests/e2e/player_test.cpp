// SPDX-License-Identifier: GPL-3.0-or-later
// The iteration player, by mouse and keys: played, stepped, followed along a loop, with smaller extents.
#include "app/window/tools/player_window.h"
#include "tests/e2e/matmul_scripts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/document/command_registry.h"
#include "widgets/look/button.h"
#include "widgets/look/finding_box.h"
#include "widgets/player/buffer_grid.h"
#include "widgets/player/transport_bar.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QSlider>
#include <QSpinBox>
#include <QTreeWidget>

using namespace nestwright;
using app::PlayerWindow;
using e2e::patience;

namespace {

const char *const matmul = R"(from tvm import te
A = te.placeholder((256, 256), name="A")
B = te.placeholder((256, 256), name="B")
k = te.reduce_axis((0, 256), name="k")
C = te.compute((256, 256), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
func = te.create_prim_func([A, B, C])
)";
constexpr qint64 steps = 64 * 64 * 64;

} // namespace

class PlayerTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    PlayerWindow *player() const { return m_window->findChild<PlayerWindow *>(); }
    player::TransportBar *bar() const { return player()->transport(); }
    bool settled() const
    {
        return QTest::qWaitFor([this] { return player() && player()->isSettled() && m_window->isSettled(); },
                               patience);
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const
    {
        QTest::keyClick(player(), key, modifiers);
    }
    QString value(int row) const { return player()->loops()->topLevelItem(row)->text(1); }
    int marked(int grid, quint8 mark) const
    {
        const auto &cells = player()->grids()[static_cast<std::size_t>(grid)]->cells().cells;
        return static_cast<int>(
            std::ranges::count_if(cells, [mark](quint8 cell) { return (cell & mark) != 0; }));
    }
    void shootBoth(const char *light, const char *dark) const
    {
        shoot(light, player());
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot(dark, player());
        m_theme->setMode(look::Mode::Light);
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"matmul.py", matmul}, {"tiled.py", e2e::tiledSchedule}});
        m_window->open(m_folder.filePath(QStringLiteral("examples/matmul.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }
    void init()
    {
        const bool isFirst = qstrcmp(QTest::currentTestFunction(), "openedByKey") == 0;
        if (!isFirst && !player())
            QSKIP("no window was opened");
    }

    void openedByKey()
    {
        QTest::keyClick(m_window.get(), Qt::Key_I, Qt::ControlModifier | Qt::AltModifier);
        QTRY_VERIFY_WITH_TIMEOUT(player(), patience);
        QVERIFY(settled());
        QCOMPARE(bar()->steps(), steps);
        QCOMPARE(player()->largest()->value(), 64);
        QVERIFY2(player()->note()->title().contains(QStringLiteral("smaller")),
                 qPrintable(player()->note()->title()));
        QCOMPARE(player()->grids().size(), std::size_t{3});
        QCOMPARE(player()->grids()[0]->cells().rows, 64);
        player()->resize(1366, 768);
        QTest::qWait(50);
        shoot("player-begin", player());
    }

    void stepsByKey()
    {
        key(Qt::Key_Right);
        QCOMPARE(bar()->position(), 1);
        QCOMPARE(value(0), QString("0"));
        key(Qt::Key_Right);
        QCOMPARE(bar()->position(), 2);
        QCOMPARE(value(2), QString("1"));
        QCOMPARE(marked(0, player::ReadNow), 1);
        QCOMPARE(marked(2, player::WrittenNow), 1);
        QCOMPARE(marked(0, player::Touched), 2);
        shoot("player-second-step", player());
        key(Qt::Key_Left);
        QCOMPARE(bar()->position(), 1);
        QCOMPARE(marked(0, player::Touched), 1);
    }

    void alongALoop()
    {
        QTreeWidget *loops = player()->loops();
        QTest::mouseClick(loops->viewport(), Qt::LeftButton, {},
                          loops->visualItemRect(loops->topLevelItem(1)).center());
        key(Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(bar()->position(), 65);
        QCOMPARE(value(1), QString("1"));
        key(Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(bar()->position(), 129);
        key(Qt::Key_Left, Qt::ControlModifier);
        QCOMPARE(bar()->position(), 65);
        QTest::mouseClick(loops->viewport(), Qt::LeftButton, {},
                          loops->visualItemRect(loops->topLevelItem(0)).center());
        key(Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(bar()->position(), 64 * 64 + 1);
        QCOMPARE(value(0), QString("1"));
        shoot("player-second-row", player());
    }

    void endAndBegin()
    {
        key(Qt::Key_End);
        QCOMPARE(bar()->position(), steps);
        const int last = player()->counts()->topLevelItemCount() - 1;
        QCOMPARE(player()->counts()->topLevelItem(last)->text(3), QLocale().toString(4 * steps + 64 * 64));
        shootBoth("player-end-light", "player-end-dark");
        key(Qt::Key_Home);
        QCOMPARE(bar()->position(), 0);
        QCOMPARE(player()->counts()->topLevelItem(last)->text(3), QString("0"));
        QCOMPARE(marked(1, player::Touched), 0);
    }

    void bySlider()
    {
        QSlider *place = bar()->positionSlider();
        QTest::mouseClick(place, Qt::LeftButton, {}, place->rect().center());
        QVERIFY(bar()->position() > 0);
        const qint64 before = bar()->position();
        QTest::mouseClick(bar()->forwardButton(), Qt::LeftButton);
        QCOMPARE(bar()->position(), before + 1);
        key(Qt::Key_Home);
    }

    /// Plays all of it and prints how many pictures a second there were; a busy machine has fewer.
    void played()
    {
        const int before = player()->grids()[2]->frames();
        QElapsedTimer clock;
        clock.start();
        bar()->speedSlider()->setValue(88); // 25,000 a second: some 10 s for all of it
        key(Qt::Key_Space);
        QVERIFY(bar()->isPlaying());
        QTest::qWait(5000);
        const double seconds = static_cast<double>(clock.elapsed()) / 1000;
        const int frames = player()->grids()[2]->frames() - before;
        shootBoth("player-playing-light", "player-playing-dark");
        key(Qt::Key_Space);
        QVERIFY(!bar()->isPlaying());
        qInfo("64 x 64 x 64: %lld of %lld steps, %.1f frames a second", bar()->position(), bar()->steps(),
              frames / seconds);
        QVERIFY(bar()->position() > 0 && frames > 0);
        bar()->speedSlider()->setValue(bar()->speedSlider()->maximum());
        QTest::mouseClick(bar()->playButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(bar()->position(), steps, patience);
        QVERIFY(!bar()->isPlaying());
    }

    void otherExtents()
    {
        QSpinBox *largest = player()->largest();
        largest->setFocus();
        largest->selectAll();
        QTest::keyClicks(largest, QStringLiteral("16"));
        QTest::keyClick(largest, Qt::Key_Tab);
        QVERIFY(settled());
        QTRY_COMPARE_WITH_TIMEOUT(bar()->steps(), 16 * 16 * 16, patience);
        QCOMPARE(player()->grids()[0]->cells().columns, 16);
        player()->loops()->setFocus();
        for (int i = 0; i < 300; ++i)
            key(Qt::Key_Right);
        shootBoth("player-small-light", "player-small-dark");
    }

    void smallerCaches()
    {
        player()->caches()->setFocus();
        QTest::keyClick(player()->caches(), Qt::Key_End);
        QVERIFY(settled());
        QCOMPARE(player()->caches()->currentData().toInt(), 16);
        player()->loops()->setFocus();
        key(Qt::Key_End);
        const int last = player()->counts()->topLevelItemCount() - 1;
        QVERIFY(player()->counts()->topLevelItem(last)->text(5) != QStringLiteral("0"));
        shoot("player-small-caches", player());
    }

    /// The window follows the current variant.
    void anotherVariant()
    {
        m_window->open(m_folder.filePath(QStringLiteral("examples/tiled.py")));
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), 6, patience);
        QVERIFY(settled());
        QTRY_VERIFY_WITH_TIMEOUT(player()->isVisible() && player()->loops()->topLevelItemCount() > 6,
                                 patience);
        QVERIFY(player()->windowTitle().contains(u'5'));
        player()->largest()->setValue(64);
        QVERIFY(settled());
        QTRY_COMPARE_WITH_TIMEOUT(bar()->steps(), steps, patience);
        bar()->setPosition(steps / 3);
        shootBoth("player-tiled-light", "player-tiled-dark");
    }
};

QTEST_MAIN(PlayerTest)
#include "player_test.moc"
