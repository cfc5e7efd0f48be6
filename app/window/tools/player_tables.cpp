// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/player_tables.h"

#include "widgets/document/text.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QLocale>
#include <QTreeWidget>

namespace nestwright::app {

using document::toQt;
using explore::LevelCounts;
using explore::Replay;
using explore::ReplayRow;

namespace {

struct PlayerText {
    Q_DECLARE_TR_FUNCTIONS(Player)
};

enum ListColumn { RowColumn, ValueColumn };
enum CountColumn { StatementColumn, BufferColumn, KindColumn, AccessColumn, HitColumn, FirstMissColumn };

void setUpPlain(QTreeWidget &table)
{
    table.setRootIsDecorated(false);
    table.setUniformRowHeights(true);
    table.setFrameShape(QFrame::NoFrame);
    table.setIndentation(0);
    table.header()->setStretchLastSection(false);
}

std::vector<bool> rowsAround(const Replay &replay, int row)
{
    std::vector<bool> around(replay.rows.size(), false);
    for (; row >= 0; row = replay.rows[static_cast<std::size_t>(row)].parent)
        around[static_cast<std::size_t>(row)] = true;
    return around;
}

/// An empty cell is read as a dash.
void setCell(QTreeWidgetItem &item, int column, const QString &text)
{
    item.setText(column, text);
    item.setData(column, Qt::AccessibleTextRole, text.isEmpty() ? QStringLiteral("–") : text.trimmed());
}

void setCounts(QTreeWidgetItem &item, const LevelCounts &held, std::int64_t allMisses)
{
    const QLocale locale;
    const auto number = [&](std::int64_t value) { return locale.toString(static_cast<qlonglong>(value)); };
    item.setText(AccessColumn, number(explore::accessesOf(held)));
    item.setText(HitColumn, number(held.front()));
    const auto levels = static_cast<int>(held.size()) - 1;
    for (int level = 0; level < levels; ++level)
        item.setText(FirstMissColumn + level,
                     number(explore::missesOf(held, static_cast<std::size_t>(level))));
    const std::int64_t misses = explore::missesOf(held, 0);
    item.setText(
        FirstMissColumn + levels,
        allMisses == 0
            ? QStringLiteral("–")
            : locale.toString(100.0 * static_cast<double>(misses) / static_cast<double>(allMisses), 'f', 1)
                  + QStringLiteral(" %"));
}

LevelCounts sumOf(const std::vector<LevelCounts> &all, std::size_t width)
{
    LevelCounts sum(width, 0);
    for (const LevelCounts &held : all) {
        for (std::size_t i = 0; i < width; ++i)
            sum[i] += held[i];
    }
    return sum;
}

} // namespace

void setUpLoopList(QTreeWidget &list)
{
    setUpPlain(list);
    list.setColumnCount(2);
    list.setHeaderLabels({PlayerText::tr("loop or statement"), PlayerText::tr("value")});
    list.headerItem()->setTextAlignment(ValueColumn, Qt::AlignRight | Qt::AlignVCenter);
    list.header()->setSectionResizeMode(RowColumn, QHeaderView::Stretch);
    list.header()->setSectionResizeMode(ValueColumn, QHeaderView::ResizeToContents);
    list.setAccessibleName(PlayerText::tr("Loops with the values of their variables"));
    list.setTextElideMode(Qt::ElideRight);
}

void fillLoopList(QTreeWidget &list, const Replay &replay)
{
    list.clear();
    int innermost = -1;
    for (std::size_t i = 0; i < replay.rows.size(); ++i) {
        const ReplayRow &row = replay.rows[i];
        const QString text = toQt(row.text);
        auto *item = new QTreeWidgetItem(&list, {QString(qsizetype(2) * row.depth, u' ') + text});
        item->setToolTip(RowColumn, text);
        item->setData(RowColumn, Qt::AccessibleTextRole, text);
        setCell(*item, ValueColumn, QString());
        item->setTextAlignment(ValueColumn, Qt::AlignRight | Qt::AlignVCenter);
        if (row.loop >= 0)
            innermost = static_cast<int>(i);
    }
    if (innermost >= 0) // the loop around it is what Ctrl+→ goes along
        list.setCurrentItem(
            list.topLevelItem(std::max(replay.rows[static_cast<std::size_t>(innermost)].parent, 0)));
}

void showLoopValues(QTreeWidget &list, const explore::ReplayCursor &cursor)
{
    const Replay &replay = cursor.replay();
    const bool hasStep = cursor.position() > 0;
    const std::size_t step = hasStep ? cursor.position() - 1 : 0;
    const std::vector<bool> around = rowsAround(replay, hasStep ? replay.rowAt(step) : -1);
    const look::Tokens &t = look::tokens(&list);
    for (int i = 0; i < list.topLevelItemCount(); ++i) {
        const ReplayRow &row = replay.rows[static_cast<std::size_t>(i)];
        QTreeWidgetItem *item = list.topLevelItem(i);
        const bool isAround = around[static_cast<std::size_t>(i)];
        const auto value = row.loop >= 0 && isAround
                               ? replay.valueOf(static_cast<std::size_t>(row.loop), step)
                               : std::nullopt;
        const QString text = value ? QString::number(*value) : QString();
        if (item->text(ValueColumn) != text)
            setCell(*item, ValueColumn, text);
        const QColor color = isAround || !hasStep ? t.text : t.secondary;
        if (item->foreground(RowColumn).color() != color)
            item->setForeground(RowColumn, color);
    }
}

int chosenLoop(const QTreeWidget &list, const Replay &replay)
{
    QTreeWidgetItem *item = list.currentItem();
    for (int row = item ? list.indexOfTopLevelItem(item) : -1; row >= 0;
         row = replay.rows[static_cast<std::size_t>(row)].parent) {
        if (const int loop = replay.rows[static_cast<std::size_t>(row)].loop; loop >= 0)
            return loop;
    }
    return -1;
}

void setUpCountTable(QTreeWidget &table)
{
    setUpPlain(table);
    table.setAccessibleName(PlayerText::tr("Accesses and the caches that hold them"));
    table.setSelectionMode(QAbstractItemView::NoSelection);
}

void fillCountTable(QTreeWidget &table, const Replay &replay)
{
    table.clear();
    QStringList titles{PlayerText::tr("statement"), PlayerText::tr("buffer"), PlayerText::tr("access"),
                       PlayerText::tr("accesses")};
    for (std::size_t i = 0; i < replay.levels.size(); ++i) {
        const QString name = toQt(replay.levels[i].name);
        if (i == 0)
            titles << PlayerText::tr("%1 hits").arg(name);
        titles << PlayerText::tr("%1 misses").arg(name);
    }
    titles << PlayerText::tr("share of misses");
    table.setColumnCount(static_cast<int>(titles.size()));
    table.setHeaderLabels(titles);
    const auto addRow = [&](const QStringList &texts) {
        auto *item = new QTreeWidgetItem(&table);
        for (int column = 0; column < AccessColumn; ++column)
            setCell(*item, column, texts.value(column));
        for (int column = AccessColumn; column < table.columnCount(); ++column)
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    };
    for (const explore::TracedAccess &access : replay.tables.accesses)
        addRow({toQt(access.statement), toQt(replay.tables.buffers[access.buffer].name),
                access.isWrite ? PlayerText::tr("write") : PlayerText::tr("read")});
    addRow({PlayerText::tr("all")});
    for (int column = 0; column < table.columnCount(); ++column) {
        table.header()->setSectionResizeMode(column, QHeaderView::Stretch);
        if (column >= AccessColumn)
            table.headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
    table.header()->setSectionResizeMode(KindColumn, QHeaderView::ResizeToContents);
}

void showCounts(QTreeWidget &table, const explore::ReplayCursor &cursor)
{
    const std::vector<LevelCounts> &held = cursor.held();
    const LevelCounts all = sumOf(held, cursor.replay().levels.size() + 1);
    const std::int64_t misses = explore::missesOf(all, 0);
    for (std::size_t i = 0; i < held.size(); ++i)
        setCounts(*table.topLevelItem(static_cast<int>(i)), held[i], misses);
    setCounts(*table.topLevelItem(static_cast<int>(held.size())), all, misses);
}

} // namespace nestwright::app
