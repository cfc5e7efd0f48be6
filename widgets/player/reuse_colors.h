// SPDX-License-Identifier: GPL-3.0-or-later
/// Colours of the classes of reuse, near to far.
#pragma once

#include <QColor>

namespace nestwright::look {
struct Tokens;
}

namespace nestwright::player {

/// Colour of one of `classes`; the last one, a first touch, stands apart.
QColor reuseColor(int reuseClass, int classes, const look::Tokens &tokens);

/// Colour of an element that was touched some time ago.
QColor fadedColor(const QColor &color, const look::Tokens &tokens);

} // namespace nestwright::player
