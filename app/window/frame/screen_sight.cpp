// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/screen_sight.h"

#include <QGuiApplication>
#include <QScreen>
#include <QWidget>

#include <algorithm>

namespace nestwright::app {

QRect inSight(const QRect &window, const QList<QRect> &screens)
{
    constexpr QSize hold(80, 20); // of the upper edge
    const QRect edge(window.topLeft(), QSize(window.width(), hold.height()));
    const auto isHeld = [&](const QRect &screen) {
        const QRect seen = screen.intersected(edge);
        return seen.width() >= std::min(hold.width(), window.width()) && seen.height() >= hold.height();
    };
    if (screens.isEmpty() || std::ranges::any_of(screens, isHeld))
        return window;
    const auto distance = [&](const QRect &screen) {
        return (screen.center() - window.center()).manhattanLength();
    };
    const QRect &nearest = *std::ranges::min_element(screens, {}, distance);
    QRect moved(window.topLeft(), window.size().boundedTo(nearest.size()));
    moved.moveLeft(std::clamp(moved.left(), nearest.left(), nearest.right() + 1 - moved.width()));
    moved.moveTop(std::clamp(moved.top(), nearest.top(), nearest.bottom() + 1 - moved.height()));
    return moved;
}

void bringIntoSight(QWidget &window)
{
    if (!window.isWindow() || window.isHidden())
        return;
    QList<QRect> screens;
    for (const QScreen *screen : QGuiApplication::screens())
        screens << screen->availableGeometry();
    const QRect place = inSight(window.geometry(), screens);
    if (place != window.geometry())
        window.setGeometry(place);
}

} // namespace nestwright::app
