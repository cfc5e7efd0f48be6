// SPDX-License-Identifier: GPL-3.0-or-later
/// The loop or block that the panes share: the selected one, and the one under the pointer.
#pragma once

#include "core/support/stmt_id.h"

#include <QObject>

#include <vector>

namespace nestwright::document {

using support::StmtId;

/// Shared by all panes; the Document moves it along when the program is rewritten.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// The loop or block that actions work on; none where nothing is selected.
    StmtId current() const { return m_ids.empty() ? StmtId() : m_ids.back(); }
    /// All that is selected, in the order chosen; `current()` is the last.
    const std::vector<StmtId> &all() const { return m_ids; }
    StmtId hovered() const { return m_hovered; }

    void select(StmtId id);
    void select(std::vector<StmtId> ids);
    void hover(StmtId id);
    void clear() { select(std::vector<StmtId>()); }

Q_SIGNALS:
    void changed();
    void hoveredChanged();

private:
    std::vector<StmtId> m_ids;
    StmtId m_hovered;
};

} // namespace nestwright::document
