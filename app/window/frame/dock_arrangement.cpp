// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/dock_arrangement.h"

#include "app/window/frame/screen_sight.h"
#include "widgets/document/command_registry.h"
#include "widgets/look/card.h"

#include <QApplication>
#include <QEvent>
#include <QGuiApplication>
#include <QLayout>
#include <QMainWindow>
#include <QTimer>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace nestwright::app {

namespace {

constexpr int stateVersion = 2;     // of the arrangement that is remembered
constexpr int margin = 10, gap = 8; // around and between the docks
constexpr int roomForAll = 1250;    // width for all docks of the upper row while something stands beside them

/// Height of the lower row: a share of the window's, so that extra height goes to the upper row.
int heightWithCharts(int height) { return std::clamp(height * 33 / 100, 210, 320); }

/// The header and some rows of the history.
int heightWithoutCharts(int height) { return std::clamp(height * 20 / 100, 132, 220); }

} // namespace

/// Tells when the room or its lower row has another size.
class DockArrangement::Watcher final : public QObject {
public:
    explicit Watcher(DockArrangement &arrangement) : m_arrangement(arrangement) {}

    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Resize && watched == m_arrangement.m_room)
            m_arrangement.roomResized();
        else if (event->type() == QEvent::Resize)
            m_arrangement.lowerResized();
        return false;
    }

private:
    DockArrangement &m_arrangement;
};

DockArrangement::DockArrangement(QMainWindow *room, Row upper, Row lower, QList<look::CardDock *> charts)
    : m_room(room)
    , m_upper(std::move(upper))
    , m_lower(std::move(lower))
    , m_charts(std::move(charts))
{
    for (look::CardDock *dock : all())
        QObject::connect(dock->header(), &look::CardHeader::doubleClicked, dock,
                         [this, dock] { maximise(dock); });
    place();
    QObject::connect(
        qGuiApp, &QGuiApplication::screenRemoved, m_room,
        [this] {
            for (look::CardDock *dock : all())
                bringIntoSight(*dock);
            bringIntoSight(*m_room->window());
        },
        Qt::QueuedConnection); // when the others have their places
    m_watcher = std::make_unique<Watcher>(*this);
    m_room->installEventFilter(m_watcher.get());
    m_lower.docks.back()->installEventFilter(m_watcher.get());
}

DockArrangement::~DockArrangement() = default;

void DockArrangement::addCommands(document::CommandRegistry &commands)
{
    for (look::CardDock *dock : all()) {
        commands.add({.id = QStringLiteral("view.dock.") + dock->objectName(),
                      .title = tr("Pane: %1").arg(dock->windowTitle()),
                      .group = tr("View"),
                      .run = [this, dock] { toggle(dock); },
                      .checked = [dock] { return !dock->isHidden(); }});
    }
    commands.add({.id = QStringLiteral("view.reset"),
                  .title = tr("Default layout"),
                  .group = tr("View"),
                  .run = [this] { reset(); }});
    commands.add({.id = QStringLiteral("view.maximise"),
                  .title = tr("Maximise the pane, or restore all"),
                  .group = tr("View"),
                  .keys = {QKeySequence(Qt::Key_F11)},
                  .run =
                      [this] {
                          if (look::CardDock *dock = focused())
                              maximise(dock);
                      },
                  .checked = [this] { return isMaximised(); }});
    commands.add(
        {.id = QStringLiteral("view.tearOff"),
         .title = tr("Tear the pane off as a window, or put it back"),
         .group = tr("View"),
         .keys = {QKeySequence(Qt::SHIFT | Qt::Key_F11)},
         .run =
             [this] {
                 if (look::CardDock *dock = focused())
                     tearOff(dock);
             },
         .unavailable = [this] { return focused() ? QString() : tr("Put the focus into a pane first."); }});
    commands.add({.id = QStringLiteral("view.nextPane"),
                  .title = tr("Go to the next pane"),
                  .group = tr("View"),
                  .keys = {QKeySequence(Qt::CTRL | Qt::Key_F6)},
                  .run = [this] { focusNext(1); }});
    commands.add({.id = QStringLiteral("view.previousPane"),
                  .title = tr("Go to the pane before"),
                  .group = tr("View"),
                  .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F6)},
                  .run = [this] { focusNext(-1); }});
}

look::CardDock *DockArrangement::focused() const
{
    const QWidget *focus = QApplication::focusWidget(); // a dock that is torn off has one of its own
    if (!focus)
        focus = m_room->window()->focusWidget();
    for (look::CardDock *dock : all()) {
        if (dock->isAncestorOf(focus))
            return dock;
    }
    return nullptr;
}

void DockArrangement::focus(look::CardDock *dock)
{
    if (dock->isHidden() && isMaximised())
        maximise(nullptr);
    if (dock->isHidden())
        toggle(dock);
    dock->window()->activateWindow();
    for (QWidget *inside = dock->widget()->nextInFocusChain(); inside != dock->widget();
         inside = inside->nextInFocusChain()) {
        if (dock->widget()->isAncestorOf(inside) && inside->isVisibleTo(dock) && inside->isEnabled()
            && (inside->focusPolicy() & Qt::TabFocus) != 0)
            return inside->setFocus(Qt::TabFocusReason);
    }
}

void DockArrangement::focusNext(int by)
{
    QList<look::CardDock *> shown;
    for (look::CardDock *dock : all()) {
        if (!dock->isHidden())
            shown << dock;
    }
    const auto here = shown.indexOf(focused());
    const auto count = shown.size();
    if (count > 0)
        focus(shown[here < 0 ? (by > 0 ? 0 : count - 1) : (here + by + count) % count]);
}

void DockArrangement::tearOff(look::CardDock *dock)
{
    if (isMaximised())
        maximise(nullptr);
    QWidget *inside = QApplication::focusWidget();
    dock->setFloating(!dock->isFloating());
    if (dock->isFloating())
        bringIntoSight(*dock);
    (dock->isFloating() ? dock : m_room->window())->activateWindow();
    if (dock->isAncestorOf(inside))
        inside->setFocus(Qt::OtherFocusReason);
}

void DockArrangement::place()
{
    const auto placeRow = [this](const Row &row, Qt::DockWidgetArea area) {
        m_room->addDockWidget(area, row.docks.front());
        for (qsizetype i = 1; i < row.docks.size(); ++i)
            m_room->splitDockWidget(row.docks[i - 1], row.docks[i], Qt::Horizontal);
    };
    placeRow(m_upper, Qt::TopDockWidgetArea);
    placeRow(m_lower, Qt::BottomDockWidgetArea);
}

void DockArrangement::resizeRow(const Row &row)
{
    const int width = m_room->width() - 2 * margin - gap * static_cast<int>(row.docks.size() - 1);
    QList<int> widths;
    for (const int share : row.shares)
        widths << width * share / 1000;
    m_room->resizeDocks({row.docks.begin(), row.docks.end()}, widths, Qt::Horizontal);
}

void DockArrangement::setLowerHeight(int height)
{
    const int whole = m_room->height() - 2 * margin - gap;
    m_room->resizeDocks({m_upper.docks.front(), m_lower.docks.back()}, {whole - height, height},
                        Qt::Vertical);
}

/// Remembers the height when the row itself was resized, by the program or by a person. When the room is
/// resized, its layout sets the row's height before the room's own resize event.
void DockArrangement::lowerResized()
{
    if (m_room->height() == m_roomHeight && !isMaximised())
        m_lowerHeight = m_lower.docks.back()->height();
}

/// The docks would share what is more or less: the lower row keeps its height, or its usual share.
void DockArrangement::roomResized()
{
    if (m_isNarrowed && !isMaximised() && giveUpFirst(m_room->width() < roomForAll))
        QTimer::singleShot(0, m_watcher.get(), [this] { resizeRow(m_upper); }); // with the room laid out
    const int before = std::exchange(m_roomHeight, m_room->height());
    if (before == m_roomHeight || m_lowerHeight == 0 || isMaximised() || !isLowerInPlace())
        return;
    const auto usual = [&](int height) {
        return m_hasData ? heightWithCharts(height) : heightWithoutCharts(height);
    };
    constexpr int rounding = 8; // what a dock may be off the height that was asked for
    const bool isUsual = std::abs(m_lowerHeight - usual(before)) <= rounding;
    setLowerHeight(isUsual ? usual(m_roomHeight) : std::min(m_lowerHeight, m_roomHeight / 2));
    m_room->layout()->activate(); // at once, so that nothing is drawn in between
}

void DockArrangement::reset()
{
    m_beforeMaximised.clear();
    m_putAway.clear();
    m_heightWith = m_heightWithout = 0;
    for (look::CardDock *dock : all()) {
        dock->setFloating(false);
        m_room->removeDockWidget(dock);
    }
    place();
    for (look::CardDock *dock : all())
        dock->show();
    m_room->layout()->activate();
    resizeRow(m_upper);
    resizeRow(m_lower);
    setLowerHeight(heightWithCharts(m_room->height()));
    giveChartsRoom(std::exchange(m_hasData, true));
    m_isFirstAway = false;
    giveUpFirst(m_isNarrowed);
}

void DockArrangement::maximise(look::CardDock *dock)
{
    if (isMaximised()) {
        m_room->restoreState(std::exchange(m_beforeMaximised, {}), stateVersion);
        const bool hasData = std::exchange(m_hasData, m_putAway.isEmpty());
        giveChartsRoom(hasData); // it may have changed in the meantime
        return;
    }
    if (dock->isFloating()) {
        dock->setFloating(false);
        return;
    }
    m_beforeMaximised = m_room->saveState(stateVersion);
    for (look::CardDock *other : all())
        other->setVisible(other == dock);
}

/// A user who moved the row elsewhere has given it a height of its own.
bool DockArrangement::isLowerInPlace() const
{
    const look::CardDock *last = m_lower.docks.back();
    return !last->isHidden() && !last->isFloating()
           && m_room->dockWidgetArea(m_lower.docks.back()) == Qt::BottomDockWidgetArea;
}

void DockArrangement::giveChartsRoom(bool hasData)
{
    if (!m_room->isVisible() || std::exchange(m_hasData, hasData) == hasData || isMaximised())
        return;
    const int height = m_lower.docks.back()->height();
    if (hasData) {
        m_heightWithout = height;
        for (look::CardDock *chart : std::exchange(m_putAway, {}))
            chart->show();
        if (isLowerInPlace())
            setLowerHeight(m_heightWith > 0 ? m_heightWith : heightWithCharts(m_room->height()));
        return;
    }
    m_heightWith = height;
    for (look::CardDock *chart : m_charts) {
        if (chart->isHidden() || chart->isFloating())
            continue;
        m_putAway << chart;
        chart->hide();
    }
    if (isLowerInPlace() && !m_putAway.isEmpty())
        setLowerHeight(m_heightWithout > 0 ? m_heightWithout : heightWithoutCharts(m_room->height()));
}

void DockArrangement::toggle(look::CardDock *dock)
{
    m_putAway.removeOne(dock);
    dock->setVisible(dock->isHidden());
}

void DockArrangement::makeRoom(bool isNarrowed)
{
    if (isMaximised())
        maximise(nullptr);
    m_isNarrowed = isNarrowed;
    giveUpFirst(isNarrowed);
    m_room->layout()->activate();
    resizeRow(m_upper);
    resizeRow(m_lower);
}

bool DockArrangement::giveUpFirst(bool isWanted)
{
    look::CardDock *first = m_upper.docks.front();
    if (!isWanted && m_isFirstAway) {
        m_isFirstAway = false;
        first->show();
        return true;
    }
    if (!isWanted || m_room->width() >= roomForAll || first->isHidden() || first->isFloating())
        return false;
    m_isFirstAway = true;
    first->hide();
    return true;
}

QByteArray DockArrangement::save()
{
    if (isMaximised())
        m_room->restoreState(std::exchange(m_beforeMaximised, {}), stateVersion);
    giveUpFirst(false);
    for (look::CardDock *chart : std::exchange(m_putAway, {}))
        chart->show();
    if (m_heightWith > 0 && !m_hasData && isLowerInPlace())
        setLowerHeight(m_heightWith);
    return m_room->saveState(stateVersion);
}

bool DockArrangement::restore(const QByteArray &saved)
{
    if (!m_room->restoreState(saved, stateVersion))
        return false;
    for (look::CardDock *dock : all())
        bringIntoSight(*dock);
    return true;
}

} // namespace nestwright::app
