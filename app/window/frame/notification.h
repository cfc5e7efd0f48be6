// SPDX-License-Identifier: GPL-3.0-or-later
/// Notifies a person who looks elsewhere that long work has ended.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QString>

class QSystemTrayIcon;
class QWidget;

namespace nestwright::app {

class Notification : public QObject {
    Q_OBJECT
public:
    /// `window` is the one to come back to.
    explicit Notification(QWidget *window);

    void begin() { m_since.start(); }
    /// The work that began is over. Where that took longer than a person watches, and another window has the
    /// focus, the entry of the task bar asks for attention and the desktop shows the text.
    void end(const QString &text);
    /// Shorter work ends unnoticed.
    void setPatience(qint64 ms) { m_patience = ms; }

Q_SIGNALS:
    void shown(const QString &text);

private:
    QWidget *m_window;
    QElapsedTimer m_since;
    qint64 m_patience = 10'000;
    QPointer<QSystemTrayIcon> m_icon; ///< while its message is there
};

} // namespace nestwright::app
