// SPDX-License-Identifier: GPL-3.0-or-later
/// Windows on a screen that was removed are brought back into sight.
#pragma once

#include <QList>
#include <QRect>

class QWidget;

namespace nestwright::app {

/// Geometry for a window: its own where enough of its upper edge is visible to take hold of it, else within
/// the nearest of the screens, and no larger than that.
QRect inSight(const QRect &window, const QList<QRect> &screens);

/// Brings the window there, if it is one and is shown, with the screens that there are.
void bringIntoSight(QWidget &window);

} // namespace nestwright::app
