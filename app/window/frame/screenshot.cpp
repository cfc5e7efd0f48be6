// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/screenshot.h"

#include "app/window/frame/main_window.h"

#include <QCoreApplication>
#include <QPixmap>
#include <QTimer>

#include <cstdio>

namespace nestwright::app {

namespace {
constexpr int everyMs = 60;
constexpr int quietTimes = 6; // longer than any motion
} // namespace

Screenshot::Screenshot(MainWindow &window, QString path)
    : m_window(window)
    , m_path(std::move(path))
    , m_timer(new QTimer(this))
{
    connect(m_timer, &QTimer::timeout, this, &Screenshot::look);
    m_timer->start(everyMs);
}

void Screenshot::look()
{
    m_quiet = m_window.isSettled() ? m_quiet + 1 : 0;
    if (m_quiet < quietTimes)
        return;
    m_timer->stop();
    const bool saved = m_window.grab().save(m_path);
    if (!saved)
        std::fprintf(stderr, "nestwright: the picture '%s' cannot be written\n", qPrintable(m_path));
    QCoreApplication::exit(saved ? 0 : 2);
}

} // namespace nestwright::app
