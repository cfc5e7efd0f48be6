// SPDX-License-Identifier: GPL-3.0-or-later
/// The variants as a table with their tree drawn before them. Clicking one goes there.
#pragma once

#include "core/session/history/variant_tree.h"

#include <QTimer>
#include <QTreeView>

#include <optional>

namespace nestwright::document {
class Document;
}
namespace nestwright::look {
struct Tokens;
}
namespace nestwright::models {
class VariantsModel;
}

namespace nestwright::history {

/// Keys: Up and Down go to the neighbouring variants, Home to the unscheduled program; with Ctrl they only
/// look at them. Right and Left show and leave out the steps that one action made on the way to a variant, as
/// does a click on the mark before its text. Delete leaves a step out, Alt+Up and Alt+Down move it. A row
/// dropped on another offers to bring its steps there.
class HistoryView : public QTreeView {
    Q_OBJECT
public:
    static constexpr int rowHeightPx = 27;

    HistoryView(document::Document &document, models::VariantsModel &model, QWidget *parent = nullptr);

    /// The variant that keys and commands are about: the one looked at, else the current one.
    session::VariantId focused() const;

    /// The rectangle of a variant's row, in the viewport.
    QRect rowRect(session::VariantId id) const;
    /// The variant whose row is there.
    std::optional<session::VariantId> variantAt(const QPoint &at) const;
    /// Goes to a variant as a click on it does.
    void choose(session::VariantId id);
    /// Left edge of the texts of steps, right of all lanes, in the viewport.
    double stepLeft() const;

Q_SIGNALS:
    /// A refused variant was clicked: it cannot become current, but its reason can be told.
    void refusedChosen(int variant);
    void menuRequested(int variant, const QPoint &globalPosition);
    /// Steps of a variant were dropped on another.
    void dropped(int variant, int onto, const QPoint &globalPosition);

protected:
    void drawRow(QPainter *painter, const QStyleOptionViewItem &option,
                 const QModelIndex &index) const override;
    void drawBranches(QPainter *, const QRect &, const QModelIndex &) const override {}
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void keyboardSearch(const QString &) override {}

private:
    void choose(int row);
    void look(int row);
    /// Scrolls on while a row is dragged beyond the first or last one in sight.
    void scrollWhileDragging();
    void endDrag();
    bool editByKey(const QKeyEvent &event);
    void layoutColumns();
    void showCurrent();
    void paintTree(QPainter &painter, const QRectF &rect, int row, const look::Tokens &tokens) const;
    /// The mark of a row whose steps can be left out; empty where it has none.
    QRectF foldMark(const QRectF &rect, int row) const;
    double paintMarks(QPainter &painter, QRectF box, int row, const look::Tokens &tokens) const;

    document::Document &m_document;
    models::VariantsModel &m_model;
    int m_hovered = -1;
    int m_looked = -1;               ///< row that the keys look at without going there
    std::optional<QPoint> m_pressed; ///< where a drag may begin
    int m_dragged = -1;              ///< row that is being dragged
    QTimer m_scrolling;
    int m_chosenRefused = -1; ///< row of a refused variant that was clicked
};

} // namespace nestwright::history
