// SPDX-License-Identifier: GPL-3.0-or-later
/// One line laid out; kept for the lines last seen.
#pragma once

#include <QTextLayout>

namespace nestwright::code {

inline constexpr double fontPixels = 11.8; ///< of code, before it is zoomed

struct LineLayout {
    QTextLayout layout;
    /// Distance of a column from the start of the line.
    double x(int column) const { return layout.lineCount() ? layout.lineAt(0).cursorToX(column) : 0; }
    int columnAt(double x) const { return layout.lineCount() ? layout.lineAt(0).xToCursor(x) : 0; }
};

} // namespace nestwright::code
