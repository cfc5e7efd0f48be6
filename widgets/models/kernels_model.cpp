// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/kernels_model.h"

#include "widgets/document/plain_tip.h"
#include "widgets/models/spoken_cell.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace nestwright::models {

void KernelsModel::setRows(std::vector<KernelRow> rows)
{
    // The same kernels in the same order keep selection and scroll position.
    const bool same = std::equal(
        rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
        [](const KernelRow &a, const KernelRow &b) { return a.kernel == b.kernel && a.name == b.name; });
    if (!same)
        beginResetModel();
    m_rows = std::move(rows);
    if (!same)
        endResetModel();
    else if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

bool KernelsModel::showsChange() const
{
    return std::ranges::any_of(m_rows, [](const KernelRow &row) { return row.change.has_value(); });
}

int KernelsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int KernelsModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

namespace {

QString boundOf(const KernelRow &row)
{
    if (row.peakFraction <= 0)
        return QStringLiteral("–");
    return row.memoryBound ? KernelsModel::tr("memory") : KernelsModel::tr("compute");
}

} // namespace

QVariant KernelsModel::number(const KernelRow &row, int column)
{
    switch (column) {
    case Nodes: return row.nodes;
    case Time: return row.seconds;
    case Change: return row.isNoise ? 0 : row.change.value_or(0);
    case Share: return row.share;
    case Gflops: return row.gflops;
    case Peak: return row.peakFraction;
    case Bound: return boundOf(row);
    case Gain: return row.gain;
    default: return row.name;
    }
}

QVariant KernelsModel::text(const KernelRow &row, int column) const
{
    const auto known = [&](const QString &value) { return row.seconds > 0 ? value : QStringLiteral("–"); };
    switch (column) {
    case Name: return row.name;
    case Nodes: return row.nodes;
    case Time: return known(QString::number(row.seconds * 1e3, 'f', 3));
    case Change:
        return !row.change   ? QStringLiteral("–")
               : row.isNoise ? QStringLiteral("≈")
                             : percentChange(*row.change);
    case Share: return known(QString::number(100 * row.share, 'f', 1));
    case Gflops: return known(QString::number(row.gflops, 'f', 1));
    case Peak:
        return row.peakFraction > 0 ? QString::number(100 * row.peakFraction, 'f', 0) : QStringLiteral("–");
    case Bound: return boundOf(row);
    case Gain: return known(QString::number(row.gain * 1e3, 'f', 3));
    default: return {};
    }
}

QVariant KernelsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const KernelRow &row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return text(row, index.column());
    case Qt::AccessibleTextRole: return spokenCell(index);
    case SortRole: return number(row, index.column());
    case KernelRole: return row.kernel;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter
                                   | (index.column() == Name ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::ToolTipRole: {
        QStringList lines{row.name, tr("used by %n node(s)", nullptr, row.nodes)};
        if (row.peakFraction > 0)
            lines << (row.memoryBound
                          ? tr("bound by memory: moving its data takes longer than computing")
                          : tr("bound by computing: its arithmetic takes longer than moving its data"));
        if (row.change)
            lines << (row.isNoise ? tr("as fast as with the schedule before, as far as can be told: not "
                                       "significant (%1)")
                                  : tr("%1 against the schedule before, run in turns with it"))
                         .arg(percentChange(*row.change));
        return document::plainTip(lines.join(u'\n'));
    }
    default: return {};
    }
}

QString percentChange(double fraction)
{
    const double percent = 100 * fraction;
    if (std::abs(percent) < 0.5)
        return QStringLiteral("±0 %");
    return (percent < 0 ? QStringLiteral("−%1 %") : QStringLiteral("+%1 %"))
        .arg(std::abs(percent), 0, 'f', 0);
}

QVariant KernelsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (section == Name ? Qt::AlignLeft : Qt::AlignRight));
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case Nodes: return tr("Nodes of the model that this kernel computes");
        case Time: return tr("Time of all its calls in one run of the model");
        case Change:
            return tr("Of its time, against the schedules that were measured before: run in turns with them; "
                      "≈ is not "
                      "significant");
        case Share: return tr("Its part of the model's time");
        case Gflops: return tr("Floating-point operations in a second");
        case Peak: return tr("Share of the machine's peak at the kernel's arithmetic intensity");
        case Bound: return tr("Its bound at best: moving data from and to memory, or computing");
        case Gain: return tr("Time saved if it ran as fast as the machine allows");
        default: return {};
        }
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name: return tr("kernel");
    case Nodes: return tr("nodes");
    case Time: return tr("ms");
    case Change: return tr("change");
    case Share: return tr("%");
    case Gflops: return tr("GFLOPS");
    case Peak: return tr("roof %");
    case Bound: return tr("bound");
    case Gain: return tr("gain ms");
    default: return {};
    }
}

} // namespace nestwright::models
