// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/jobs/job_runner.h"

#include <QElapsedTimer>
#include <QHash>
#include <QThread>
#include <QThreadPool>

#include <algorithm>
#include <exception>

namespace nestwright::jobs {

namespace {
constexpr qint64 reportEveryMs = 50;
}

struct JobRunner::Private {
    struct Entry {
        quint64 serial = 0;
        std::stop_source stop;
    };

    QThreadPool pool;
    QHash<QString, Entry> jobs; // the newest of each key, until it has ended
    quint64 lastSerial = 0;

    bool isNewest(const QString &key, quint64 serial) const
    {
        const auto found = jobs.constFind(key);
        return found != jobs.constEnd() && found->serial == serial;
    }
};

JobRunner::JobRunner(int threads, QObject *parent) : QObject(parent), m_state(std::make_unique<Private>())
{
    m_state->pool.setMaxThreadCount(threads > 0 ? threads : std::max(2, QThread::idealThreadCount()));
    m_state->pool.setObjectName(QStringLiteral("jobs"));
    connect(
        this, &JobRunner::posted, this, [](const std::function<void()> &call) { call(); },
        Qt::QueuedConnection);
}

JobRunner::~JobRunner()
{
    for (const Private::Entry &entry : std::as_const(m_state->jobs))
        std::stop_source(entry.stop).request_stop();
    m_state->jobs.clear();
    m_state->pool.waitForDone(); // what they still post is addressed to this object and goes with it
}

void JobRunner::start(const QString &key, QObject *context, Task task)
{
    const auto before = m_state->jobs.constFind(key);
    if (before != m_state->jobs.constEnd())
        std::stop_source(before->stop).request_stop();
    const Private::Entry entry{++m_state->lastSerial, std::stop_source()};
    m_state->jobs.insert(key, entry);
    Q_EMIT started(key);

    auto work = [this, key, serial = entry.serial, token = entry.stop.get_token(),
                 context = QPointer<QObject>(context), task = std::move(task)]() mutable {
        if (token.stop_requested())
            return;
        QElapsedTimer sinceReport;
        const Job job(token, [this, &key, serial, &sinceReport](double fraction, const QString &text) {
            if (sinceReport.isValid() && sinceReport.elapsed() < reportEveryMs && fraction < 1)
                return;
            sinceReport.start();
            post([this, key, serial, fraction, text] {
                if (m_state->isNewest(key, serial))
                    Q_EMIT progressed(key, fraction, text);
            });
        });
        try {
            post([this, key, serial, context, done = task(job)] { finish(key, serial, context, done); });
        } catch (const std::exception &error) {
            post([this, key, serial, text = QString::fromUtf8(error.what())] { fail(key, serial, text); });
        }
    };
    m_state->pool.start(std::move(work));
}

void JobRunner::post(const std::function<void()> &call) { Q_EMIT posted(call, QPrivateSignal()); }

void JobRunner::finish(const QString &key, quint64 serial, const QPointer<QObject> &context,
                       const Finish &done)
{
    if (!m_state->isNewest(key, serial))
        return;
    m_state->jobs.remove(key);
    if (context)
        done();
    Q_EMIT finished(key);
}

void JobRunner::fail(const QString &key, quint64 serial, const QString &message)
{
    if (!m_state->isNewest(key, serial))
        return;
    m_state->jobs.remove(key);
    Q_EMIT failed(key, message);
}

void JobRunner::cancel(const QString &key)
{
    const auto found = m_state->jobs.constFind(key);
    if (found == m_state->jobs.constEnd())
        return;
    std::stop_source(found->stop).request_stop();
    m_state->jobs.erase(found);
    Q_EMIT cancelled(key);
}

void JobRunner::cancelAll()
{
    const QStringList keys = m_state->jobs.keys();
    for (const QString &key : keys)
        cancel(key);
}

bool JobRunner::isRunning(const QString &key) const { return m_state->jobs.contains(key); }

int JobRunner::runningCount() const { return static_cast<int>(m_state->jobs.size()); }

} // namespace nestwright::jobs
