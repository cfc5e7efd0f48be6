// SPDX-License-Identifier: GPL-3.0-or-later
/// Elements of a buffer in memory: their positions as numbers, a colour for each cache line, paler
/// towards its end.
#pragma once

#include "widgets/look/accessible_items.h"

#include <QWidget>

#include <vector>

namespace nestwright::player {

struct PlaceCells {
    QString title{}, detail{};
    int rows = 0, columns = 0;
    std::vector<qint64> places{}; ///< row by row, in elements
    qint64 lineElements = 16;     ///< of a cache line
};

class LayoutGrid : public QWidget, public look::AccessibleItems {
    Q_OBJECT
public:
    explicit LayoutGrid(QWidget *parent = nullptr);

    void setCells(PlaceCells cells);
    const PlaceCells &cells() const { return m_cells; }

    QString accessibleSummary() const override;

    QSize minimumSizeHint() const override { return {160, 160}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    PlaceCells m_cells;
};

} // namespace nestwright::player
