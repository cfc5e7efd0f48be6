// SPDX-License-Identifier: GPL-3.0-or-later
/// Windows that a screen took with it come back into sight.
#pragma once

#include <QList>
#include <QRect>

class QWidget;

namespace nestwright::app {

/// Where a window is to be: its own place where enough of its upper edge can be seen to take hold of it, or
/// else within the nearest of the screens, no larger than that.
QRect inSight(const QRect &window, const QList<QRect> &screens);

/// Brings the window there, if it is one and is shown, with the screens that there are.
void bringIntoSight(QWidget &window);

} // namespace nestwright::app
