// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/scene/spatial_index.h"

#include <algorithm>
#include <cmath>

namespace nestwright::canvas {

namespace {

constexpr double boxesPerCell = 4;
constexpr int mostCells = 24; // of one box in the grid

bool touch(const QRectF &a, const QRectF &b)
{
    return a.left() <= b.right() && b.left() <= a.right() && a.top() <= b.bottom() && b.top() <= a.bottom();
}

} // namespace

SpatialIndex::SpatialIndex(const std::vector<QRectF> &boxes) : m_boxes(boxes)
{
    double left = 0, right = 0, top = 0, bottom = 0;
    bool first = true;
    for (const QRectF &box : boxes) {
        if (box.isNull())
            continue;
        left = first ? box.left() : std::min(left, box.left());
        right = first ? box.right() : std::max(right, box.right());
        top = first ? box.top() : std::min(top, box.top());
        bottom = first ? box.bottom() : std::max(bottom, box.bottom());
        first = false;
    }
    if (first)
        return;
    m_bounds = QRectF(QPointF(left, top), QPointF(right, bottom));
    const double width = std::max(1.0, m_bounds.width()), height = std::max(1.0, m_bounds.height());
    const double cells = std::max(1.0, static_cast<double>(boxes.size()) / boxesPerCell);
    m_columns = static_cast<int>(std::clamp(std::round(std::sqrt(cells * width / height)), 1.0, cells));
    m_rows = static_cast<int>(std::clamp(std::round(cells / m_columns), 1.0, cells));

    std::vector<int> counts(static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows) + 1, 0);
    const auto eachCell = [&](const auto &visit) {
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (boxes[i].isNull())
                continue;
            const Cells cell = cellsOf(boxes[i]);
            if ((cell.right - cell.left + 1) * (cell.bottom - cell.top + 1) > mostCells)
                continue;
            for (int row = cell.top; row <= cell.bottom; ++row) {
                for (int column = cell.left; column <= cell.right; ++column)
                    visit(static_cast<std::size_t>(row) * static_cast<std::size_t>(m_columns)
                              + static_cast<std::size_t>(column),
                          static_cast<int>(i));
            }
        }
    };
    eachCell([&](std::size_t cell, int) { ++counts[cell + 1]; });
    for (std::size_t i = 1; i < counts.size(); ++i)
        counts[i] += counts[i - 1];
    m_starts = counts;
    m_entries.resize(static_cast<std::size_t>(counts.back()));
    eachCell([&](std::size_t cell, int box) { m_entries[static_cast<std::size_t>(counts[cell]++)] = box; });
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const Cells cell = cellsOf(boxes[i]);
        if (!boxes[i].isNull() && (cell.right - cell.left + 1) * (cell.bottom - cell.top + 1) > mostCells)
            m_large.push_back(static_cast<int>(i));
    }
}

SpatialIndex::Cells SpatialIndex::cellsOf(const QRectF &area) const
{
    const auto place = [](double value, double from, double length, int count) {
        return static_cast<int>(
            std::clamp(std::floor((value - from) / std::max(1.0, length) * count), 0.0, count - 1.0));
    };
    return {place(area.left(), m_bounds.left(), m_bounds.width(), m_columns),
            place(area.top(), m_bounds.top(), m_bounds.height(), m_rows),
            place(area.right(), m_bounds.left(), m_bounds.width(), m_columns),
            place(area.bottom(), m_bounds.top(), m_bounds.height(), m_rows)};
}

std::vector<int> SpatialIndex::within(const QRectF &area) const
{
    std::vector<int> found;
    if (m_columns == 0 || !touch(m_bounds, area))
        return found;
    // Boxes lie in several cells; marking them is quicker than sorting the hits.
    std::vector<char> near(m_boxes.size(), area.contains(m_bounds) ? 1 : 0);
    const Cells cell = cellsOf(area);
    for (int row = cell.top; row <= cell.bottom && !area.contains(m_bounds); ++row) {
        for (int column = cell.left; column <= cell.right; ++column) {
            const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(m_columns)
                                   + static_cast<std::size_t>(column);
            for (int i = m_starts[at]; i < m_starts[at + 1]; ++i)
                near[static_cast<std::size_t>(m_entries[static_cast<std::size_t>(i)])] = 1;
        }
    }
    for (const int box : m_large)
        near[static_cast<std::size_t>(box)] = 1;
    for (std::size_t i = 0; i < near.size(); ++i) {
        if (near[i] && !m_boxes[i].isNull() && touch(m_boxes[i], area))
            found.push_back(static_cast<int>(i));
    }
    return found;
}

} // namespace nestwright::canvas
