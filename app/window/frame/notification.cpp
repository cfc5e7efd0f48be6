// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/notification.h"

#include <QApplication>
#include <QSystemTrayIcon>
#include <QTimer>
#include <QWidget>

namespace nestwright::app {

namespace {
constexpr int messageMs = 8000;
}

Notification::Notification(QWidget *window) : QObject(window), m_window(window) {}

void Notification::end(const QString &text)
{
    const bool isLong = m_since.isValid() && m_since.elapsed() >= m_patience;
    m_since.invalidate();
    if (!isLong || QApplication::activeWindow())
        return;
    QApplication::alert(m_window);
    if (QSystemTrayIcon::isSystemTrayAvailable() && QSystemTrayIcon::supportsMessages()) {
        delete m_icon;
        m_icon = new QSystemTrayIcon(QApplication::windowIcon(), this);
        connect(m_icon, &QSystemTrayIcon::messageClicked, m_window, [this] {
            m_window->raise();
            m_window->activateWindow();
        });
        m_icon->show();
        m_icon->showMessage(m_window->windowTitle().remove(QStringLiteral("[*]")), text,
                            QSystemTrayIcon::NoIcon, messageMs);
        QTimer::singleShot(messageMs, m_icon, &QObject::deleteLater);
    }
    Q_EMIT shown(text);
}

} // namespace nestwright::app
