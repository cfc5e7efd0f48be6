// SPDX-License-Identifier: GPL-3.0-or-later
/// Every key of the program, by group: those of the commands, and those that a pane has by itself, with its
/// mouse.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace nestwright::document {
class CommandRegistry;
}

namespace nestwright::app {

struct KeyRow {
    QString what;     ///< "Move the loop outwards"
    QStringList keys; ///< any of them does it: "Ctrl+K", "Ctrl+Shift+P"; or a gesture: "drag"
};

struct KeyGroup {
    QString title;
    QList<KeyRow> rows;
};

/// The groups of the commands that have keys, in the registry's order, then the panes.
QList<KeyGroup> keyGroups(const document::CommandRegistry &commands);

/// Rows of `groups` in which every word of `search` occurs: in the group's title, the row or its keys.
QList<KeyGroup> matchingKeys(const QList<KeyGroup> &groups, const QString &search);

/// Lines of "keys, tab, action" below the titles of groups, to keep or print elsewhere.
QString keysAsText(const QList<KeyGroup> &groups);

} // namespace nestwright::app
