// SPDX-License-Identifier: GPL-3.0-or-later
/// The tree of loops and blocks: where one selects, drags loops and blocks to other places and loops onto
/// axes of threads, and drops buffers of the graph.
#pragma once

#include "core/support/stmt_id.h"
#include "widgets/looptree/row_painter.h"
#include "widgets/looptree/thread_shelf.h"

#include <QHash>
#include <QTreeView>

#include <optional>
#include <set>
#include <string_view>
#include <vector>

class QTimer;
class QVariantAnimation;

namespace nestwright::document {
class ActionList;
class Document;
class MachineCode;
} // namespace nestwright::document
namespace nestwright::models {
class NestModel;
}

namespace nestwright::suggest {
struct Placement;
}

namespace nestwright::looptree {

using support::StmtId;

/// Keys: arrows, Home, End; Left and Right fold; Ctrl or Shift with a click or an arrow selects several;
/// Alt+Up and Alt+Down move the loop outwards and inwards. Letters are left to the window's commands.
class LoopTree : public QTreeView {
    Q_OBJECT
public:
    LoopTree(document::Document &document, document::ActionList &actions, document::MachineCode &code,
             QWidget *parent = nullptr);

    models::NestModel *nestModel() const { return m_model; }
    /// Rectangle of a loop's or block's row in the viewport; null where it is not shown.
    QRect rowRect(StmtId id) const;
    /// The loop or block there; none beside the rows.
    StmtId idAt(const QPoint &at) const;
    /// Y coordinate of a placement's line while dragging, in the viewport.
    double lineOf(const suggest::Placement &place) const;
    bool isDragging() const { return m_drag.has_value(); }
    /// The cell of an axis of threads while a loop is dragged, in the viewport; null where there is none.
    QRect cellOf(std::string_view thread) const;

    /// Moves the selected loop one place outwards (-1) or inwards (+1), where that is legal.
    void moveSelected(int places);

Q_SIGNALS:
    void menuRequested(const QPoint &globalPosition);

protected:
    void drawRow(QPainter *painter, const QStyleOptionViewItem &option,
                 const QModelIndex &index) const override;
    void drawBranches(QPainter *, const QRect &, const QModelIndex &) const override {}
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dragMoveEvent(QDragMoveEvent *event) override;
    void dragLeaveEvent(QDragLeaveEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyboardSearch(const QString &) override {}
    void selectionChanged(const QItemSelection &selected, const QItemSelection &deselected) override;

private:
    struct Drag {
        StmtId id; ///< none: a buffer from the graph
        QPoint at;
        bool ready = false; ///< the placements are known
        int nearest = -1;   ///< of them
        std::optional<ThreadShelf> shelf =
            std::nullopt; ///< once they are known, for a loop of a program for a device
        int binding = -1; ///< of those on the shelf, pointed at
    };

    void showNest();
    void selectTo(StmtId id);
    void showSelection();
    void layoutColumns();
    void startAnimation(const QHash<quint32, int> &before);
    QHash<quint32, int> rowTops() const;

    // loop_tree_drag.cpp
    void beginDrag(const QPoint &at);
    void moveDrag(const QPoint &at);
    void endDrag(bool drop);
    /// Scrolls while something is dragged near the upper or lower edge; faster, the nearer.
    void scrollAtEdge();
    /// Whether loops are bound to threads here: the target is a device, or some are already.
    bool bindsThreads() const;
    void paintDrag(QPainter &painter) const;
    void paintPlacement(QPainter &painter, const suggest::Placement &place, double gain, bool nearest) const;
    /// The predicted gain of a placement, at the right end of its line.
    void paintGain(QPainter &painter, double y, double gain) const;
    void paintPill(QPainter &painter, QPointF rightMiddle, const QString &text) const;

    document::Document &m_document;
    document::ActionList &m_actions;
    models::NestModel *m_model;
    Columns m_columns;
    std::set<StmtId> m_folded;
    std::optional<Drag> m_drag;
    QPoint m_pressed;
    StmtId m_pressedId;
    StmtId m_anchor; ///< of a range: clicked last without Shift
    bool m_syncing = false;
    QTimer *m_edgeScroll; ///< runs while something is dragged
    QVariantAnimation *m_motion;
    QHash<quint32, int> m_offsets; ///< how far a row still is from its place
};

} // namespace nestwright::looptree
