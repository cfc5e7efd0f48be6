// SPDX-License-Identifier: GPL-3.0-or-later
/// Draws one row of the loop tree: axis mark, kind, name, extent, memory.
#pragma once

#include <QRectF>
#include <QString>

#include <vector>

class QPainter;

namespace nestwright::document {
struct NestRow;
}
namespace nestwright::look {
struct Tokens;
}

namespace nestwright::looptree {

/// Positions of the columns in the viewport.
struct Columns {
    double nameLeft = 0;
    double indent = 16; ///< per level; less where the pane is narrow or the nest is deep
    double extentRight = 0;
    double touchesRight = 0; ///< extentRight where the pane has no room for this column
    double fitsLeft = 0;
    double cyclesRight = 0; ///< 0 where the pane has no room for this column
    double right = 0;
};

struct RowState {
    bool selected = false;
    bool hovered = false;
    bool focused = false;
    bool faded = false;     ///< it is being dragged
    bool collapsed = false; ///< has rows below that are not shown
    bool target = false;    ///< the dragged item may be dropped into it
    bool putsAside = false; ///< its machine code keeps registers on the stack, or gathers
    QString cycles{};       ///< of an iteration of its machine code
};

inline constexpr double rowHeight = 26;
inline constexpr double markWidth = 7;

/// Left edge of the mark of a row at `depth`.
double markLeft(const Columns &columns, int depth);

void paintRow(QPainter &painter, const QRectF &rect, const document::NestRow &row, const RowState &state,
              const Columns &columns, const look::Tokens &tokens);

} // namespace nestwright::looptree
