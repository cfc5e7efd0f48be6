// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/player_window.h"

#include "app/present/comparison_page.h"
#include "app/window/tools/player_tables.h"
#include "app/window/tools/tool_window.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"
#include "widgets/player/buffer_grid.h"
#include "widgets/player/reuse_legend.h"
#include "widgets/player/transport_bar.h"

#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <array>

namespace nestwright::app {

namespace {

const QString replayJob = QStringLiteral("replay");
constexpr int gridColumns = 3;
constexpr std::array cacheShares{1, 4, 16};

} // namespace

PlayerWindow::PlayerWindow(document::Document &document, QWidget *parent)
    : QDialog(parent)
    , m_document(document)
    , m_largest(new QSpinBox(this))
    , m_caches(new QComboBox(this))
    , m_note(new look::FindingBox(look::FindingBox::Kind::Info, this))
    , m_gridCard(new look::Card(tr("Buffers"), this))
    , m_loops(new QTreeWidget(this))
    , m_counts(new QTreeWidget(this))
    , m_gridArea(new QWidget(this))
    , m_gridLayout(new QGridLayout)
    , m_transport(new player::TransportBar(this))
{
    setWindowTitle(tr("Iteration player"));
    setAccessibleName(windowTitle());
    resize(1240, 700);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->setSpacing(8);
    layout->addWidget(makeSettings());
    layout->addWidget(m_note);
    layout->addWidget(makePanes(), 1);
    layout->addWidget(m_transport);
    addKeys();
    connect(m_transport, &player::TransportBar::positionChanged, this, &PlayerWindow::showAt);
    connect(m_transport, &player::TransportBar::playingChanged, this, &PlayerWindow::showTables);
    connect(&m_document, &document::Document::opened, this, &QWidget::close);
    connect(&m_document, &document::Document::targetChanged, this, &PlayerWindow::record);
    connect(&m_document, &document::Document::currentChanged, this, [this] {
        if (isVisible())
            record();
    });
}

PlayerWindow *PlayerWindow::open(document::Document &document, QWidget *parent)
{
    auto *window = inFront<PlayerWindow>(parent, document);
    window->m_loops->setFocus();
    window->record();
    return window;
}

QWidget *PlayerWindow::makeSettings()
{
    auto *settings = new QWidget(this);
    auto *row = new QHBoxLayout(settings);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    const auto add = [&](const QString &text, QWidget *editor) {
        auto *label = new QLabel(text, settings);
        label->setBuddy(editor);
        row->addWidget(label);
        row->addWidget(editor);
    };
    m_largest->setRange(2, 4096);
    m_largest->setValue(usualLargest);
    m_largest->setKeyboardTracking(false);
    m_largest->setAccessibleName(tr("Largest extent"));
    m_largest->setToolTip(tr("Extents above it are made smaller, with the same steps"));
    add(tr("&Largest extent"), m_largest);
    for (const int share : cacheShares)
        m_caches->addItem(share == 1 ? tr("of this machine") : tr("1/%1 of this machine's").arg(share),
                          share);
    m_caches->setAccessibleName(tr("Caches"));
    m_caches->setToolTip(
        tr("Smaller caches show with small extents what those of the machine do with large ones"));
    add(tr("&Caches"), m_caches);
    row->addStretch(1);
    connect(m_largest, &QSpinBox::valueChanged, this, [this] {
        m_isLargestChosen = true;
        record();
    });
    connect(m_caches, &QComboBox::currentIndexChanged, this, &PlayerWindow::record);
    return settings;
}

QWidget *PlayerWindow::makePanes()
{
    setUpLoopList(*m_loops);
    setUpCountTable(*m_counts);
    auto *loopCard = new look::Card(tr("Loops"), this);
    loopCard->setContent(m_loops);
    auto *countCard = new look::Card(tr("Caches"), this);
    countCard->setContent(m_counts);
    auto *grids = new QWidget(this);
    auto *column = new QVBoxLayout(grids);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_gridLayout->setContentsMargins(0, 0, 0, 0);
    m_gridArea->setLayout(m_gridLayout);
    column->addWidget(m_gridArea, 1);
    column->addWidget(new player::ReuseLegend(reuseTexts(), grids));
    m_gridCard->setContent(grids);
    auto *upper = new QSplitter(this);
    upper->setHandleWidth(8);
    upper->setChildrenCollapsible(false);
    upper->addWidget(loopCard);
    upper->addWidget(m_gridCard);
    upper->setSizes({380, 860});
    upper->setStretchFactor(1, 1);
    auto *halves = new QSplitter(Qt::Vertical, this);
    halves->setHandleWidth(8);
    halves->setChildrenCollapsible(false);
    halves->addWidget(upper);
    halves->addWidget(countCard);
    halves->setSizes({430, 190});
    halves->setStretchFactor(0, 1);
    return halves;
}

void PlayerWindow::addKeys()
{
    const auto add = [this](const QKeySequence &key, auto act) {
        auto *shortcut = new QShortcut(key, this);
        connect(shortcut, &QShortcut::activated, this, act);
        // Editors keep their keys.
        connect(qApp, &QApplication::focusChanged, shortcut, [this, shortcut](QWidget *, const QWidget *now) {
            shortcut->setEnabled(now != m_largest && now != m_caches);
        });
    };
    add(Qt::Key_Space, [this] { m_transport->playOrPause(); });
    add(Qt::Key_Right, [this] { m_transport->stepForward(); });
    add(Qt::Key_Left, [this] { m_transport->stepBack(); });
    add(Qt::Key_Home, [this] { m_transport->restart(); });
    add(Qt::Key_End, [this] { m_transport->toEnd(); });
    add(Qt::CTRL | Qt::Key_Right, [this] { stepAlongLoop(false); });
    add(Qt::CTRL | Qt::Key_Left, [this] { stepAlongLoop(true); });
}

void PlayerWindow::record()
{
    if (!m_document.isOpen())
        return;
    const session::VariantTree &tree = m_document.tree();
    if (!tree.current().ok())
        return;
    m_transport->pause();
    setWindowTitle(tr("Iteration player · %1").arg(titleOf(tree.current())));
    m_gridCard->header()->setSecondary(tr("recording…"));
    ReplayWish wish{.cacheShare = m_caches->currentData().toInt()};
    if (m_isLargestChosen)
        wish.largest = m_largest->value();
    m_document.jobs().run(
        replayJob, this,
        [path = sideOf(tree, tree.current().id).path, target = m_document.session().target(),
         wish](const jobs::Job &) { return replayOf(path, target, wish); },
        [this](const ReplayPagePtr &page) { take(page); });
}

void PlayerWindow::take(const ReplayPagePtr &page)
{
    m_gridCard->header()->setSecondary({});
    if (!*page) {
        m_cursor.reset();
        m_note->setKind(look::FindingBox::Kind::Bad);
        m_note->setContent(tr("The program cannot be played"), document::explanation(page->error()));
        m_loops->clear();
        m_counts->clear();
        m_buffers.clear();
        makeGrids();
        m_transport->setSteps(0);
        return;
    }
    m_note->setKind(look::FindingBox::Kind::Info);
    m_note->setContent((*page)->title, (*page)->text);
    m_cursor = std::make_unique<explore::ReplayCursor>((*page)->replay);
    const explore::Replay &replay = m_cursor->replay();
    {
        const QSignalBlocker blocker(m_largest);
        m_largest->setValue((*page)->largest);
    }
    fillLoopList(*m_loops, replay);
    fillCountTable(*m_counts, replay);
    m_buffers = shownBuffers(replay);
    makeGrids();
    m_transport->setSteps(static_cast<qint64>(replay.stepCount()));
    showAt(0);
}

void PlayerWindow::makeGrids()
{
    for (player::BufferGrid *grid : m_grids)
        delete grid;
    m_grids.clear();
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        auto *grid = new player::BufferGrid(m_gridArea);
        grid->setClasses(reuseTexts());
        m_gridLayout->addWidget(grid, static_cast<int>(i) / gridColumns, static_cast<int>(i) % gridColumns);
        m_grids.push_back(grid);
    }
}

void PlayerWindow::showAt(qint64 position)
{
    if (!m_cursor)
        return;
    m_cursor->moveTo(static_cast<std::size_t>(position));
    for (std::size_t i = 0; i < m_grids.size(); ++i)
        m_grids[i]->setCells(gridOf(*m_cursor, m_buffers[i]));
    constexpr int tableMilliseconds = 50; // nobody reads faster
    const bool isDue = !m_tablesShown.isValid() || m_tablesShown.elapsed() >= tableMilliseconds;
    if (!m_transport->isPlaying() || isDue)
        showTables();
}

void PlayerWindow::showTables()
{
    if (!m_cursor)
        return;
    showLoopValues(*m_loops, *m_cursor);
    showCounts(*m_counts, *m_cursor);
    m_tablesShown.start();
}

/// Steps to the next iteration of the chosen loop, or to the one before.
void PlayerWindow::stepAlongLoop(bool backwards)
{
    const int loop = m_cursor ? chosenLoop(*m_loops, m_cursor->replay()) : -1;
    if (loop < 0)
        return;
    m_transport->pause();
    const std::size_t position = m_cursor->position(), step = position > 0 ? position - 1 : 0;
    const std::size_t next =
        position == 0 && !backwards
            ? 0
            : m_cursor->replay().iterationFrom(static_cast<std::size_t>(loop), step, backwards);
    m_transport->setPosition(static_cast<qint64>(next) + 1);
}

bool PlayerWindow::isSettled() const { return !m_document.jobs().isRunning(replayJob); }

void PlayerWindow::changeEvent(QEvent *event)
{
    QDialog::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showTables(); // its colours are the theme's
}

void PlayerWindow::closeEvent(QCloseEvent *event)
{
    m_transport->pause();
    m_document.jobs().cancel(replayJob);
    QDialog::closeEvent(event);
}

void addPlayerCommand(document::CommandRegistry &commands, document::Document &document, QWidget *window)
{
    commands.add({.id = QStringLiteral("nest.play"),
                  .title = PlayerWindow::tr("Play iterations…"),
                  .group = PlayerWindow::tr("Loop nest"),
                  .keys = {QKeySequence(QStringLiteral("Ctrl+Alt+I"))},
                  .icon = QStringLiteral("play"),
                  .run = [&document, window] { PlayerWindow::open(document, window); },
                  .unavailable =
                      [&document] {
                          return document.isOpen() && document.tree().current().ok()
                                     ? QString()
                                     : PlayerWindow::tr("Open a kernel first; its program is played.");
                      }});
}

} // namespace nestwright::app
