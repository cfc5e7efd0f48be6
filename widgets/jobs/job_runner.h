// SPDX-License-Identifier: GPL-3.0-or-later
/// Work off the UI thread: per key only the newest job counts, results come back as immutable snapshots.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

namespace nestwright::jobs {

/// The interface of a running job to its runner. Only the work itself uses it, on its own thread.
class Job {
public:
    using Report = std::function<void(double fraction, const QString &text)>;

    Job(std::stop_token stop, Report report) : m_stop(std::move(stop)), m_report(std::move(report)) {}

    /// Set when a newer job took the key, the job was cancelled or the program ends; work looks at it often.
    const std::stop_token &stopToken() const { return m_stop; }
    bool stopped() const { return m_stop.stop_requested(); }

    /// Reports the progress, 0 … 1 (below 0: unknown), and the phase. Cheap enough for a loop: reports within
    /// 50 ms of the one before are dropped.
    void progress(double fraction, const QString &text = {}) const { m_report(fraction, text); }

private:
    std::stop_token m_stop;
    Report m_report;
};

/// Jobs of a lane wait for each other only, so that none that is stuck holds those of another. Writes to a
/// file keep the order in which they were asked for.
enum class Lane : std::uint8_t {
    Work,
    Save,     ///< by the user, one after the other
    Autosave, ///< one after the other
};

/// Runs jobs on threads of its own. All its functions and signals belong to the thread it lives on (the
/// UI's).
class JobRunner : public QObject {
    Q_OBJECT
public:
    /// `threads` = 0: as many as the machine has, at least two.
    explicit JobRunner(int threads = 0, QObject *parent = nullptr);

    /// Asks every job but those that save to stop and waits for all, `closeWait` at most. Jobs that do not
    /// end then are abandoned (abandonedThreads): their objects stay, and nothing is heard of them.
    ~JobRunner() override;
    static constexpr std::chrono::milliseconds closeWait{700};

    /// Runs `work(const Job &)` off this thread, in a StopScope, then `done(std::shared_ptr<const Result>)`
    /// on it. A job of the same key that waits or runs is asked to stop and will never call its `done`;
    /// neither will this one when it is cancelled, when it throws (see `failed`) or when `context` is gone.
    template <class Work, class Done>
    void run(const QString &key, QObject *context, Work work, Done done, Lane lane = Lane::Work)
    {
        using Value = std::decay_t<decltype(work(std::declval<const Job &>()))>;
        start(
            key, context,
            [work = std::move(work), done = std::move(done)](const Job &job) mutable -> Finish {
                auto result = std::make_shared<const Value>(work(job));
                return [done = std::move(done), result = std::move(result)]() mutable {
                    done(std::move(result));
                };
            },
            lane);
    }

    /// The job of this key stops and its result is dropped; nothing where there is none. Where it does not
    /// end soon, another takes its thread's place.
    void cancel(const QString &key);
    /// All but those that save.
    void cancelAll();

    /// Waits for the user's saves and calls their continuations, `longest` at most; whether all are done.
    bool finishSaves(std::chrono::milliseconds longest);

    /// Whether a job of this key waits or runs.
    bool isRunning(const QString &key) const;
    /// The phase that the job of this key told last (support::tellPhase).
    QString phase(const QString &key) const;
    int runningCount() const;

Q_SIGNALS:
    void started(const QString &key);
    void progressed(const QString &key, double fraction, const QString &text);
    /// Emitted after `done` was called.
    void finished(const QString &key);
    void cancelled(const QString &key);
    /// The work threw: a bug of ours, `message` says which.
    void failed(const QString &key, const QString &message);

private:
    using Finish = std::function<void()>;
    using Task = std::function<Finish(const Job &)>;

    void start(const QString &key, QObject *context, Task task, Lane lane);
    void finish(const QString &key, quint64 serial, const QPointer<QObject> &context, const Finish &done);
    void fail(const QString &key, quint64 serial, const QString &message);

    struct Private;
    std::unique_ptr<Private> m_state;
};

} // namespace nestwright::jobs
