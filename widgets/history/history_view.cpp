// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_view.h"

#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/history/history_edits.h"
#include "widgets/look/chip.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"
#include "widgets/models/variants_model.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>
#include <array>
#include <cmath>

namespace nestwright::history {

using models::Tone;
using models::VariantsModel;

namespace {
constexpr int scrollMs = 40; ///< of a row that is dragged to an edge
constexpr double firstNode = 16;
constexpr double perLane = 13;
constexpr int mostLanes = 8; ///< with room of their own; those further right share the last

double laneX(int lane) { return firstNode + std::min(lane, mostLanes) * perLane; }

constexpr int edge = 10;
constexpr double foldWidth = 15;

class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override
    {
        return {40, HistoryView::rowHeightPx};
    }
};

QColor toneColor(Tone tone, const look::Tokens &t)
{
    switch (tone) {
    case Tone::Plain: return t.text;
    case Tone::Secondary: return t.secondary;
    case Tone::Good: return t.good;
    case Tone::Warn: return t.warn;
    case Tone::Bad: return t.bad;
    }
    return t.text;
}
} // namespace

HistoryView::HistoryView(document::Document &document, VariantsModel &model, QWidget *parent)
    : QTreeView(parent)
    , m_document(document)
    , m_model(model)
{
    setModel(&model);
    setItemDelegate(new RowDelegate(this));
    setAccessibleName(tr("History of variants"));
    setRootIsDecorated(false);
    setItemsExpandable(false);
    setUniformRowHeights(true);
    setIndentation(0);
    setSelectionMode(NoSelection);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    setMouseTracking(true);
    header()->setSectionsMovable(false);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(QHeaderView::Fixed);
    header()->setFont(look::interfaceFont(11.5));
    header()->setStyleSheet(QStringLiteral("QHeaderView::section:first { padding-left: 14px; }"
                                           "QHeaderView::section:last { padding-left: 14px; }"));
    header()->setMinimumSectionSize(10);
    m_scrolling.setInterval(scrollMs);
    connect(&m_scrolling, &QTimer::timeout, this, &HistoryView::scrollWhileDragging);
    connect(&document, &document::Document::currentChanged, this, &HistoryView::showCurrent);
    connect(&model, &QAbstractItemModel::modelReset, this, [this] {
        m_hovered = -1;
        m_chosenRefused = -1;
        m_looked = -1;
        endDrag();
        layoutColumns();
    });
    connect(&model, &QAbstractItemModel::dataChanged, this, [this] {
        layoutColumns(); // there may be figures now
        viewport()->update();
    });
}

void HistoryView::showCurrent()
{
    m_chosenRefused = -1;
    m_looked = -1;
    const int row = m_model.rowOf(m_document.currentId());
    if (row >= 0) {
        setCurrentIndex(m_model.index(row, 0));
        scrollTo(m_model.index(row, 0));
    }
    viewport()->update();
}

void HistoryView::layoutColumns()
{
    const int width = viewport()->width();
    // From the right: the room of the figures; the step has the remaining width.
    const int each = std::clamp(width / 10, 64, 88);
    const bool hasFigures = m_model.hasFigures();
    constexpr int margins = 12, leastStep = 240;
    const int words = fontMetrics().horizontalAdvance(tr("verified, busy, sealed")) + 2 * margins;
    const bool hasRoom = width - 4 * each - words >= leastStep;
    const int result = std::max(each + 38, hasRoom ? words : 0);
    const std::array<int, 5> wide{each, each, each, each, result};
    int rest = width;
    for (int column = 1; column < VariantsModel::ColumnCount; ++column) {
        int size = wide[static_cast<std::size_t>(column - 1)];
        const bool hidden = (column != VariantsModel::Result && !hasFigures)
                            || (column == VariantsModel::OfPeak && width < 580)
                            || (column == VariantsModel::Time && width < 400);
        setColumnHidden(column, hidden);
        if (hidden)
            continue;
        header()->resizeSection(column, size);
        rest -= size;
    }
    header()->resizeSection(VariantsModel::Step, std::max(80, rest));
}

void HistoryView::resizeEvent(QResizeEvent *event)
{
    const QRect before = m_document.isOpen() ? rowRect(m_document.currentId()) : QRect();
    const bool wasInSight = before.isValid() && QRect({}, event->oldSize()).contains(before.center());
    QTreeView::resizeEvent(event);
    layoutColumns();
    if (wasInSight)
        scrollTo(m_model.index(m_model.rowOf(m_document.currentId()), 0));
}

QRect HistoryView::rowRect(session::VariantId id) const
{
    const int row = m_model.rowOf(id);
    if (row < 0)
        return {};
    const QRect rect = visualRect(m_model.index(row, 0));
    return {0, rect.top(), viewport()->width(), rect.height()};
}

session::VariantId HistoryView::focused() const
{
    return m_looked >= 0 ? m_model.idAt(m_looked) : m_document.currentId();
}

double HistoryView::stepLeft() const { return laneX(m_model.lanes()) + 12; }

void HistoryView::paintTree(QPainter &painter, const QRectF &rect, int row, const look::Tokens &t) const
{
    const VariantsModel::Row &at = m_model.rows()[static_cast<std::size_t>(row)];
    painter.setPen(QPen(t.nodeBorder, 1));
    painter.setBrush(Qt::NoBrush);
    const auto crisp = [](double x) { return std::floor(x) + 0.5; };
    const double middle = crisp(rect.center().y()), own = crisp(laneX(at.lane));
    for (int lane = 0; lane < static_cast<int>(at.lines.size()); ++lane) {
        if (at.lines[static_cast<std::size_t>(lane)])
            painter.drawLine(QPointF(crisp(laneX(lane)), rect.top()),
                             QPointF(crisp(laneX(lane)), rect.bottom() + 1));
    }
    if (at.isBranch) {
        QPainterPath way(QPointF(crisp(laneX(at.lane - 1)), rect.top()));
        way.cubicTo(QPointF(way.currentPosition().x(), middle), QPointF(own, rect.top()),
                    QPointF(own, middle));
        painter.drawPath(way);
    } else if (row > 0) {
        painter.drawLine(QPointF(own, rect.top()), QPointF(own, middle));
    }
    if (at.goesOn)
        painter.drawLine(QPointF(own, middle), QPointF(own, rect.bottom() + 1));
    const bool current = m_model.isCurrent(row);
    painter.setPen(Qt::NoPen);
    const int color = m_document.tree().at(at.id).marks.color;
    painter.setBrush(m_model.isRefused(row) ? t.bad
                     : color > 0            ? t.axes[static_cast<std::size_t>(color - 1)]
                     : current              ? t.accent
                                            : t.nodeBar);
    painter.drawEllipse(QPointF(own, middle), current ? 4 : 3.5, current ? 4 : 3.5);
}

QRectF HistoryView::foldMark(const QRectF &rect, int row) const
{
    if (m_model.rows()[static_cast<std::size_t>(row)].folds == 0)
        return {};
    return {stepLeft() - 3, rect.top(), foldWidth, rect.height()};
}

double HistoryView::paintMarks(QPainter &painter, QRectF box, int row, const look::Tokens &t) const
{
    const session::VariantMarks &marks = m_document.tree().at(m_model.idAt(row)).marks;
    const double begin = box.left();
    for (const std::string &tag : marks.tags) {
        const QString text = document::toQt(tag);
        if (look::chipSize(text).width() > box.width())
            break;
        box.setLeft(
            box.left()
            + look::paintChip(painter, {box.left(), box.center().y()}, text, look::ChipKind::Neutral, t) + 6);
    }
    if (!marks.note.empty()) {
        painter.setFont(look::interfaceFont(11.5));
        painter.setPen(t.secondary);
        const QFontMetricsF metrics(painter.font());
        const QString note =
            metrics.elidedText(document::toQt(marks.note).section(u'\n', 0, 0), Qt::ElideRight, box.width());
        if (metrics.horizontalAdvance(note) <= box.width() && note.size() > 2) {
            painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, note);
            box.setLeft(box.left() + metrics.horizontalAdvance(note) + 8);
        }
    }
    return box.left() - begin;
}

void HistoryView::drawRow(QPainter *painter, const QStyleOptionViewItem &option,
                          const QModelIndex &index) const
{
    const int row = index.row();
    const look::Tokens &t = look::tokens(this);
    const QRectF rect(0, option.rect.top(), viewport()->width(), option.rect.height());
    const bool current = m_model.isCurrent(row);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF frame = rect.adjusted(4.5, 0.5, -4.5, -0.5);
    if (current) {
        painter->setPen(QPen(t.selectionBorder, 1));
        painter->setBrush(t.selectionFill);
        painter->drawRoundedRect(frame, 5, 5);
    } else if (row == m_chosenRefused || row == m_hovered) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(row == m_chosenRefused ? t.badFill : t.hover);
        painter->drawRoundedRect(frame, 5, 5);
    }
    const bool isTarget = m_dragged >= 0 && row == m_hovered && row != m_dragged;
    if (isTarget || (row == m_looked && hasFocus())) {
        painter->setPen(QPen(t.accent, isTarget ? 1.5 : 1, isTarget ? Qt::SolidLine : Qt::DotLine));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(frame, 5, 5);
    }
    if (row == m_dragged)
        painter->setOpacity(0.5);
    paintTree(*painter, rect, row, t);
    for (int column = 0; column < VariantsModel::ColumnCount; ++column) {
        if (isColumnHidden(column))
            continue;
        const QModelIndex cell = m_model.index(row, column);
        QString text = cell.data().toString();
        const bool step = column == VariantsModel::Step;
        const QFont font = look::interfaceFont(12, current && step ? QFont::DemiBold : QFont::Normal);
        painter->setFont(font);
        painter->setPen(toneColor(m_model.tone(row, column), t));
        const int left = columnViewportPosition(column);
        QRectF box(left + 6, rect.top(), columnWidth(column) - 12, rect.height());
        if (step)
            box.setLeft(stepLeft());
        if (const QRectF mark = foldMark(rect, row); step && !mark.isEmpty()) {
            painter->drawText(mark, Qt::AlignCenter,
                              m_model.isUnfolded(row) ? QStringLiteral("▾") : QStringLiteral("▸"));
            box.setLeft(mark.right() + 2);
        }
        if (step && m_document.tree().at(m_model.idAt(row)).marks.star) {
            const QString star = QStringLiteral("★");
            painter->setPen(t.warn);
            painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter, star);
            box.setLeft(box.left() + QFontMetricsF(font).horizontalAdvance(star) + 5);
            painter->setPen(toneColor(m_model.tone(row, column), t));
        }
        if (const auto &edit = m_document.tree().at(m_model.idAt(row)).edit; step && edit) {
            const QString badge = document::toQt(session::badgeOf(*edit));
            box.setLeft(
                box.left()
                + look::paintChip(*painter, {box.left(), box.center().y()}, badge, look::ChipKind::Info, t)
                + 6);
            text.remove(badge + QStringLiteral(": "));
            painter->setFont(font);
            painter->setPen(toneColor(m_model.tone(row, column), t));
        }
        if (column == VariantsModel::Result)
            box.adjust(8, 0, 0, 0);
        const auto alignment = static_cast<Qt::Alignment>(cell.data(Qt::TextAlignmentRole).toInt());
        const QFontMetricsF metrics(font);
        const QString shown = metrics.elidedText(text, Qt::ElideRight, box.width());
        painter->drawText(box, static_cast<int>(alignment), shown);
        if (!step)
            continue;
        box.setLeft(box.left() + metrics.horizontalAdvance(shown) + 8);
        box.setLeft(box.left() + paintMarks(*painter, box, row, t));
        if (const std::string_view doubt = m_model.doubt(row); !doubt.empty()) {
            painter->setFont(look::interfaceFont(11.5));
            painter->setPen(t.secondary);
            const QString note = tr("≈ %1").arg(document::toQt(doubt));
            if (QFontMetricsF(painter->font()).horizontalAdvance(note) < box.width())
                painter->drawText(box, static_cast<int>(alignment), note);
        }
    }
    painter->restore();
}

void HistoryView::choose(int row)
{
    if (row < 0 || row >= m_model.rowCount())
        return;
    const session::VariantId id = m_model.idAt(row);
    setCurrentIndex(m_model.index(row, 0));
    if (m_model.isRefused(row)) {
        m_chosenRefused = row;
        viewport()->update();
        Q_EMIT refusedChosen(id.value);
    } else {
        m_chosenRefused = -1;
        m_document.jumpTo(id);
    }
}

void HistoryView::choose(session::VariantId id) { choose(m_model.rowOf(id)); }

std::optional<session::VariantId> HistoryView::variantAt(const QPoint &at) const
{
    const int row = indexAt(at).row();
    return row < 0 ? std::nullopt : std::optional(m_model.idAt(row));
}

} // namespace nestwright::history
