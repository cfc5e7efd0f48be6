// SPDX-License-Identifier: GPL-3.0-or-later
/// The edits of a history that a variant offers, for menus, keys and drops.
#pragma once

#include "core/session/history/history_edit.h"

#include <QKeySequence>
#include <QString>

#include <vector>

namespace nestwright::history {

struct EditOffer {
    QString id; ///< "drop", "moveUp", "moveDown", "step", "branch", "way", "before"
    QString title;
    QKeySequence keys{};
    session::HistoryEdit edit{};
    QString unavailable{}; ///< why it cannot be made, in one sentence; empty where it can
};

/// Edits on the path of `variant`: its step left out, or moved by one.
std::vector<EditOffer> editsOf(const session::VariantTree &tree, session::VariantId variant);

/// Steps of `variant` brought to `onto`; only those that can be.
std::vector<EditOffer> editsOnto(const session::VariantTree &tree, session::VariantId variant,
                                 session::VariantId onto);

} // namespace nestwright::history
