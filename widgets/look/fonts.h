// SPDX-License-Identifier: GPL-3.0-or-later
/// The two typefaces of the window, in sizes given as the pixels of look.md at 96 dots per inch.
#pragma once

#include <QFont>

namespace nestwright::look {

/// Inter with tabular figures, or the system's own interface font. `px` is turned into points, so that it
/// follows the resolution of the screen.
QFont interfaceFont(double px = 12.5, QFont::Weight weight = QFont::Normal);

/// JetBrains Mono without ligatures, or the system's fixed font.
QFont codeFont(double px = 12.5, QFont::Weight weight = QFont::Normal);

/// Scale of text: 1, or what a person chose.
double textScale();
/// Sets the scale for fonts that are asked for from now on.
void setTextScale(double scale);

/// Whether the two intended families are installed.
bool hasIntendedFonts();

} // namespace nestwright::look
