// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/nest_model.h"

#include "widgets/document/plain_tip.h"
#include "widgets/models/spoken_cell.h"

#include <algorithm>

namespace nestwright::models {

using document::NestRow;

void NestModel::setNest(document::NestPtr nest)
{
    if (nest == m_nest)
        return;
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<support::StmtId> ids;
    ids.reserve(static_cast<std::size_t>(before.size()));
    for (const QModelIndex &index : before)
        ids.push_back(id(index));
    m_nest = std::move(nest);
    m_code.reset(); // of the nest before
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after << indexOf(ids[static_cast<std::size_t>(i)], before[i].column());
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

void NestModel::setCode(document::LoopCodes code)
{
    m_code = std::move(code);
    if (m_nest && !m_nest->roots.empty())
        Q_EMIT dataChanged(index(0, Cycles), index(static_cast<int>(m_nest->roots.size()) - 1, Cycles));
}

const backend::LoopCode *NestModel::codeOf(const NestRow &row) const
{
    return m_code && row.kind == document::RowKind::Loop ? document::codeOfLoop(m_code, row.id) : nullptr;
}

const NestRow *NestModel::row(const QModelIndex &index) const
{
    if (!index.isValid() || !m_nest || index.internalId() >= m_nest->rows.size())
        return nullptr;
    return &m_nest->rows[index.internalId()];
}

support::StmtId NestModel::id(const QModelIndex &index) const
{
    const NestRow *found = row(index);
    return found ? found->id : support::StmtId();
}

QModelIndex NestModel::indexOf(support::StmtId id, int column) const
{
    if (!m_nest || !id)
        return {};
    const auto found = m_nest->rowOf.find(id);
    return found == m_nest->rowOf.end() ? QModelIndex() : indexOfRow(found->second, column);
}

QModelIndex NestModel::indexOfRow(int row, int column) const
{
    if (!m_nest || row < 0)
        return {};
    const int parent = m_nest->rows[static_cast<std::size_t>(row)].parent;
    const std::vector<int> &siblings =
        parent < 0 ? m_nest->roots : m_nest->rows[static_cast<std::size_t>(parent)].children;
    const auto place = std::ranges::find(siblings, row) - siblings.begin();
    return createIndex(static_cast<int>(place), column, static_cast<quintptr>(row));
}

const std::vector<int> &NestModel::childrenOf(const QModelIndex &parent) const
{
    static const std::vector<int> none;
    if (!m_nest || parent.column() > 0)
        return none;
    const NestRow *at = row(parent);
    return at ? at->children : m_nest->roots;
}

QModelIndex NestModel::index(int row, int column, const QModelIndex &parent) const
{
    const std::vector<int> &children = childrenOf(parent);
    if (row < 0 || row >= static_cast<int>(children.size()) || column < 0 || column >= ColumnCount)
        return {};
    return createIndex(row, column, static_cast<quintptr>(children[static_cast<std::size_t>(row)]));
}

QModelIndex NestModel::parent(const QModelIndex &index) const
{
    const NestRow *at = row(index);
    return at && at->parent >= 0 ? indexOfRow(at->parent) : QModelIndex();
}

int NestModel::rowCount(const QModelIndex &parent) const
{
    return static_cast<int>(childrenOf(parent).size());
}

int NestModel::columnCount(const QModelIndex &) const { return ColumnCount; }

QVariant NestModel::text(const NestRow &row, int column) const
{
    switch (column) {
    case Name: return row.badge.isEmpty() ? row.name : row.badge + u' ' + row.name;
    case Extent: return row.extent;
    case Touches: return document::bytesText(row.bytes);
    case Fits:
        if (row.memoryLevel == 0)
            return {};
        return row.memoryLevel > 3 ? QStringLiteral("RAM") : QStringLiteral("L%1").arg(row.memoryLevel);
    case Cycles: {
        const backend::LoopCode *code = codeOf(row);
        return code && code->time ? QVariant(QString::number(code->time->cycles, 'f', 1)) : QVariant();
    }
    default: return {};
    }
}

QVariant NestModel::data(const QModelIndex &index, int role) const
{
    const NestRow *at = row(index);
    if (!at)
        return {};
    switch (role) {
    case Qt::DisplayRole: return text(*at, index.column());
    case Qt::ToolTipRole: {
        const backend::LoopCode *code = codeOf(*at);
        return document::plainTip(code ? QString(at->tip + u'\n' + document::codeTip(*code)) : at->tip);
    }
    case CostRole: {
        const backend::LoopCode *code = codeOf(*at);
        return code
               && code->counts.spills + code->counts.reloads + code->counts.gathers + code->counts.scatters
                      > 0;
    }
    case Qt::AccessibleTextRole: return spokenCell(index);
    case RowRole: return static_cast<int>(index.internalId());
    case StmtRole: return at->id.value;
    default: return {};
    }
}

QVariant NestModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    static constexpr const char *titles[] = {"loop", "extent", "touches", "fits", "cycles"};
    static constexpr const char *tips[] = {
        "Loops and blocks, outermost first", "Iterations of a loop; kinds of a block's iteration variables",
        "Bytes of all buffers that one run of the loop touches; of a block in shared or local "
        "memory, those that its result takes there",
        "The smallest cache that holds them",
        "Cycles of an iteration of the machine code, with all data in the first cache, by LLVM's model of "
        "the "
        "processor"};
    if (role == Qt::DisplayRole)
        return QString::fromLatin1(titles[section]);
    if (role == Qt::ToolTipRole)
        return QString::fromLatin1(tips[section]);
    if (role == Qt::TextAlignmentRole && (section == Extent || section == Touches || section == Cycles))
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

} // namespace nestwright::models
