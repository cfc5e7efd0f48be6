// SPDX-License-Identifier: GPL-3.0-or-later
/// Work off the UI thread: per key only the newest job counts, results come back as immutable snapshots.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

namespace nestwright::jobs {

/// What a running job may ask and tell. Only the work itself uses it, on its own thread.
class Job {
public:
    using Report = std::function<void(double fraction, const QString &text)>;

    Job(std::stop_token stop, Report report) : m_stop(std::move(stop)), m_report(std::move(report)) {}

    /// Set when a newer job took the key, the job was cancelled or the program ends; work looks at it often.
    const std::stop_token &stopToken() const { return m_stop; }
    bool stopped() const { return m_stop.stop_requested(); }

    /// Says how far it is, 0 … 1 (below 0: unknown), and what it is doing. Cheap enough for a loop: reports
    /// within 50 ms of the one before are dropped.
    void progress(double fraction, const QString &text = {}) const { m_report(fraction, text); }

private:
    std::stop_token m_stop;
    Report m_report;
};

/// Runs jobs on threads of its own. All its functions and signals belong to the thread it lives on (the
/// UI's).
class JobRunner : public QObject {
    Q_OBJECT
public:
    /// With `threads` = 0 there are as many as the machine has, at least two.
    explicit JobRunner(int threads = 0, QObject *parent = nullptr);

    /// Asks every job to stop and waits for those that run.
    ~JobRunner() override;

    /// Runs `work(const Job &)` off this thread, then `done(std::shared_ptr<const Result>)` on it. A job of
    /// the same key that waits or runs is asked to stop and will never call its `done`; neither will this one
    /// when it is cancelled, when it throws (see `failed`) or when `context` is gone.
    template <class Work, class Done> void run(const QString &key, QObject *context, Work work, Done done)
    {
        using Value = std::decay_t<decltype(work(std::declval<const Job &>()))>;
        start(key, context,
              [work = std::move(work), done = std::move(done)](const Job &job) mutable -> Finish {
                  auto result = std::make_shared<const Value>(work(job));
                  return [done = std::move(done), result = std::move(result)]() mutable {
                      done(std::move(result));
                  };
              });
    }

    /// The job of this key stops and its result is dropped; nothing where there is none.
    void cancel(const QString &key);
    void cancelAll();

    /// Whether a job of this key waits or runs.
    bool isRunning(const QString &key) const;
    int runningCount() const;

Q_SIGNALS:
    void started(const QString &key);
    void progressed(const QString &key, double fraction, const QString &text);
    /// After `done` was called.
    void finished(const QString &key);
    void cancelled(const QString &key);
    /// The work threw: a bug of ours, `message` says which.
    void failed(const QString &key, const QString &message);

    /// Brings a call from a job's thread to this one.
    void posted(const std::function<void()> &call, QPrivateSignal);

private:
    using Finish = std::function<void()>;
    using Task = std::function<Finish(const Job &)>;

    void start(const QString &key, QObject *context, Task task);
    void post(const std::function<void()> &call);
    void finish(const QString &key, quint64 serial, const QPointer<QObject> &context, const Finish &done);
    void fail(const QString &key, quint64 serial, const QString &message);

    struct Private;
    std::unique_ptr<Private> m_state;
};

} // namespace nestwright::jobs
