// SPDX-License-Identifier: GPL-3.0-or-later
/// How the docks share the window: the default arrangement, one dock with all the room, charts that take room
/// only while there is something to chart, the arrangement that is remembered, and its commands.
#pragma once

#include <QByteArray>
#include <QCoreApplication>
#include <QList>

#include <memory>

class QMainWindow;

namespace nestwright::document {
class CommandRegistry;
}
namespace nestwright::look {
class CardDock;
}

namespace nestwright::app {

class DockArrangement {
    Q_DECLARE_TR_FUNCTIONS(DockArrangement)
public:
    /// Docks side by side, from left to right: a share of the width each, in thousandths.
    struct Row {
        QList<look::CardDock *> docks;
        QList<int> shares;
    };

    /// Work is done in the upper row. `charts` are those of the lower row that can be empty.
    /// A double click on a dock's header maximises it.
    DockArrangement(QMainWindow *room, Row upper, Row lower, QList<look::CardDock *> charts);
    ~DockArrangement();
    DockArrangement(const DockArrangement &) = delete;
    DockArrangement &operator=(const DockArrangement &) = delete;

    void addCommands(document::CommandRegistry &commands);

    /// Puts every dock where it is at first, shown. The sizes need a room that is on screen.
    void reset();
    /// Gives the dock all the room, or all docks theirs again.
    void maximise(look::CardDock *dock);
    bool isMaximised() const { return !m_beforeMaximised.isEmpty(); }
    /// Shows the charts that are not closed, or puts them away and leaves their height to the upper row.
    void giveChartsRoom(bool hasData);
    /// Tears the dock off as a window, to be put on another screen, or puts it back.
    void tearOff(look::CardDock *dock);
    /// Gives the keys to a dock, which is shown, where another has all the room as well; and to the next one
    /// (or the one before) of those shown.
    void focus(look::CardDock *dock);
    void focusNext(int by);
    /// Shows or closes one; a chart that is closed stays so when there is data.
    void toggle(look::CardDock *dock);
    /// Sets whether something stands beside the room: the first upper dock then gives way where the others
    /// would have too little. To be called when the room has its new width.
    void makeRoom(bool isNarrowed);

    /// The arrangement with all charts shown; to be called when the window closes.
    QByteArray save();
    /// False where nothing that fits was saved.
    bool restore(const QByteArray &saved);

private:
    class Watcher;

    QList<look::CardDock *> all() const { return m_upper.docks + m_lower.docks; }
    /// The one with the focus; null: none.
    look::CardDock *focused() const;
    void place();
    void resizeRow(const Row &row);
    /// Hides the first upper dock for want of room, or shows it again; whether it did.
    bool giveUpFirst(bool isWanted);
    void setLowerHeight(int height);
    void lowerResized();
    void roomResized();
    bool isLowerInPlace() const;

    QMainWindow *m_room;
    Row m_upper, m_lower;
    QList<look::CardDock *> m_charts;
    bool m_isNarrowed = false, m_isFirstAway = false; ///< by what stands beside the room
    QList<look::CardDock *> m_putAway;                ///< charts without data
    bool m_hasData = true;                            ///< told to the charts last
    int m_heightWith = 0, m_heightWithout = 0; ///< of the lower row, with and without charts; 0: the default
    QByteArray m_beforeMaximised;              ///< the arrangement; empty while no dock has all the room
    int m_roomHeight = 0, m_lowerHeight = 0;   ///< as they were before the room is resized
    std::unique_ptr<Watcher> m_watcher;
};

} // namespace nestwright::app
