// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/comparison_table.h"

#include "core/support/text/seconds_text.h"
#include "widgets/document/text.h"
#include "widgets/look/axis.h"
#include "widgets/look/tokens.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeWidget>

#include <algorithm>
#include <utility>

namespace nestwright::app {

using document::toQt;
using explore::LoopPair;
using explore::LoopView;
using explore::Metric;
using explore::MetricPair;

namespace {

enum LoopColumn { FirstColumn, SecondColumn, FirstMetric };
enum LoopRole { DepthRole = Qt::UserRole, AxisRole, KindRole, FirstLoopRole, SecondLoopRole };

constexpr int loopIndent = 12, loopLeft = 6, markWidth = 4, markGap = 6;

/// A loop's name behind its indentation and the mark of its axis; its kind follows in a quieter tone.
class LoopDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem item = option;
        initStyleOption(&item, index);
        const QString name = std::exchange(item.text, {});
        item.widget->style()->drawControl(QStyle::CE_ItemViewItem, &item, painter, item.widget);
        if (name.isEmpty())
            return;
        const look::Tokens &tokens = look::tokens(item.widget);
        const QRect &rect = item.rect;
        const int begin = rect.left() + loopLeft + loopIndent * index.data(DepthRole).toInt();
        painter->save();
        painter->setClipRect(rect);
        look::paintAxisMark(*painter, QRectF(begin, rect.top() + 5, markWidth, rect.height() - 10),
                            index.data(AxisRole).toInt(), tokens);
        QRect text = rect.adjusted(begin + markWidth + markGap - rect.left(), 0, 0, 0);
        painter->setFont(item.font);
        painter->setPen(tokens.text);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft, name);
        text.setLeft(text.left() + item.fontMetrics.horizontalAdvance(name) + markGap);
        painter->setPen(tokens.secondary);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft, index.data(KindRole).toString());
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        const QString kind = index.data(KindRole).toString();
        size.rwidth() += loopLeft + loopIndent * index.data(DepthRole).toInt() + markWidth + 2 * markGap
                         + (kind.isEmpty() ? 0 : markGap + option.fontMetrics.horizontalAdvance(kind));
        return size;
    }
};

/// A figure, which keeps its colour where its row is selected.
class FigureDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem item = option;
        initStyleOption(&item, index);
        const QString figure = std::exchange(item.text, {});
        const QStyle *style = item.widget->style();
        style->drawControl(QStyle::CE_ItemViewItem, &item, painter, item.widget);
        const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, &item, item.widget) + 3;
        painter->save();
        painter->setFont(item.font);
        painter->setPen(index.data(Qt::ForegroundRole).value<QBrush>().color());
        painter->drawText(item.rect.adjusted(0, 0, -margin, 0), Qt::AlignRight | Qt::AlignVCenter, figure);
        painter->restore();
    }
};

void setLoop(QTreeWidgetItem &item, int column, const LoopView *loop, const QString &elsewhere)
{
    if (!loop) {
        item.setToolTip(column, elsewhere);
        item.setData(column, Qt::AccessibleTextRole, elsewhere);
        return;
    }
    item.setText(column, toQt(loop->name));
    item.setData(column, DepthRole, loop->depth);
    item.setData(column, AxisRole, loop->axis);
    item.setData(column, KindRole, toQt(loop->kind));
    const QString kind = loop->kind.empty() ? QString() : QStringLiteral(", ") + toQt(loop->kind);
    item.setData(column, Qt::AccessibleTextRole, toQt(loop->name) + kind);
    if (loop->code)
        item.setToolTip(column, toQt(backend::instructionsText(*loop->code)));
}

void setMetric(QTreeWidgetItem &item, int column, const MetricPair &values, const LoopPair &loops,
               const look::Tokens &tokens)
{
    item.setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    const bool isPair = loops.first && loops.second;
    if (!isPair || values.isSame()) {
        const bool takesFirst = loops.first && (isPair || !loops.second);
        item.setText(column, toQt(takesFirst ? values.firstText : values.secondText));
        item.setForeground(column, tokens.secondary);
        return;
    }
    item.setText(column, QStringLiteral("%1 → %2").arg(toQt(values.firstText), toQt(values.secondText)));
    item.setForeground(column, values.better > 0   ? tokens.good
                               : values.better < 0 ? tokens.warn
                                                   : tokens.text);
    QFont font = item.font(column);
    font.setBold(values.better != 0);
    item.setFont(column, font);
    if (values.better != 0)
        item.setData(column, Qt::AccessibleTextRole,
                     item.text(column)
                         + (values.better > 0
                                ? QCoreApplication::translate("nestwright::app::CompareWindow", ", better")
                                : QCoreApplication::translate("nestwright::app::CompareWindow", ", worse")));
}

void setMeasured(QTreeWidgetItem &item, int column, const std::optional<double> &seconds, bool isDisturbed)
{
    const auto words = [](const char *text) {
        return QCoreApplication::translate("nestwright::app::CompareWindow", text);
    };
    const QString time = seconds ? toQt(support::secondsText(*seconds)) : QString();
    item.setText(column, seconds ? words("measured") : words("not measured"));
    item.setData(column, KindRole, isDisturbed ? time + words(", busy machine") : time);
    item.setData(column, AxisRole, look::noAxis);
    item.setData(column, Qt::AccessibleTextRole, QString(item.text(column) + u' ' + time).trimmed());
}

QString onlyIn(const explore::VariantFacts &facts)
{
    return QCoreApplication::translate("nestwright::app::CompareWindow", "Only %1 has it")
        .arg(toQt(facts.name));
}

} // namespace

void setUpComparisonTable(QTreeWidget &table)
{
    table.setFrameShape(QFrame::NoFrame);
    table.setRootIsDecorated(false);
    table.setIndentation(0);
    table.setUniformRowHeights(true);
    table.setAllColumnsShowFocus(true);
    table.setAccessibleName(
        QCoreApplication::translate("nestwright::app::CompareWindow", "Loops of both variants"));
    table.header()->setStretchLastSection(false);
    table.header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table.setItemDelegate(new FigureDelegate(&table));
    auto *delegate = new LoopDelegate(&table);
    table.setItemDelegateForColumn(FirstColumn, delegate);
    table.setItemDelegateForColumn(SecondColumn, delegate);
}

void fillComparisonTable(QTreeWidget &table, const ComparisonPage &page)
{
    const explore::Comparison &comparison = page.comparison;
    const std::vector<const Metric *> metrics = comparison.metrics();
    table.clear();
    QStringList titles{toQt(comparison.first.name), toQt(comparison.second.name)};
    for (const Metric *metric : metrics)
        titles << toQt(metric->title);
    table.setColumnCount(static_cast<int>(titles.size()));
    table.setHeaderLabels(titles);
    for (int i = 0; i < static_cast<int>(metrics.size()); ++i) {
        const Metric &metric = *metrics[static_cast<std::size_t>(i)];
        table.headerItem()->setToolTip(FirstMetric + i, toQt(metric.help));
        table.headerItem()->setTextAlignment(FirstMetric + i, Qt::AlignRight | Qt::AlignVCenter);
    }
    const look::Tokens &tokens = look::tokens(&table);
    for (const LoopPair &loops : comparison.pairs) {
        auto *item = new QTreeWidgetItem(&table);
        setLoop(*item, FirstColumn, comparison.first.loop(loops.first), onlyIn(comparison.second));
        setLoop(*item, SecondColumn, comparison.second.loop(loops.second), onlyIn(comparison.first));
        item->setData(FirstColumn, FirstLoopRole, loops.first.value);
        item->setData(FirstColumn, SecondLoopRole, loops.second.value);
        for (int i = 0; i < static_cast<int>(metrics.size()); ++i)
            setMetric(*item, FirstMetric + i,
                      comparison.metricPair(*metrics[static_cast<std::size_t>(i)], loops), loops, tokens);
    }
    const auto &[first, second] = comparison.seconds;
    if (first || second) {
        auto *item = new QTreeWidgetItem(&table);
        const bool isDisturbed = page.peer && page.peer->time && page.peer->time->disturbed;
        setMeasured(*item, FirstColumn, first, false);
        setMeasured(*item, SecondColumn, second, isDisturbed);
    }
}

int hottestRow(const explore::Comparison &comparison)
{
    const auto heat = [](const LoopView *loop) {
        return loop && loop->code && loop->code->time ? std::pair(loop->cycles.value_or(0), loop->depth)
                                                      : std::pair(-1.0, 0);
    };
    // For a peer's code the cycles of all runs are not known.
    if (const auto &hot = comparison.second.hot; hot && !comparison.second.cycles) {
        const auto row = std::ranges::find(comparison.pairs, hot->block, &LoopPair::second);
        if (row != comparison.pairs.end())
            return static_cast<int>(row - comparison.pairs.begin());
    }
    const auto hottest = std::ranges::max_element(comparison.pairs, {}, [&](const LoopPair &loops) {
        return heat(comparison.second.loop(loops.second));
    });
    return hottest == comparison.pairs.end() ? -1 : static_cast<int>(hottest - comparison.pairs.begin());
}

LoopPair loopsOf(const QTreeWidgetItem &item)
{
    return {{item.data(FirstColumn, FirstLoopRole).toUInt()},
            {item.data(FirstColumn, SecondLoopRole).toUInt()}};
}

QString estimateText(const explore::Comparison &comparison)
{
    if (!comparison.first.cycles || !comparison.second.cycles)
        return {};
    return QCoreApplication::translate(
               "nestwright::app::CompareWindow",
               "About %1 cycles in '%2', %3 in '%4', by one thread with all data in the first cache.")
        .arg(toQt(explore::cyclesText(*comparison.first.cycles)), toQt(comparison.first.name),
             toQt(explore::cyclesText(*comparison.second.cycles)), toQt(comparison.second.name));
}

} // namespace nestwright::app
