// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/focus_group.h"

#include <QKeyEvent>
#include <QWidget>

#include <algorithm>
#include <cstdlib>

namespace nestwright::look {

QWidget *neighbourOf(const QWidget *from, const std::vector<QWidget *> &widgets, int key)
{
    const auto centreOf = [](const QWidget *widget) {
        return widget->mapTo(widget->window(), widget->rect().center());
    };
    constexpr int leastWay = 4, aside = 4; // pixels; how much worse it is to go sideways than on
    const QPoint here = centreOf(from);
    const bool isHorizontal = key == Qt::Key_Left || key == Qt::Key_Right;
    QWidget *best = nullptr;
    int bestDistance = 0;
    for (QWidget *widget : widgets) {
        const QPoint by = (centreOf(widget) - here) * (key == Qt::Key_Left || key == Qt::Key_Up ? -1 : 1);
        const int along = isHorizontal ? by.x() : by.y();
        const int distance = along + aside * std::abs(isHorizontal ? by.y() : by.x());
        if (along > leastWay && (!best || distance < bestDistance)) {
            best = widget;
            bestDistance = distance;
        }
    }
    return best;
}

void FocusGroup::add(QWidget *widget)
{
    widget->setFocusPolicy(m_widgets.empty() ? Qt::TabFocus : Qt::NoFocus);
    widget->installEventFilter(this);
    connect(widget, &QObject::destroyed, this, [this, widget] { std::erase(m_widgets, widget); });
    m_widgets.push_back(widget);
}

bool FocusGroup::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::KeyPress)
        return false;
    const int key = static_cast<QKeyEvent *>(event)->key();
    if (key < Qt::Key_Left || key > Qt::Key_Down)
        return false;
    QWidget *next = neighbourOf(static_cast<QWidget *>(watched), m_widgets, key);
    if (!next)
        return true;
    for (QWidget *widget : m_widgets)
        widget->setFocusPolicy(widget == next ? Qt::TabFocus : Qt::NoFocus);
    next->setFocus(Qt::TabFocusReason);
    return true;
}

} // namespace nestwright::look
