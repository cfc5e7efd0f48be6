// SPDX-License-Identifier: GPL-3.0-or-later
/// Axis colours: the same axis has the same hue in every pane, and a letter and a shape that say it too.
#pragma once

#include <QColor>

class QPainter;
class QRectF;
class QString;

namespace nestwright::look {

struct Tokens;

/// An axis is a number from 0 in the order of its block's iter vars, or one of these.
inline constexpr int noAxis = -1;
inline constexpr int mixedAxis = -2; ///< a fused loop that feeds several
inline constexpr int blockAxis = -3; ///< a block's own row

/// The colour of an axis; from the ninth axis on the hues repeat, and letter and shape go on telling them
/// apart.
QColor axisColor(int axis, const Tokens &tokens);

/// "a", "b", … for axes; "+" for a mixed one; empty where there is none.
QString axisLetter(int axis);

/// Draws the mark that stands before a loop: a rounded bar in the axis's colour, striped where axes are
/// mixed. So that it reads without colour it is whole for the first axis, in two pieces for the second, in
/// three for the third and in four for all further ones.
void paintAxisMark(QPainter &painter, const QRectF &rect, int axis, const Tokens &tokens);

} // namespace nestwright::look
