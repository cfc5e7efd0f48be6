// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/held_input.h"

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

/// Whether a widget is in the window, in a pane torn off from it, or in a panel that it opened. Dialogues and
/// menus are not: their input is about themselves.
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
    case QEvent::FocusOut:
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
    case QEvent::MouseButtonRelease: break;
    default: return false;
    }
    auto *widget = qobject_cast<QWidget *>(watched);
    if (!widget || !holds() || !isOfWindow(widget))
        return false;
    switch (event->type()) {
    case QEvent::ShortcutOverride: event->accept(); return true; // the key itself comes next
    case QEvent::FocusOut:                                       // by a click, which comes next
        if (static_cast<QFocusEvent *>(event)->reason() == Qt::MouseFocusReason)
            m_hadFocus = widget;
        return false;
    case QEvent::KeyPress:
    case QEvent::KeyRelease:
        hold([this, copy = std::shared_ptr<QKeyEvent>(static_cast<QKeyEvent *>(event)->clone())] {
            press(*copy);
        });
        return true;
    case QEvent::MouseButtonRelease: return holdRelease(widget, *static_cast<QMouseEvent *>(event));
    default: return holdPress(widget, *static_cast<QMouseEvent *>(event));
    }
}

void HeldInput::hold(std::function<void()> act)
{
    m_held.push_back(std::move(act));
    release();
}

void HeldInput::holdEvent(QWidget *widget, const QMouseEvent &event)
{
    hold([target = QPointer(widget), copy = std::shared_ptr<QMouseEvent>(event.clone())] {
        if (target && target->isVisible() && target->isEnabled())
            QCoreApplication::sendEvent(target, copy.get());
    });
}

/// Keys that wait are for the widget that had the focus before the click: it goes to the other in its turn.
void HeldInput::holdFocus()
{
    const QPointer<QWidget> before = std::exchange(m_hadFocus, nullptr);
    QWidget *now = QApplication::focusWidget();
    if (!before || !now || before == now || !before->isVisible() || !isOfWindow(now))
        return;
    before->setFocus(Qt::OtherFocusReason);
    hold([target = QPointer(now)] {
        if (target && target->isVisible())
            target->setFocus(Qt::MouseFocusReason);
    });
}

std::function<void()> HeldInput::meaningOf(QWidget *widget, const QMouseEvent &event) const
{
    for (QWidget *each = widget; each && each != &m_window; each = each->parentWidget()) {
        if (const auto meaning = m_meanings.constFind(each); meaning != m_meanings.cend()) {
            const QPointF at = widget->mapTo(each, event.position());
            return (*meaning)(QMouseEvent(event.type(), at, event.globalPosition(), event.button(),
                                          event.buttons(), event.modifiers()));
        }
    }
    return {};
}

/// Widgets whose contents move say what a click means; buttons stay where they are; all else goes on at once.
bool HeldInput::holdPress(QWidget *widget, const QMouseEvent &event)
{
    holdFocus();
    std::function<void()> act = meaningOf(widget, event);
    m_hasMeaning = act != nullptr;
    m_pressed = m_hasMeaning || qobject_cast<QAbstractButton *>(widget) ? widget : nullptr;
    if (m_hasMeaning)
        hold(std::move(act));
    else if (m_pressed)
        holdEvent(widget, event);
    return m_pressed != nullptr;
}

bool HeldInput::holdRelease(QWidget *widget, const QMouseEvent &event)
{
    if (std::exchange(m_pressed, nullptr) != widget)
        return false;
    if (!m_hasMeaning)
        holdEvent(widget, event);
    return true;
}

void HeldInput::drop()
{
    if (m_isActing || m_held.empty())
        return;
    m_held.clear();
    Q_EMIT dropped();
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

/// Dispatches the key as Qt does: an open popup takes it; else the widget with the focus may claim it for
/// itself, then the window's actions are asked.
void HeldInput::press(QKeyEvent &event)
{
    QWidget *popup = QApplication::activePopupWidget();
    QWidget *focus = popup ? popup->focusWidget() : QApplication::focusWidget();
    QWidget *target = focus ? focus : popup ? popup : &m_window;
    if (event.type() == QEvent::KeyPress && !popup) {
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
