// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/spoken_cell.h"

#include <QAbstractItemModel>
#include <QStringList>

namespace nestwright::models {

QString spokenCell(const QModelIndex &index)
{
    const QString own = index.data().toString().trimmed();
    if (index.column() != 0)
        return own.isEmpty() ? QStringLiteral("–") : own;
    const QAbstractItemModel &model = *index.model();
    QStringList parts{own};
    for (int column = 1; column < model.columnCount(index.parent()); ++column) {
        const QString value = index.siblingAtColumn(column).data().toString().trimmed();
        if (!value.isEmpty())
            parts << model.headerData(column, Qt::Horizontal).toString() + u' ' + value;
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace nestwright::models
