// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/jobs/job_runner.h"

#include "core/support/errors/crash_report.h"
#include "core/support/errors/stop.h"
#include "core/support/phase.h"
#include "widgets/jobs/mailbox.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QHash>
#include <QRunnable>
#include <QThread>
#include <QThreadPool>
#include <QTimer>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <vector>

namespace nestwright::jobs {

namespace {

constexpr qint64 reportEveryMs = 50;
constexpr int mostAbandoned = 32;                   ///< threads that jobs may hold after they were cancelled
constexpr std::chrono::milliseconds stopGrace{100}; ///< in which a job ends that was asked to

/// Work for a pool. It changes threads under a lock of Qt's, which a thread sanitizer does not see: hence
/// the flag.
class PoolTask : public QRunnable {
public:
    explicit PoolTask(std::function<void()> work) : m_work(std::move(work))
    {
        m_isWhole.store(true, std::memory_order_release);
    }
    void run() override
    {
        if (m_isWhole.load(std::memory_order_acquire))
            m_work();
    }

private:
    std::function<void()> m_work;
    std::atomic<bool> m_isWhole;
};

} // namespace

struct JobRunner::Private {
    /// A lane's threads. A job that was cancelled and still runs gives its place up.
    class Pool {
    public:
        explicit Pool(int threads)
        {
            m_pool.setMaxThreadCount(threads);
            m_pool.setObjectName(QStringLiteral("jobs"));
        }

        void start(std::function<void()> work) { m_pool.start(new PoolTask(std::move(work))); }
        bool wait(QDeadlineTimer deadline) { return m_pool.waitForDone(deadline); }
        int running() const { return m_pool.activeThreadCount(); }

        bool giveUpPlace()
        {
            const std::scoped_lock lock(m_mutex);
            if (m_abandoned == mostAbandoned)
                return false;
            ++m_abandoned;
            m_pool.releaseThread();
            return true;
        }
        void takePlaceAgain()
        {
            const std::scoped_lock lock(m_mutex);
            --m_abandoned;
            m_pool.reserveThread();
        }

    private:
        QThreadPool m_pool;
        std::mutex m_mutex;
        int m_abandoned = 0;
    };

    /// One job on its way: whether its place has been given up.
    struct Run {
        std::mutex mutex;
        bool runs = false, gaveUpPlace = false;
        QString phase;

        void setPhase(std::string_view text)
        {
            const std::scoped_lock lock(mutex);
            phase = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
        }

        void begin()
        {
            const std::scoped_lock lock(mutex);
            runs = true;
        }
        void abandon(Pool &pool)
        {
            const std::scoped_lock lock(mutex);
            if (runs && !gaveUpPlace)
                gaveUpPlace = pool.giveUpPlace();
        }
        void end(Pool &pool)
        {
            const std::scoped_lock lock(mutex);
            runs = false;
            if (gaveUpPlace)
                pool.takePlaceAgain();
        }
    };

    struct Entry {
        quint64 serial = 0;
        std::stop_source stop;
        Lane lane = Lane::Work;
        std::shared_ptr<Run> run;
    };

    std::array<std::shared_ptr<Pool>, 3> pools; // by lane
    QObject *owner = nullptr;
    std::shared_ptr<Mailbox> mailbox;
    QHash<QString, Entry> jobs; // the newest of each key, until it has ended
    quint64 lastSerial = 0;

    Pool &pool(Lane lane) const { return *pools[static_cast<std::size_t>(lane)]; }
    void stop(const Entry &entry) const
    {
        std::stop_source(entry.stop).request_stop();
        if (entry.lane != Lane::Work) // saves stay in order
            return;
        QTimer::singleShot(stopGrace, owner, [run = entry.run, pool = pools[0]] { run->abandon(*pool); });
    }
    /// Its threads use it until the program ends.
    static void keepForEver(std::shared_ptr<Pool> pool)
    {
        static auto *const kept = new std::vector<std::shared_ptr<Pool>>;
        kept->push_back(std::move(pool));
    }
    bool isNewest(const QString &key, quint64 serial) const
    {
        const auto found = jobs.constFind(key);
        return found != jobs.constEnd() && found->serial == serial;
    }
};

JobRunner::JobRunner(int threads, QObject *parent) : QObject(parent), m_state(std::make_unique<Private>())
{
    const int wanted = threads > 0 ? threads : std::max(2, QThread::idealThreadCount());
    m_state->pools = {std::make_shared<Private::Pool>(wanted), std::make_shared<Private::Pool>(1),
                      std::make_shared<Private::Pool>(1)};
    m_state->owner = this;
    m_state->mailbox = std::make_shared<Mailbox>(this);
}

JobRunner::~JobRunner()
{
    for (const Private::Entry &entry : std::as_const(m_state->jobs)) {
        if (entry.lane == Lane::Work)
            std::stop_source(entry.stop).request_stop();
    }
    m_state->jobs.clear();
    m_state->mailbox->close();
    const QDeadlineTimer deadline(closeWait);
    for (std::shared_ptr<Private::Pool> &pool : m_state->pools) {
        if (pool->wait(deadline))
            continue;
        countAbandonedThreads(pool->running());
        Private::keepForEver(std::move(pool));
    }
}

void JobRunner::start(const QString &key, QObject *context, Task task, Lane lane)
{
    const auto before = m_state->jobs.constFind(key);
    if (before != m_state->jobs.constEnd())
        m_state->stop(*before);
    const Private::Entry entry{++m_state->lastSerial, std::stop_source(), lane,
                               std::make_shared<Private::Run>()};
    m_state->jobs.insert(key, entry);
    Q_EMIT started(key);

    auto work = [this, key, serial = entry.serial, token = entry.stop.get_token(), run = entry.run,
                 pool = &m_state->pool(lane), mailbox = m_state->mailbox,
                 context = QPointer<QObject>(context), task = std::move(task)]() mutable {
        // Only posted calls use `this` and `context`; they run while both are there.
        if (token.stop_requested())
            return;
        run->begin();
        support::giveSignalStack();
        QElapsedTimer sinceReport;
        const Job job(token, [&](double fraction, const QString &text) {
            if (sinceReport.isValid() && sinceReport.elapsed() < reportEveryMs && fraction < 1)
                return;
            sinceReport.start();
            mailbox->post([this, key, serial, fraction, text] {
                if (m_state->isNewest(key, serial))
                    Q_EMIT progressed(key, fraction, text);
            });
        });
        try {
            const support::StopScope scope(token);
            const support::PhaseScope phases([&](std::string_view phase) { run->setPhase(phase); });
            mailbox->post(
                [this, key, serial, context, done = task(job)] { finish(key, serial, context, done); });
        } catch (const support::Stopped &) { // NOLINT(bugprone-empty-catch): nobody waits for it any more
        } catch (const std::exception &error) {
            mailbox->post(
                [this, key, serial, text = QString::fromUtf8(error.what())] { fail(key, serial, text); });
        }
        task = {}; // releases the task's objects before the place is free
        run->end(*pool);
    };
    m_state->pool(lane).start(std::move(work));
}

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
    m_state->stop(*found);
    m_state->jobs.erase(found);
    Q_EMIT cancelled(key);
}

void JobRunner::cancelAll()
{
    const QStringList keys = m_state->jobs.keys();
    for (const QString &key : keys) {
        if (m_state->jobs.value(key).lane == Lane::Work)
            cancel(key);
    }
}

bool JobRunner::finishSaves(std::chrono::milliseconds longest)
{
    const bool done = m_state->pool(Lane::Save).wait(QDeadlineTimer(longest));
    QCoreApplication::sendPostedEvents(this); // the answers
    return done;
}

bool JobRunner::isRunning(const QString &key) const { return m_state->jobs.contains(key); }

QString JobRunner::phase(const QString &key) const
{
    const auto found = m_state->jobs.constFind(key);
    if (found == m_state->jobs.constEnd())
        return {};
    const std::scoped_lock lock(found->run->mutex);
    return found->run->phase;
}

int JobRunner::runningCount() const { return static_cast<int>(m_state->jobs.size()); }

} // namespace nestwright::jobs
