// SPDX-License-Identifier: GPL-3.0-or-later
/// The way from a thread to an object of the UI thread that may be gone by then.
#pragma once

#include <QObject>

#include <functional>
#include <mutex>
#include <utility>

namespace nestwright::jobs {

/// Shared by both sides. Posted calls run on the object's thread; after `close` they are dropped.
class Mailbox {
public:
    explicit Mailbox(QObject *to) : m_to(to) {}

    void post(std::function<void()> call)
    {
        const std::scoped_lock lock(m_mutex);
        if (m_to)
            QMetaObject::invokeMethod(m_to, std::move(call), Qt::QueuedConnection);
    }
    /// Drops later calls; to be called by the object itself before it is destroyed.
    void close()
    {
        const std::scoped_lock lock(m_mutex);
        m_to = nullptr;
    }

private:
    std::mutex m_mutex;
    QObject *m_to;
};

/// Threads that did not end when they were asked to and were left to themselves. While there are any the
/// program may end only by std::_Exit: they use objects that the end of `main` would destroy.
int abandonedThreads();
void countAbandonedThreads(int more);

} // namespace nestwright::jobs
