// SPDX-License-Identifier: GPL-3.0-or-later
/// The axes of threads at the foot of the loop tree while a loop is dragged: it is bound to the one that it
/// is dropped on.
#pragma once

#include "core/suggest/placements.h"

#include <QRectF>

#include <span>
#include <vector>

class QPainter;

namespace nestwright::look {
struct Tokens;
}

namespace nestwright::looptree {

/// Lays its cells out at the foot of `viewport`: a row for blocks, one for threads; all of it is `area`.
class ThreadShelf {
public:
    ThreadShelf() = default;
    ThreadShelf(const QRectF &viewport, std::span<const suggest::Binding> bindings);

    const QRectF &area() const { return m_area; }
    /// The cell of a binding; null where there is none.
    QRectF cell(int binding) const;
    /// The binding whose cell is at a point; -1 where none is.
    int at(const QPointF &point) const;
    /// `loop`: the name of the one that is dragged; `pointed`: the binding that is pointed at, or -1.
    void paint(QPainter &painter, std::span<const suggest::Binding> bindings, const QString &loop,
               int pointed, const look::Tokens &tokens) const;

private:
    QRectF m_area;
    std::vector<QRectF> m_cells; ///< in the order of the bindings
};

} // namespace nestwright::looptree
