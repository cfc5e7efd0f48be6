// SPDX-License-Identifier: GPL-3.0-or-later
/// The thread that variants are measured on.
#pragma once

#include "core/measure/measurer.h"
#include "core/support/errors/crash_report.h"
#include "core/support/errors/stop.h"
#include "widgets/document/work/measuring.h"
#include "widgets/jobs/mailbox.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace nestwright::document {

/// The one thread that owns the Measurer. The worker process belongs to it, so that it must live as long as
/// the window. Where it does not end in time it is abandoned: it uses objects of its own only.
class Measuring::Thread {
public:
    using Task = std::function<void(measure::Measurer &, const std::stop_token &)>;

    Thread()
    {
        std::thread([queue = m_queue] {
            support::giveSignalStack();
            work(*queue);
        }).detach();
    }

    ~Thread()
    {
        cancel();
        std::unique_lock lock(m_queue->mutex);
        m_queue->ends = true;
        m_queue->wake.notify_all();
        if (!m_queue->wake.wait_for(lock, closeWait, [this] { return m_queue->hasEnded; }))
            jobs::countAbandonedThreads(1);
    }
    Thread(const Thread &) = delete;
    Thread &operator=(const Thread &) = delete;

    void run(Task task)
    {
        const std::scoped_lock lock(m_queue->mutex);
        m_queue->tasks.push_back(std::move(task));
        m_queue->wake.notify_all();
    }

    /// Stops the task at work and drops those that wait.
    void cancel()
    {
        const std::scoped_lock lock(m_queue->mutex);
        m_queue->tasks.clear();
        m_queue->stop.request_stop();
    }

private:
    static constexpr std::chrono::milliseconds closeWait{250};

    struct Queue {
        std::mutex mutex;
        std::condition_variable wake;
        std::deque<Task> tasks;
        std::stop_source stop;
        bool ends = false, hasEnded = false;
    };

    static void work(Queue &queue)
    {
        {
            measure::Measurer measurer;
            while (const auto next = take(queue)) {
                try {
                    const support::StopScope scope(next->second);
                    next->first(measurer, next->second);
                    // Nobody waits for it any more. NOLINTNEXTLINE(bugprone-empty-catch)
                } catch (const support::Stopped &) {
                }
            }
        }
        const std::scoped_lock lock(queue.mutex);
        queue.hasEnded = true;
        queue.wake.notify_all();
    }

    /// Waits for it. None at the end.
    static std::optional<std::pair<Task, std::stop_token>> take(Queue &queue)
    {
        std::unique_lock lock(queue.mutex);
        queue.wake.wait(lock, [&] { return queue.ends || !queue.tasks.empty(); });
        if (queue.ends)
            return {};
        Task task = std::move(queue.tasks.front());
        queue.tasks.pop_front();
        queue.stop = std::stop_source();
        return std::pair(std::move(task), queue.stop.get_token());
    }

    std::shared_ptr<Queue> m_queue = std::make_shared<Queue>();
};

} // namespace nestwright::document
