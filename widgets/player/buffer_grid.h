// SPDX-License-Identifier: GPL-3.0-or-later
/// One buffer as a grid of its elements, with its name above.
#pragma once

#include "widgets/look/accessible_items.h"
#include "widgets/player/cell_area.h"
#include "widgets/player/grid_cells.h"

#include <QImage>
#include <QWidget>

namespace nestwright::player {

class BufferGrid : public QWidget, public look::AccessibleItems {
    Q_OBJECT
public:
    explicit BufferGrid(QWidget *parent = nullptr);

    /// `classes`: texts of the classes, the last that of a first touch.
    void setClasses(const QStringList &classes) { m_classes = classes; }
    void setCells(GridCells cells);
    const GridCells &cells() const { return m_cells; }
    /// Pictures that were painted since it was made.
    int frames() const { return m_frames; }

    QString accessibleSummary() const override;

    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    CellArea areaOfCells() const;
    QImage picture() const;
    void paintNow(QPainter &painter, const CellArea &area) const;
    QString toolTipAt(const QPointF &where) const;

    GridCells m_cells;
    QStringList m_classes;
    int m_frames = 0;
};

} // namespace nestwright::player
