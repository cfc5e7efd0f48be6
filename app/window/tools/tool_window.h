// SPDX-License-Identifier: GPL-3.0-or-later
/// Windows of tools, one of each class.
#pragma once

#include <QWidget>

#include <utility>

namespace nestwright::app {

/// The window of that class among the children of `parent`, in front: the one that is there, or a new one
/// made of `arguments` and its parent.
template <class Window, class... Arguments> Window *inFront(QWidget *parent, Arguments &&...arguments)
{
    auto *window = parent->findChild<Window *>();
    if (!window)
        window = new Window(std::forward<Arguments>(arguments)..., parent);
    window->QWidget::show();
    window->raise();
    window->activateWindow();
    return window;
}

} // namespace nestwright::app
