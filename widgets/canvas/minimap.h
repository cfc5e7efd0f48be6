// SPDX-License-Identifier: GPL-3.0-or-later
/// The whole graph in a corner, with a frame around the visible part; dragging there moves the view.
#pragma once

#include "widgets/look/accessible_items.h"

#include <QPixmap>
#include <QWidget>

#include <vector>

namespace nestwright::canvas {

class Minimap : public QWidget, public look::AccessibleItems {
    Q_OBJECT
public:
    explicit Minimap(QWidget *parent);

    void setBoxes(const std::vector<QRectF> *boxes,
                  const QRectF &bounds); ///< they must outlive their use here
    void setSeen(const QRectF &seen);

Q_SIGNALS:
    /// The middle of the view should be here, in the graph's coordinates.
    void centreWanted(const QPointF &centre);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    QTransform fromGraph() const;
    QPixmap picture() const;

    const std::vector<QRectF> *m_boxes = nullptr;
    QRectF m_bounds;
    QRectF m_seen;
    QPixmap m_picture; // of the nodes; made when they change
};

} // namespace nestwright::canvas
