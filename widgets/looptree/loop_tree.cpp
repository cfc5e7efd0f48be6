// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/looptree/loop_tree.h"

#include "widgets/document/action_list.h"
#include "widgets/document/document.h"
#include "widgets/document/machine_code.h"
#include "widgets/document/selection.h"
#include "widgets/look/fonts.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"
#include "widgets/models/nest_model.h"

#include <QApplication>
#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVariantAnimation>

#include <algorithm>

namespace nestwright::looptree {

using document::NestRow;

namespace {
constexpr int edgeScrollMs = 16;
constexpr double leastWidthForCycles = 400;
constexpr int cyclesWidth = 64;

/// Rows have one height; the tree draws their contents.
class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override
    {
        return {40, static_cast<int>(looptree::rowHeight)};
    }
};
} // namespace

LoopTree::LoopTree(document::Document &document, document::ActionList &actions, document::MachineCode &code,
                   QWidget *parent)
    : QTreeView(parent)
    , m_document(document)
    , m_actions(actions)
    , m_model(new models::NestModel(this))
    , m_edgeScroll(new QTimer(this))
    , m_motion(new QVariantAnimation(this))
{
    setModel(m_model);
    setItemDelegate(new RowDelegate(this));
    setAccessibleName(tr("Loops and blocks"));
    setSelectionMode(ExtendedSelection);
    setSelectionBehavior(SelectRows);
    setUniformRowHeights(true);
    setIndentation(0);
    setRootIsDecorated(false);
    setExpandsOnDoubleClick(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    setMouseTracking(true);
    setFrameShape(QFrame::NoFrame);
    header()->setSectionsMovable(false);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(QHeaderView::Fixed);
    header()->setFont(look::interfaceFont(11.5));
    header()->setStyleSheet(QStringLiteral("QHeaderView::section:first { padding-left: 14px; }"));
    header()->setMinimumSectionSize(20);
    m_motion->setStartValue(1.0);
    m_motion->setEndValue(0.0);
    m_motion->setEasingCurve(QEasingCurve::OutCubic);
    connect(m_motion, &QVariantAnimation::valueChanged, viewport(), qOverload<>(&QWidget::update));
    connect(m_motion, &QVariantAnimation::finished, this, [this] { m_offsets.clear(); });

    connect(&document, &document::Document::currentChanged, this, &LoopTree::showNest);
    connect(&code, &document::MachineCode::changed, this, [this, &code] {
        m_model->setCode(code.loops());
        viewport()->update();
    });
    connect(&document.selection(), &document::Selection::changed, this, &LoopTree::showSelection);
    connect(&document.selection(), &document::Selection::hoveredChanged, viewport(),
            qOverload<>(&QWidget::update));
    connect(&actions, &document::ActionList::placementsReady, this, [this](StmtId id) {
        if (m_drag && m_drag->id == id) {
            m_drag->ready = true;
            if (bindsThreads() && !m_actions.bindings().empty())
                m_drag->shelf = ThreadShelf(viewport()->rect(), m_actions.bindings());
            moveDrag(m_drag->at);
        }
    });
    connect(&actions, &document::ActionList::gainsReady, viewport(), qOverload<>(&QWidget::update));
    connect(this, &QTreeView::collapsed, this, [this](const QModelIndex &index) {
        if (!m_syncing)
            m_folded.insert(m_model->id(index));
    });
    connect(this, &QTreeView::expanded, this, [this](const QModelIndex &index) {
        if (!m_syncing)
            m_folded.erase(m_model->id(index));
    });
    m_edgeScroll->setInterval(edgeScrollMs);
    connect(m_edgeScroll, &QTimer::timeout, this, &LoopTree::scrollAtEdge);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        if (m_drag)
            moveDrag(m_drag->at); // another placement is nearest
    });
    connect(&document, &document::Document::opened, this, [this] { // the rows now belong to another program
        m_folded.clear();
        m_model->setNest({});
    });
    setAcceptDrops(true);
    if (document.isOpen())
        showNest();
}

// --- following the document -------------------------------------------------------------------------------

QHash<quint32, int> LoopTree::rowTops() const
{
    QHash<quint32, int> tops;
    if (!m_model->nest())
        return tops;
    for (const NestRow &row : m_model->nest()->rows) {
        const QRect rect = rowRect(row.id);
        if (!rect.isNull())
            tops.insert(row.id.value, rect.top());
    }
    return tops;
}

void LoopTree::showNest()
{
    const bool sameProgram = m_model->nest() != nullptr;
    const QHash<quint32, int> before = sameProgram ? rowTops() : QHash<quint32, int>();
    const int scrolled = verticalScrollBar()->value();
    m_syncing = true;
    m_model->setNest(m_document.nest());
    expandAll();
    for (const StmtId id : m_folded) {
        if (const QModelIndex index = m_model->indexOf(id); index.isValid())
            setExpanded(index, false);
    }
    m_syncing = false;
    layoutColumns();
    showSelection();
    verticalScrollBar()->setValue(scrolled);
    startAnimation(before);
}

void LoopTree::startAnimation(const QHash<quint32, int> &before)
{
    m_motion->stop();
    m_offsets.clear();
    const int duration = look::motionMs(this);
    if (duration == 0 || before.isEmpty())
        return;
    for (auto each = before.cbegin(); each != before.cend(); ++each) {
        const QRect now = rowRect(StmtId{each.key()});
        if (!now.isNull() && now.top() != each.value())
            m_offsets.insert(each.key(), each.value() - now.top());
    }
    if (m_offsets.isEmpty())
        return;
    m_motion->setDuration(duration);
    m_motion->start();
}

void LoopTree::showSelection()
{
    m_syncing = true;
    QItemSelection selection;
    for (const StmtId id : m_document.selection().all()) {
        const QModelIndex index = m_model->indexOf(id);
        if (index.isValid())
            selection.select(index, index.siblingAtColumn(models::NestModel::ColumnCount - 1));
    }
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    const QModelIndex current = m_model->indexOf(m_document.selection().current());
    if (current.isValid()) {
        selectionModel()->setCurrentIndex(current, QItemSelectionModel::NoUpdate);
        scrollTo(current, EnsureVisible);
    }
    m_syncing = false;
    viewport()->update();
}

void LoopTree::selectionChanged(const QItemSelection &selected, const QItemSelection &deselected)
{
    QTreeView::selectionChanged(selected, deselected);
    if (m_syncing)
        return;
    std::vector<StmtId> now;
    QModelIndexList rows; // assistive technology selects a row's first cell only
    for (const QModelIndex &index : selectionModel()->selectedIndexes()) {
        if (index.column() == models::NestModel::Name)
            rows << index;
    }
    for (const StmtId id : m_document.selection().all()) { // those chosen before keep their order
        if (selectionModel()->isSelected(m_model->indexOf(id)))
            now.push_back(id);
    }
    for (const QModelIndex &index : rows) {
        const StmtId id = m_model->id(index);
        if (id && std::ranges::find(now, id) == now.end())
            now.push_back(id);
    }
    m_document.selection().select(std::move(now));
}

void LoopTree::layoutColumns()
{
    const double width = viewport()->width();
    const bool narrow = width < 330, hasTouches = width >= 290;
    m_columns.nameLeft = 14;
    m_columns.right = width - 10;
    const bool hasFits = !m_model->nest() || !m_model->nest()->hasThreads; // caches of a processor
    const bool hasCycles = hasFits && width >= leastWidthForCycles;
    m_columns.fitsLeft = m_columns.right - (hasFits ? 38 : 0) - (hasCycles ? cyclesWidth : 0);
    m_columns.touchesRight = m_columns.fitsLeft - (narrow ? 8 : 16);
    m_columns.extentRight = m_columns.touchesRight - (hasTouches ? narrow ? 62 : 76 : 0);
    int depth = 1;
    if (m_model->nest()) {
        for (const NestRow &row : m_model->nest()->rows)
            depth = std::max(depth, row.depth);
    }
    const double room = m_columns.extentRight - m_columns.nameLeft - 150;
    m_columns.indent = std::clamp(room / depth, 5.0, 16.0);
    header()->resizeSection(models::NestModel::Name, static_cast<int>(m_columns.extentRight - 60));
    header()->resizeSection(models::NestModel::Extent, 66);
    setColumnHidden(models::NestModel::Touches, !hasTouches);
    setColumnHidden(models::NestModel::Fits, !hasFits);
    setColumnHidden(models::NestModel::Cycles, !hasCycles);
    header()->resizeSection(models::NestModel::Touches,
                            static_cast<int>(m_columns.touchesRight - m_columns.extentRight));
    const double fitsWidth = width - m_columns.touchesRight - 6 - (hasCycles ? cyclesWidth : 0);
    header()->resizeSection(models::NestModel::Fits, static_cast<int>(fitsWidth));
    header()->resizeSection(models::NestModel::Cycles, cyclesWidth);
    m_columns.cyclesRight = hasCycles ? m_columns.right : 0;
}

void LoopTree::resizeEvent(QResizeEvent *event)
{
    QTreeView::resizeEvent(event);
    layoutColumns();
}

void LoopTree::changeEvent(QEvent *event)
{
    QTreeView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        viewport()->update();
}

StmtId LoopTree::idAt(const QPoint &at) const { return m_model->id(indexAt(at)); }

QRect LoopTree::rowRect(StmtId id) const
{
    const QModelIndex index = m_model->indexOf(id);
    if (!index.isValid())
        return {};
    const QRect rect = visualRect(index);
    return rect.isNull() ? QRect() : QRect(0, rect.top(), viewport()->width(), rect.height());
}

// --- painting ---------------------------------------------------------------------------------------------

void LoopTree::drawRow(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const NestRow *row = m_model->row(index);
    if (!row)
        return;
    RowState state;
    state.selected = selectionModel()->isSelected(index);
    state.focused = state.selected && hasFocus() && index == currentIndex();
    state.hovered = m_document.selection().hovered() == row->id && !m_drag;
    state.faded = m_drag && m_drag->id == row->id;
    state.collapsed = !row->children.empty() && !isExpanded(index);
    double offset = 0;
    if (const auto found = m_offsets.constFind(row->id.value); found != m_offsets.constEnd())
        offset = *found * m_motion->currentValue().toDouble();
    const QRectF rect(0, option.rect.top() + offset, viewport()->width(), option.rect.height());
    state.cycles = index.siblingAtColumn(models::NestModel::Cycles).data().toString();
    state.putsAside =
        index.siblingAtColumn(models::NestModel::Cycles).data(models::NestModel::CostRole).toBool();
    paintRow(*painter, rect, *row, state, m_columns, look::tokens(this));
}

void LoopTree::paintEvent(QPaintEvent *event)
{
    QTreeView::paintEvent(event);
    if (m_drag) {
        QPainter painter(viewport());
        painter.setRenderHint(QPainter::Antialiasing);
        paintDrag(painter);
    }
}

// --- mouse and keys ---------------------------------------------------------------------------------------

void LoopTree::mousePressEvent(QMouseEvent *event)
{
    m_pressed = event->position().toPoint();
    m_pressedId = event->button() == Qt::LeftButton ? idAt(m_pressed) : StmtId();
    if (m_pressedId && event->modifiers() == Qt::ShiftModifier) {
        selectTo(m_pressedId);
        return;
    }
    m_anchor = m_pressedId;
    QTreeView::mousePressEvent(event);
}

/// Selects the rows from the one that was clicked last, or from the current one where a step has moved the
/// selection since: the view's own beginning of a range knows nothing of steps.
void LoopTree::selectTo(StmtId id)
{
    const std::vector<StmtId> &before = m_document.selection().all();
    if (!std::ranges::contains(before, m_anchor))
        m_anchor = m_document.selection().current();
    QModelIndex first = m_model->indexOf(m_anchor), last = m_model->indexOf(id);
    if (!first.isValid())
        first = last;
    if (visualRect(first).top() > visualRect(last).top())
        std::swap(first, last);
    std::vector<StmtId> range;
    for (QModelIndex index = first; index.isValid(); index = indexBelow(index)) {
        range.push_back(m_model->id(index));
        if (index.row() == last.row() && index.parent() == last.parent())
            break;
    }
    std::vector<StmtId> chosen; // those chosen before keep their order
    for (const StmtId each : before) {
        if (std::ranges::contains(range, each))
            chosen.push_back(each);
    }
    for (const StmtId each : range) {
        if (!std::ranges::contains(chosen, each))
            chosen.push_back(each);
    }
    m_document.selection().select(std::move(chosen));
}

void LoopTree::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint at = event->position().toPoint();
    if (m_drag) {
        moveDrag(at);
        return;
    }
    if (event->buttons() & Qt::LeftButton) { // dragging selects nothing: it moves the loop
        if (m_pressedId && (at - m_pressed).manhattanLength() >= QApplication::startDragDistance())
            beginDrag(at);
        return;
    }
    m_document.selection().hover(idAt(at));
    QTreeView::mouseMoveEvent(event);
}

void LoopTree::mouseReleaseEvent(QMouseEvent *event)
{
    m_pressedId = {};
    if (m_drag) {
        endDrag(true);
        return;
    }
    QTreeView::mouseReleaseEvent(event);
}

void LoopTree::mouseDoubleClickEvent(QMouseEvent *event)
{
    const QModelIndex index = indexAt(event->position().toPoint()).siblingAtColumn(0);
    if (index.isValid() && m_model->rowCount(index) > 0)
        setExpanded(index, !isExpanded(index));
}

void LoopTree::leaveEvent(QEvent *event)
{
    m_document.selection().hover({});
    QTreeView::leaveEvent(event);
}

void LoopTree::moveSelected(int places)
{
    const StmtId id = m_document.selection().current();
    const document::NestPtr nest = m_document.nest();
    const std::vector<StmtId> chain = nest ? nest->loops.perfectNest(id) : std::vector<StmtId>();
    const auto here = static_cast<int>(std::ranges::find(chain, id) - chain.begin());
    const int there = here + places;
    if (chain.empty() || there < 0 || there >= static_cast<int>(chain.size()))
        return;
    const auto idAt = [&](int place) { return schedule::ArgValue(chain[static_cast<std::size_t>(place)]); };
    const schedule::ArgList order =
        places < 0 ? schedule::ArgList{idAt(here), idAt(there)} : schedule::ArgList{idAt(there), idAt(here)};
    m_document.apply({schedule::findPrimitive("reorder"), {order}}, document::IfRefused::Drop);
}

void LoopTree::keyPressEvent(QKeyEvent *event)
{
    if (m_drag && event->key() == Qt::Key_Escape) {
        endDrag(false);
        return;
    }
    if (event->modifiers() == Qt::AltModifier
        && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)) {
        moveSelected(event->key() == Qt::Key_Up ? -1 : 1);
        return;
    }
    QTreeView::keyPressEvent(event);
}

void LoopTree::contextMenuEvent(QContextMenuEvent *event)
{
    QPoint at = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard) {
        const QRect rect = rowRect(m_document.selection().current());
        at = viewport()->mapToGlobal(rect.isNull() ? QPoint(20, 20) : rect.center());
    }
    Q_EMIT menuRequested(at);
}

} // namespace nestwright::looptree
