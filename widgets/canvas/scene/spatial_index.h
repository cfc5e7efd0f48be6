// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds the boxes near a place without looking at all of them.
#pragma once

#include <QRectF>

#include <vector>

namespace nestwright::canvas {

/// A grid of cells, each with the boxes that touch it; boxes that touch very many cells are kept apart.
class SpatialIndex {
public:
    SpatialIndex() = default;
    explicit SpatialIndex(const std::vector<QRectF> &boxes);

    /// Numbers of the boxes that intersect `area`, rising. Boxes without height or width count like others;
    /// null ones never.
    std::vector<int> within(const QRectF &area) const;

private:
    struct Cells {
        int left, top, right, bottom;
    };
    Cells cellsOf(const QRectF &area) const;

    std::vector<QRectF> m_boxes;
    QRectF m_bounds;
    int m_columns = 0, m_rows = 0;
    std::vector<int> m_starts,
        m_entries; // of cell i: m_entries[m_starts[i]] … m_entries[m_starts[i + 1] - 1]
    std::vector<int> m_large;
};

} // namespace nestwright::canvas
