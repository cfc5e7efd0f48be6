// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/selection.h"

namespace nestwright::document {

void Selection::select(StmtId id) { select(id ? std::vector<StmtId>{id} : std::vector<StmtId>()); }

void Selection::select(std::vector<StmtId> ids)
{
    if (ids == m_ids)
        return;
    m_ids = std::move(ids);
    Q_EMIT changed();
}

void Selection::hover(StmtId id)
{
    if (id == m_hovered)
        return;
    m_hovered = id;
    Q_EMIT hoveredChanged();
}

} // namespace nestwright::document
