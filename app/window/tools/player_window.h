// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays the iterations of a variant: the elements that each touches, coloured by reuse, and the caches that
/// hold them.
#pragma once

#include "app/present/replay_page.h"
#include "core/session/history/variant_tree.h"

#include <QDialog>
#include <QElapsedTimer>

class QComboBox;
class QGridLayout;
class QSpinBox;
class QTreeWidget;

namespace nestwright::document {
class CommandRegistry;
class Document;
} // namespace nestwright::document
namespace nestwright::look {
class Card;
class FindingBox;
} // namespace nestwright::look
namespace nestwright::player {
class BufferGrid;
class TransportBar;
} // namespace nestwright::player

namespace nestwright::app {

class PlayerWindow : public QDialog {
    Q_OBJECT
public:
    PlayerWindow(document::Document &document, QWidget *parent);

    /// The window of `parent`, which is made when it is first asked for, with the current variant.
    static PlayerWindow *open(document::Document &document, QWidget *parent);

    /// For tests.
    player::TransportBar *transport() const { return m_transport; }
    QTreeWidget *loops() const { return m_loops; }
    QTreeWidget *counts() const { return m_counts; }
    QSpinBox *largest() const { return m_largest; }
    QComboBox *caches() const { return m_caches; }
    look::FindingBox *note() const { return m_note; }
    const std::vector<player::BufferGrid *> &grids() const { return m_grids; }
    const explore::ReplayCursor *cursor() const { return m_cursor.get(); }
    bool isSettled() const;

protected:
    void changeEvent(QEvent *event) override;
    void closeEvent(QCloseEvent *event) override;

private:
    QWidget *makeSettings();
    QWidget *makePanes();
    void addKeys();
    /// Records the current variant. The extents that the spin box holds are asked for where a person set
    /// them.
    void record();
    void take(const ReplayPagePtr &page);
    void makeGrids();
    void showAt(qint64 position);
    void showTables();
    void stepAlongLoop(bool backwards);

    document::Document &m_document;
    std::unique_ptr<explore::ReplayCursor> m_cursor; ///< null until there is a replay
    bool m_isLargestChosen = false;
    QSpinBox *m_largest;
    QComboBox *m_caches;
    look::FindingBox *m_note;
    look::Card *m_gridCard;
    QTreeWidget *m_loops, *m_counts;
    QWidget *m_gridArea;
    QGridLayout *m_gridLayout;
    std::vector<player::BufferGrid *> m_grids;
    std::vector<std::size_t> m_buffers; ///< by grid
    player::TransportBar *m_transport;
    QElapsedTimer m_tablesShown;
};

/// The command that opens the window.
void addPlayerCommand(document::CommandRegistry &commands, document::Document &document, QWidget *window);

} // namespace nestwright::app
