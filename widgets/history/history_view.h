// SPDX-License-Identifier: GPL-3.0-or-later
/// The variants as a table with their tree drawn before them. Clicking one goes there.
#pragma once

#include "core/session/variant_tree.h"

#include <QTreeView>

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

/// Keys: Up and Down go to the neighbouring variants, Home to the unscheduled program.
class HistoryView : public QTreeView {
    Q_OBJECT
public:
    HistoryView(document::Document &document, models::VariantsModel &model, QWidget *parent = nullptr);

    /// The rectangle of a variant's row, in the viewport.
    QRect rowRect(session::VariantId id) const;
    /// Where the texts of steps begin, right of all lanes, in the viewport.
    double stepLeft() const;

Q_SIGNALS:
    /// A refused variant was clicked: it cannot become current, but its reason can be told.
    void refusedChosen(int variant);
    void menuRequested(int variant, const QPoint &globalPosition);

protected:
    void drawRow(QPainter *painter, const QStyleOptionViewItem &option,
                 const QModelIndex &index) const override;
    void drawBranches(QPainter *, const QRect &, const QModelIndex &) const override {}
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void keyboardSearch(const QString &) override {}

private:
    void choose(int row);
    void layoutColumns();
    void showCurrent();
    void paintTree(QPainter &painter, const QRectF &rect, int row, const look::Tokens &tokens) const;
    document::Document &m_document;
    models::VariantsModel &m_model;
    int m_hovered = -1;
    int m_chosenRefused = -1; ///< row of a refused variant that was clicked
};

} // namespace nestwright::history
