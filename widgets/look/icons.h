// SPDX-License-Identifier: GPL-3.0-or-later
/// Our own icons: one SVG each, painted in the text colour of the theme in force.
#pragma once

#include <QIcon>

namespace nestwright::look {

/// The icon resources/icons/NAME.svg. It follows the theme and the screen's resolution by itself; a null icon
/// where the name is not one of ours.
QIcon icon(const QString &name);

/// The icon in one fixed colour.
QIcon icon(const QString &name, const QColor &color);

} // namespace nestwright::look
