// SPDX-License-Identifier: GPL-3.0-or-later
/// The loops and blocks of the current variant as an item model.
#pragma once

#include "widgets/document/machine_code.h"
#include "widgets/document/nest.h"

#include <QAbstractItemModel>

namespace nestwright::models {

class NestModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, Extent, Touches, Fits, Cycles, ColumnCount };
    enum Role {
        RowRole = Qt::UserRole, ///< position in Nest::rows
        StmtRole,               ///< id as a number
        CostRole ///< of Cycles: whether the code puts registers aside on the stack, gathers or scatters
    };

    using QAbstractItemModel::QAbstractItemModel;

    /// Shows another nest; persistent indexes of loops and blocks that it has too go on standing for them.
    void setNest(document::NestPtr nest);
    const document::NestPtr &nest() const { return m_nest; }
    /// Machine code of the nest's loops; null where none is known.
    void setCode(document::LoopCodes code);

    /// Invalid where there is none of that id.
    QModelIndex indexOf(support::StmtId id, int column = 0) const;
    QModelIndex indexOfRow(int row, int column = 0) const;
    /// Null for the invisible root.
    const document::NestRow *row(const QModelIndex &index) const;
    support::StmtId id(const QModelIndex &index) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const std::vector<int> &childrenOf(const QModelIndex &parent) const;
    QVariant text(const document::NestRow &row, int column) const;
    /// Null where none runs the iterations of the row.
    const backend::LoopCode *codeOf(const document::NestRow &row) const;

    document::NestPtr m_nest;
    document::LoopCodes m_code;
};

} // namespace nestwright::models
