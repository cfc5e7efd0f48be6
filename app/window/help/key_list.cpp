// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help/key_list.h"

#include "widgets/document/command_registry.h"

#include <QCoreApplication>

#include <algorithm>
#include <span>

namespace nestwright::app {

namespace {

struct PaneKey {
    const char *keys; ///< alternatives between bars
    const char *what;
};

/// Keys and gestures of panes are no commands: each pane's brief names its own.
constexpr PaneKey treeKeys[] = {
    {"↑|↓|Home|End", QT_TRANSLATE_NOOP("Keys", "Choose a row")},
    {"←|→|double click", QT_TRANSLATE_NOOP("Keys", "Fold and unfold")},
    {"Shift+↑|Shift+↓", QT_TRANSLATE_NOOP("Keys", "Select more")},
    {"Ctrl+click|Shift+click", QT_TRANSLATE_NOOP("Keys", "Select several")},
    {"Alt+↑|Alt+↓", QT_TRANSLATE_NOOP("Keys", "Move the loop outwards, inwards")},
    {"drag", QT_TRANSLATE_NOOP("Keys", "Move a loop or block")},
    {"drag onto blockIdx, threadIdx", QT_TRANSLATE_NOOP("Keys", "Bind a loop to a thread axis")},
    {"drag from graph", QT_TRANSLATE_NOOP("Keys", "Cache a buffer at a loop")},
    {"Menu|right click", QT_TRANSLATE_NOOP("Keys", "Legal steps")},
};
constexpr PaneKey formKeys[] = {
    {"Enter", QT_TRANSLATE_NOOP("Keys", "Apply the step")},
    {"Esc", QT_TRANSLATE_NOOP("Keys", "Close without a step")},
    {"Alt+↑|Alt+↓|drag", QT_TRANSLATE_NOOP("Keys", "Move in the order")},
};
constexpr PaneKey codeKeys[] = {
    {"Enter|click", QT_TRANSLATE_NOOP("Keys", "Select the line's loop")},
    {"Ctrl+F", QT_TRANSLATE_NOOP("Keys", "Find")},
    {"F3|Shift+F3", QT_TRANSLATE_NOOP("Keys", "Next, previous match")},
    {"Ctrl+G", QT_TRANSLATE_NOOP("Keys", "Go to line")},
    {"Ctrl+A|Ctrl+C", QT_TRANSLATE_NOOP("Keys", "Select all, copy")},
    {"Ctrl+wheel|Ctrl+±", QT_TRANSLATE_NOOP("Keys", "Size of text")},
    {"Ctrl+0", QT_TRANSLATE_NOOP("Keys", "Usual size of text")},
};
constexpr PaneKey canvasKeys[] = {
    {"↑|↓", QT_TRANSLATE_NOOP("Keys", "Follow an edge")},
    {"←|→", QT_TRANSLATE_NOOP("Keys", "Node beside")},
    {"Enter|double click", QT_TRANSLATE_NOOP("Keys", "Open node, frame")},
    {"Space", QT_TRANSLATE_NOOP("Keys", "Open or collapse the frame")},
    {"Shift+↑|Shift+↓", QT_TRANSLATE_NOOP("Keys", "Trace in, out")},
    {"Alt+click", QT_TRANSLATE_NOOP("Keys", "Trace both")},
    {"Esc", QT_TRANSLATE_NOOP("Keys", "Clear the trace")},
    {"Ctrl+F", QT_TRANSLATE_NOOP("Keys", "Find nodes")},
    {"+|−|wheel", QT_TRANSLATE_NOOP("Keys", "Zoom")},
    {"0", QT_TRANSLATE_NOOP("Keys", "Show the whole graph")},
    {"drag", QT_TRANSLATE_NOOP("Keys", "Move the view")},
};
constexpr PaneKey historyKeys[] = {
    {"↑|↓|click", QT_TRANSLATE_NOOP("Keys", "Go to a variant")},
    {"Home", QT_TRANSLATE_NOOP("Keys", "Unscheduled program")},
    {"Menu|right click", QT_TRANSLATE_NOOP("Keys", "Compare, measure, copy")},
};
constexpr PaneKey chartKeys[] = {
    {"←|→|click", QT_TRANSLATE_NOOP("Keys", "Go to a variant")},
    {"Home|End", QT_TRANSLATE_NOOP("Keys", "First, last variant")},
};
constexpr PaneKey windowKeys[] = {
    {"Tab|Shift+Tab", QT_TRANSLATE_NOOP("Keys", "Next, previous control")},
    {"double click", QT_TRANSLATE_NOOP("Keys", "Header: maximise")},
    {"drag", QT_TRANSLATE_NOOP("Keys", "Header: move the pane")},
    {"middle click|Del", QT_TRANSLATE_NOOP("Keys", "Tab of a document: close")},
    {"drop", QT_TRANSLATE_NOOP("Keys", "A file: open it")},
    {"Space|←|→", QT_TRANSLATE_NOOP("Keys", "Player: play, step")},
    {"Ctrl+←|Ctrl+→", QT_TRANSLATE_NOOP("Keys", "Player: along a loop")},
};

QString shown(const char *text) { return QCoreApplication::translate("Keys", text); }

KeyGroup paneGroup(const char *title, std::span<const PaneKey> keys)
{
    KeyGroup group{shown(title), {}};
    for (const PaneKey &key : keys)
        group.rows << KeyRow{shown(key.what), QString::fromUtf8(key.keys).split(u'|')};
    return group;
}

} // namespace

QList<KeyGroup> keyGroups(const document::CommandRegistry &commands)
{
    QList<KeyGroup> groups;
    for (const document::Command &command : commands.all()) {
        if (command.keys.isEmpty())
            continue;
        QStringList keys;
        for (const QKeySequence &key : command.keys)
            keys << key.toString(QKeySequence::NativeText);
        auto group = std::ranges::find(groups, command.group, &KeyGroup::title);
        if (group == groups.end())
            group = groups.insert(groups.end(), KeyGroup{command.group, {}});
        group->rows << KeyRow{command.title, keys};
    }
    groups << paneGroup(QT_TRANSLATE_NOOP("Keys", "In the tree of loops"), treeKeys)
           << paneGroup(QT_TRANSLATE_NOOP("Keys", "In the form of a step"), formKeys)
           << paneGroup(QT_TRANSLATE_NOOP("Keys", "In loop nest and source"), codeKeys)
           << paneGroup(QT_TRANSLATE_NOOP("Keys", "In the graph"), canvasKeys)
           << paneGroup(QT_TRANSLATE_NOOP("Keys", "In the history"), historyKeys)
           << paneGroup(QT_TRANSLATE_NOOP("Keys", "In the charts"), chartKeys)
           << paneGroup(QT_TRANSLATE_NOOP("Keys", "In the window"), windowKeys);
    return groups;
}

QList<KeyGroup> matchingKeys(const QList<KeyGroup> &groups, const QString &search)
{
    const QStringList words = search.split(u' ', Qt::SkipEmptyParts);
    QList<KeyGroup> found;
    for (const KeyGroup &group : groups) {
        KeyGroup kept{group.title, {}};
        for (const KeyRow &row : group.rows) {
            const QString text = group.title + u' ' + row.what + u' ' + row.keys.join(u' ');
            if (std::ranges::all_of(
                    words, [&](const QString &word) { return text.contains(word, Qt::CaseInsensitive); }))
                kept.rows << row;
        }
        if (!kept.rows.isEmpty())
            found << kept;
    }
    return found;
}

QString keysAsText(const QList<KeyGroup> &groups)
{
    QString text;
    for (const KeyGroup &group : groups) {
        text += (text.isEmpty() ? QString() : QStringLiteral("\n")) + group.title + u'\n';
        for (const KeyRow &row : group.rows)
            text += row.keys.join(QStringLiteral(", ")) + u'\t' + row.what + u'\n';
    }
    return text;
}

} // namespace nestwright::app
