// SPDX-License-Identifier: GPL-3.0-or-later
/// Layout of lines of code: one that is shown, kept for the lines last seen, and the sizes that the viewer
/// and the editor share, so that no line moves when one takes the other's place.
#pragma once

#include <QTextLayout>

class QWidget;

namespace nestwright::code {

inline constexpr double fontPixels = 11.8, numberPixels = 11; ///< of code and line numbers, before zoom
inline constexpr double topPadding = 8;                       ///< above the first line
inline constexpr double numberGap = 8;                        ///< between a line number and the text

struct LineLayout {
    QTextLayout layout;
    /// Distance of a column from the start of the line.
    double x(int column) const { return layout.lineCount() ? layout.lineAt(0).cursorToX(column) : 0; }
    int columnAt(double x) const { return layout.lineCount() ? layout.lineAt(0).xToCursor(x) : 0; }
};

/// Pixels from one line to the next.
double lineHeight(double zoom, const QWidget *on);
/// Width of the line numbers, up to the text, for so many lines.
double gutterWidth(double zoom, qsizetype lines, const QWidget *on);

} // namespace nestwright::code
