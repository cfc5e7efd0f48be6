// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/like_kernels_table.h"

#include "core/session/model/like_kernels_text.h"
#include "core/session/reuse/transfer_text.h"
#include "widgets/document/plain_tip.h"
#include "widgets/document/text.h"
#include "widgets/look/tokens.h"

#include <QEvent>
#include <QHeaderView>

#include <algorithm>

namespace nestwright::app {

using document::toQt;
using session::LikeKernel;

namespace {

enum KernelsColumn { KernelColumn, NodesColumn, BeforeColumn, AfterColumn, ResultColumn, Columns };
constexpr int placeRole = Qt::UserRole;

/// Order of the rows: kernels that the steps are legal on, then the others, each in the program's order.
std::vector<int> orderOf(const session::LikeKernels &found)
{
    std::vector<int> places;
    for (std::size_t i = 0; i < found.kernels.size(); ++i)
        places.push_back(static_cast<int>(i));
    std::ranges::stable_partition(
        places, [&](int place) { return found.kernels[static_cast<std::size_t>(place)].run.has_value(); });
    return places;
}

/// "1.57× (1.49 … 1.66) faster", or why there is no ratio.
QString resultOf(const LikeKernel &kernel)
{
    if (kernel.cell.why)
        return document::sentence(kernel.cell.why->message);
    const measure::Speedup *speedup = kernel.cell.ratio();
    QString verdict = toQt(session::verdictOf(kernel));
    if (!speedup)
        return verdict;
    const QString ratio = toQt(session::ratioText(*speedup));
    return speedup->significant ? ratio + u' ' + verdict : ratio;
}

QColor colorOf(const LikeKernel &kernel, const look::Tokens &tokens)
{
    if (kernel.cell.why)
        return tokens.bad;
    const measure::Speedup *speedup = kernel.cell.ratio();
    if (!speedup || !speedup->significant)
        return tokens.text;
    return kernel.isFaster() ? tokens.good : tokens.bad;
}

bool canBeKept(const LikeKernel &kernel) { return session::isKept(kernel, session::Keep::All); }

} // namespace

LikeKernelsTable::LikeKernelsTable(QWidget *parent) : QTreeWidget(parent)
{
    setColumnCount(Columns);
    setHeaderLabels({tr("kernel"), tr("nodes"), tr("time before"), tr("time after"), tr("speed-up")});
    headerItem()->setToolTip(ResultColumn, tr("Time before over time after, pair by pair of runs in turns, "
                                              "with the interval of 95 %"));
    headerItem()->setTextAlignment(NodesColumn, Qt::AlignRight | Qt::AlignVCenter);
    setFrameShape(QFrame::NoFrame);
    setRootIsDecorated(false);
    setIndentation(0);
    setUniformRowHeights(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAllColumnsShowFocus(true);
    setAccessibleName(tr("Kernels with the schedule"));
    header()->setStretchLastSection(true);
    for (int column = KernelColumn; column < ResultColumn; ++column)
        header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    connect(this, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem *item, int column) {
        if (m_filling || column != KernelColumn)
            return;
        m_set[item->data(KernelColumn, placeRole).toInt()] = item->checkState(KernelColumn) == Qt::Checked;
        Q_EMIT ticksChanged();
    });
    connect(this, &QTreeWidget::itemDoubleClicked, this, [this](QTreeWidgetItem *item) {
        Q_EMIT kernelChosen(item->data(KernelColumn, placeRole).toInt());
    });
}

void LikeKernelsTable::show(const session::LikeKernels &found, session::Keep keep)
{
    m_found = found;
    m_keep = keep;
    m_filling = true;
    const std::vector<int> order = orderOf(found);
    while (topLevelItemCount() > static_cast<int>(order.size()))
        delete takeTopLevelItem(topLevelItemCount() - 1);
    while (topLevelItemCount() < static_cast<int>(order.size()))
        new QTreeWidgetItem(this);
    for (int row = 0; row < topLevelItemCount(); ++row) {
        QTreeWidgetItem &item = *topLevelItem(row);
        const int place = order[static_cast<std::size_t>(row)];
        item.setData(KernelColumn, placeRole, place);
        fillRow(item, found.kernels[static_cast<std::size_t>(place)]);
    }
    m_filling = false;
    Q_EMIT ticksChanged();
}

void LikeKernelsTable::fillRow(QTreeWidgetItem &item, const LikeKernel &kernel)
{
    item.setText(KernelColumn, toQt(kernel.name));
    item.setText(NodesColumn, QString::number(kernel.nodes));
    item.setTextAlignment(NodesColumn, Qt::AlignRight | Qt::AlignVCenter);
    item.setText(BeforeColumn, toQt(session::timeText(kernel.cell.base)));
    item.setText(AfterColumn, toQt(session::timeText(kernel.cell.scheduled)));
    item.setText(ResultColumn, resultOf(kernel));
    item.setToolTip(ResultColumn, document::plainTip(toQt(session::reasonOf(kernel.cell))));
    const look::Tokens &tokens = look::tokens(this);
    for (int column = KernelColumn; column < Columns; ++column)
        item.setForeground(column, !kernel.run              ? tokens.secondary
                                   : column == ResultColumn ? colorOf(kernel, tokens)
                                                            : tokens.text);
    if (!canBeKept(kernel)) {
        item.setData(KernelColumn, Qt::CheckStateRole, QVariant());
        return;
    }
    const auto set = m_set.find(item.data(KernelColumn, placeRole).toInt());
    const bool isTicked = set == m_set.end() ? session::isKept(kernel, m_keep) : set->second;
    item.setFlags(item.flags() | Qt::ItemIsUserCheckable);
    item.setCheckState(KernelColumn, isTicked ? Qt::Checked : Qt::Unchecked);
}

void LikeKernelsTable::changeEvent(QEvent *event)
{
    QTreeWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_filling)
        show(m_found, m_keep);
}

void LikeKernelsTable::clearAll()
{
    m_found = {};
    m_set.clear();
    clear();
    Q_EMIT ticksChanged();
}

void LikeKernelsTable::tick(session::Keep keep)
{
    m_set.clear();
    show(m_found, keep);
}

std::vector<int> LikeKernelsTable::ticked() const
{
    std::vector<int> places;
    for (int row = 0; row < topLevelItemCount(); ++row) {
        const QTreeWidgetItem *item = topLevelItem(row);
        if (item->data(KernelColumn, Qt::CheckStateRole).toInt() == Qt::Checked)
            places.push_back(item->data(KernelColumn, placeRole).toInt());
    }
    std::ranges::sort(places);
    return places;
}

} // namespace nestwright::app
