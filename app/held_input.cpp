// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/held_input.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPointer>
#include <QTimer>

#include <utility>

namespace nestwright::app {

namespace {

/// The window's action for a key; null where there is none.
QAction *actionOf(const QWidget &window, const QKeyEvent &event)
{
    const QKeyCombination pressed(event.modifiers() & ~Qt::KeypadModifier, Qt::Key(event.key()));
    const bool isLetter = event.key() >= Qt::Key_A && event.key() <= Qt::Key_Z;
    const QKeySequence whole(pressed);
    const QKeySequence typed(isLetter
                                 ? pressed // Shift may be how a sign is typed
                                 : QKeyCombination(event.modifiers() & ~Qt::ShiftModifier, pressed.key()));
    QAction *found = nullptr;
    for (QAction *action : window.actions()) {
        if (!action->isEnabled())
            continue;
        if (action->shortcuts().contains(whole))
            return action;
        if (action->shortcuts().contains(typed))
            found = action;
    }
    return found;
}

} // namespace

HeldInput::HeldInput(QWidget &window, std::function<bool()> waits)
    : QObject(&window)
    , m_window(window)
    , m_waits(std::move(waits))
{
    QCoreApplication::instance()->installEventFilter(this);
}

/// In it, or in a pane torn off from it or a panel that it opened; not in a dialogue or menu, which are about
/// themselves.
bool HeldInput::isOfWindow(const QWidget *widget) const
{
    for (; widget; widget = widget->parentWidget()) {
        if (widget == &m_window)
            return true;
        if (widget == m_exempt || qobject_cast<const QDialog *>(widget)
            || qobject_cast<const QMenu *>(widget))
            return false;
    }
    return false;
}

bool HeldInput::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::ShortcutOverride:
    case QEvent::KeyPress:
    case QEvent::KeyRelease:
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
    case QEvent::MouseButtonRelease: break;
    default: return false;
    }
    auto *widget = qobject_cast<QWidget *>(watched);
    if (!widget || !holds() || !isOfWindow(widget))
        return false;
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept(); // the key itself comes next
        return true;
    }
    return event->type() == QEvent::KeyPress || event->type() == QEvent::KeyRelease
               ? holdKey(*static_cast<QKeyEvent *>(event))
               : holdClick(widget, *static_cast<QMouseEvent *>(event));
}

bool HeldInput::holdKey(const QKeyEvent &event)
{
    m_held.emplace_back([this, copy = std::shared_ptr<QKeyEvent>(event.clone())] { press(*copy); });
    release();
    return true;
}

/// Buttons stay where they are; widgets whose contents move say what a click means; what scrolls, marks text
/// or drags goes on at once.
bool HeldInput::holdClick(QWidget *widget, const QMouseEvent &event)
{
    if (event.type() == QEvent::MouseButtonRelease) {
        if (std::exchange(m_pressed, nullptr) != widget)
            return false;
    } else if (const auto meaning = m_meanings.constFind(widget); meaning != m_meanings.cend()) {
        if (event.button() != Qt::LeftButton)
            return false;
        if (std::function<void()> act = (*meaning)(event))
            m_held.push_back(std::move(act));
        release();
        m_pressed = widget;
        return true;
    } else if (!qobject_cast<QAbstractButton *>(widget)) {
        return false;
    } else {
        m_pressed = widget;
    }
    if (m_meanings.contains(widget))
        return true; // the release of a click that is held already
    m_held.emplace_back([target = QPointer(widget), copy = std::shared_ptr<QMouseEvent>(event.clone())] {
        if (target && target->isVisible() && target->isEnabled())
            QCoreApplication::sendEvent(target, copy.get());
    });
    release();
    return true;
}

void HeldInput::release()
{
    if (m_held.empty() || std::exchange(m_isReleasing, true))
        return;
    QTimer::singleShot(0, this, [this] {
        m_isReleasing = false;
        actOnAll();
    });
}

void HeldInput::actOnAll()
{
    while (!m_isActing && !m_held.empty() && !m_waits()) {
        const std::function<void()> act = std::move(m_held.front());
        m_held.pop_front();
        m_isActing = true;
        act();
        m_isActing = false;
    }
}

/// As Qt does it: the widget with the focus may want the key for itself, then the window's actions are asked.
void HeldInput::press(QKeyEvent &event)
{
    QWidget *focus = QApplication::focusWidget();
    QWidget *target = focus ? focus : &m_window;
    if (event.type() == QEvent::KeyPress) {
        QKeyEvent wish(QEvent::ShortcutOverride, event.key(), event.modifiers(), event.text(),
                       event.isAutoRepeat(), static_cast<quint16>(event.count()));
        wish.ignore();
        QCoreApplication::sendEvent(target, &wish);
        if (!wish.isAccepted()) {
            if (QAction *action = actionOf(m_window, event); action && isOfWindow(target)) {
                action->trigger();
                return;
            }
        }
    }
    QCoreApplication::sendEvent(target, &event);
}

} // namespace nestwright::app
