// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/layout_window.h"

#include "app/present/comparison_page.h"
#include "app/window/tools/tool_window.h"
#include "core/target/machine.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"
#include "widgets/player/layout_grid.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace nestwright::app {

using document::toQt;

namespace {

const QString layoutJob = QStringLiteral("layouts");

player::PlaceCells cellsOf(const explore::LayoutChange &change, const explore::LayoutGrid &grid,
                           const QString &title)
{
    player::PlaceCells cells{.title = title, .detail = toQt(grid.shape)};
    if (change.isPart)
        cells.detail += LayoutWindow::tr(", its begin");
    cells.rows = static_cast<int>(change.rows);
    cells.columns = static_cast<int>(change.columns);
    cells.places.assign(grid.offsets.begin(), grid.offsets.end());
    cells.lineElements = std::max<qint64>(target::lineBytes / change.elementBytes, 1);
    return cells;
}

} // namespace

LayoutWindow::LayoutWindow(document::Document &document, QWidget *parent)
    : QDialog(parent)
    , m_document(document)
    , m_steps(new QComboBox(this))
    , m_note(new look::FindingBox(look::FindingBox::Kind::Info, this))
    , m_before(new player::LayoutGrid(this))
    , m_after(new player::LayoutGrid(this))
{
    setWindowTitle(tr("Layouts of buffers"));
    setAccessibleName(windowTitle());
    resize(1100, 640);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->setSpacing(8);
    auto *row = new QHBoxLayout;
    auto *label = new QLabel(tr("&Step"), this);
    label->setBuddy(m_steps);
    m_steps->setAccessibleName(tr("Step that lays a buffer out anew"));
    row->addWidget(label);
    row->addWidget(m_steps, 1);
    layout->addLayout(row);
    layout->addWidget(m_note);
    auto *grids = new QHBoxLayout;
    grids->setSpacing(8);
    const auto add = [&](const QString &title, player::LayoutGrid *grid) {
        auto *card = new look::Card(title, this);
        card->setContent(grid);
        grids->addWidget(card, 1);
    };
    add(tr("Before"), m_before);
    add(tr("After"), m_after);
    layout->addLayout(grids, 1);
    connect(m_steps, &QComboBox::currentIndexChanged, this, &LayoutWindow::showChange);
    connect(&m_document, &document::Document::opened, this, &QWidget::close);
    connect(&m_document, &document::Document::currentChanged, this, [this] {
        if (isVisible())
            find();
    });
}

LayoutWindow *LayoutWindow::open(document::Document &document, QWidget *parent)
{
    auto *window = inFront<LayoutWindow>(parent, document);
    window->find();
    return window;
}

void LayoutWindow::find()
{
    if (!m_document.isOpen() || !m_document.tree().current().ok())
        return;
    const session::VariantTree &tree = m_document.tree();
    setWindowTitle(tr("Layouts of buffers · %1").arg(titleOf(tree.current())));
    m_document.jobs().run(
        layoutJob, this,
        [path = sideOf(tree, tree.current().id).path, target = m_document.session().target()](
            const jobs::Job &) { return explore::layoutChanges(path, target); },
        [this](const std::shared_ptr<const Changes> &changes) { take(changes); });
}

void LayoutWindow::take(const std::shared_ptr<const Changes> &changes)
{
    m_changes.reset();
    m_steps->clear();
    m_changes = changes;
    for (const explore::LayoutChange &change : *changes)
        m_steps->addItem(toQt(change.step));
    m_steps->setEnabled(!changes->empty());
    m_steps->setCurrentIndex(m_steps->count() - 1);
    showChange();
}

void LayoutWindow::showChange()
{
    if (!m_changes)
        return;
    const int index = m_steps->currentIndex();
    if (index < 0 || std::cmp_greater_equal(index, m_changes->size())) {
        m_note->setContent(tr("No step lays a buffer out anew"),
                           tr("Take the step transform_layout or storage_align to see what it does."));
        m_before->setCells({});
        m_after->setCells({});
        return;
    }
    const explore::LayoutChange &change = (*m_changes)[static_cast<std::size_t>(index)];
    m_note->setContent(tr("Places of the elements of '%1' in memory").arg(toQt(change.buffer)),
                       tr("A cell stands for the same element on both sides; cells of one colour beside each "
                          "other lie in one cache line, the paler the further behind in it."));
    m_before->setCells(cellsOf(change, change.before, toQt(change.buffer)));
    m_after->setCells(cellsOf(change, change.after, toQt(change.buffer)));
}

bool LayoutWindow::isSettled() const { return !m_document.jobs().isRunning(layoutJob); }

void addLayoutCommand(document::CommandRegistry &commands, document::Document &document, QWidget *window)
{
    commands.add({.id = QStringLiteral("nest.layouts"),
                  .title = LayoutWindow::tr("Layouts of buffers…"),
                  .group = LayoutWindow::tr("Loop nest"),
                  .keys = {QKeySequence(QStringLiteral("Ctrl+Alt+L"))},
                  .icon = QStringLiteral("side-by-side"),
                  .run = [&document, window] { LayoutWindow::open(document, window); },
                  .unavailable =
                      [&document] {
                          return document.isOpen() && document.tree().current().ok()
                                     ? QString()
                                     : LayoutWindow::tr("Open a kernel first; its layouts are shown.");
                      }});
}

} // namespace nestwright::app
