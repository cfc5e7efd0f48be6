// SPDX-License-Identifier: GPL-3.0-or-later
/// Keys and clicks that wait while the window is not yet what they will act on: behind a step at work, an
/// action whose form is still to open, a form whose numbers are being checked.
#pragma once

#include <QHash>
#include <QObject>
#include <QPointer>

#include <deque>
#include <functional>
#include <memory>

class QKeyEvent;
class QMouseEvent;
class QWidget;

namespace nestwright::app {

/// Holds the keys and clicks of a window while `waits` says so, and lets them act one by one afterwards, in
/// the order in which they were made; the focus goes with them. `release` is to be called when `waits` may
/// have changed.
class HeldInput : public QObject {
    Q_OBJECT
public:
    /// The action of a click at a position in a widget, to be run when its turn comes. It is looked up while
    /// the widget still shows what was clicked on. Null where the click need not wait: it scrolls, marks text
    /// or begins to drag.
    using Meaning = std::function<std::function<void()>(const QMouseEvent &)>;

    HeldInput(QWidget &window, std::function<bool()> waits);

    /// Holds clicks on `widget`, whose contents move when a step is made, and on its children by their
    /// meaning.
    void setMeaning(QWidget *widget, const Meaning &meaning) { m_meanings.insert(widget, meaning); }
    /// Nothing that happens inside is held: it stops what is at work.
    void exempt(QWidget *widget) { m_exempt = widget; }

    void release();
    /// Forgets what waits, since what it was meant for is gone; not while one of it acts.
    void drop();
    int count() const { return static_cast<int>(m_held.size()); }

Q_SIGNALS:
    /// Emitted when input that waited will not act.
    void dropped();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool holds() const { return !m_isActing && (!m_held.empty() || m_waits()); }
    bool isOfWindow(const QWidget *widget) const;
    void hold(std::function<void()> act);
    void holdEvent(QWidget *widget, const QMouseEvent &event);
    bool holdPress(QWidget *widget, const QMouseEvent &event);
    bool holdRelease(QWidget *widget, const QMouseEvent &event);
    void holdFocus();
    std::function<void()> meaningOf(QWidget *widget, const QMouseEvent &event) const;
    void actOnAll();
    void press(QKeyEvent &event);

    QWidget &m_window;
    std::function<bool()> m_waits;
    QHash<QWidget *, Meaning> m_meanings;
    QWidget *m_exempt = nullptr;
    QPointer<QWidget> m_pressed;  ///< where a button of the mouse that is held went down
    bool m_hasMeaning = false;    ///< of that press, which then is the whole click
    QPointer<QWidget> m_hadFocus; ///< before a click that is on its way here
    std::deque<std::function<void()>> m_held;
    bool m_isActing = false, m_isReleasing = false;
};

} // namespace nestwright::app
