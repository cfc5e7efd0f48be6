// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/measuring.h"

#include "core/measure/measurer.h"
#include "widgets/document/document.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace nestwright::document {

using measure::Measurement;
using measure::Measurer;
using support::Result;

/// The one thread that owns the Measurer. The worker process belongs to it, so that it must live as long as the window.
class Measuring::Thread {
public:
    using Task = std::function<void(Measurer &, const std::stop_token &)>;

    Thread() : m_thread([this](const std::stop_token &end) { work(end); }) {}

    ~Thread()
    {
        cancel();
        m_thread.request_stop();
        m_wake.notify_all();
    }

    void run(Task task)
    {
        const std::scoped_lock lock(m_mutex);
        m_tasks.push_back(std::move(task));
        m_wake.notify_all();
    }

    /// Stops the task at work and drops those that wait.
    void cancel()
    {
        const std::scoped_lock lock(m_mutex);
        m_tasks.clear();
        m_stop.request_stop();
    }

private:
    void work(const std::stop_token &end)
    {
        Measurer measurer;
        while (true) {
            Task task;
            std::stop_token stop;
            {
                std::unique_lock lock(m_mutex);
                if (!m_wake.wait(lock, end, [this] { return !m_tasks.empty(); }))
                    return;
                task = std::move(m_tasks.front());
                m_tasks.pop_front();
                m_stop = std::stop_source();
                stop = m_stop.get_token();
            }
            task(measurer, stop);
        }
    }

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Task> m_tasks;
    std::stop_source m_stop;
    std::jthread m_thread; // last: it uses all the others
};

Measuring::Measuring(Document &document, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_thread(std::make_unique<Thread>())
{
    m_thread->run([](Measurer &measurer, const std::stop_token &) { measurer.warmUp(); });
    connect(&document, &Document::opened, this, [this] {
        ++m_serial;
        m_libraries.clear(); // they were named for the program that was open
        cancel();
    });
    connect(&document, &Document::targetChanged, this, &Measuring::cancel);
}

Measuring::~Measuring() = default;

bool Measuring::isWaiting(VariantId id) const { return std::ranges::find(m_queue, id) != m_queue.end(); }

void Measuring::measure(const std::vector<VariantId> &ids)
{
    if (!m_document.isOpen())
        return;
    for (const VariantId id : ids) {
        if (m_document.tree().at(id).ok() && !isWaiting(id) && m_current != id)
            m_queue.push_back(id);
    }
    const VariantId root = m_document.tree().root().id;
    if (!m_document.tree().root().measurement && !isWaiting(root) && m_current != root)
        m_queue.push_back(root);
    startNext();
    Q_EMIT changed();
}

void Measuring::measureAll()
{
    std::vector<VariantId> ids;
    if (m_document.isOpen()) {
        for (const session::Variant &variant : m_document.tree().all()) {
            if (variant.ok() && !variant.measurement)
                ids.push_back(variant.id);
        }
    }
    measure(ids);
}

void Measuring::setLibraries(std::vector<std::string> paths)
{
    cancel();
    m_libraries = std::move(paths);
}

void Measuring::cancel()
{
    m_queue.clear();
    m_thread->cancel();
    if (m_current) {
        m_current.reset();
        ++m_serial; // what it still answers is dropped
    }
    Q_EMIT changed();
}

std::optional<VariantId> Measuring::rivalOf(VariantId id) const
{
    constexpr double quick = 0.05; // seconds per call: measuring it once more is not noticed
    const std::optional<VariantId> parent = m_document.tree().at(id).parent;
    if (!parent)
        return {};
    const auto &measured = m_document.tree().at(*parent).measurement;
    return measured && measured->ok() && measured->time.median < quick ? parent : std::nullopt;
}

void Measuring::startNext()
{
    if (m_current || m_queue.empty())
        return;
    const VariantId id = m_queue.front();
    m_queue.pop_front();
    m_current = id;
    m_fraction = 0;
    m_phase = tr("compiling");
    measure::MeasureJob job;
    job.reference = m_document.tree().root().state->module;
    if (const std::optional<VariantId> rival = rivalOf(id))
        job.variants.push_back(m_document.tree().at(*rival).state->module);
    job.variants.push_back(m_document.tree().at(id).state->module);
    m_variantsInRun = job.variants.size();
    job.target = m_document.session().target();
    job.externs.paths = m_libraries;
    // The unscheduled program may take seconds; it only has to say what the others are compared with.
    job.repetitions =
        m_document.tree().at(id).isRoot() ? std::min(3, m_effort.repetitions) : m_effort.repetitions;
    job.secondsPerRepetition = m_effort.secondsPerRepetition;
    m_thread->run([this, id, job = std::move(job), serial = m_serial](Measurer &measurer,
                                                                      const std::stop_token &stop) {
        const auto post = [this, serial](auto what) {
            QMetaObject::invokeMethod(this, [this, serial, what = std::move(what)] {
                if (serial == m_serial)
                    what();
            });
        };
        Result<std::vector<Measurement>> result = support::fail("measure.internal", "nothing was measured");
        try {
            result = measurer.measure(
                job,
                [&](const measure::Progress &progress) {
                    post([this, id, progress] { reported(id, progress); });
                },
                stop);
        } catch (const std::exception &error) {
            result = support::fail("measure.internal", std::string("internal error: ") + error.what());
        }
        post([this, id, result = std::move(result)] { finish(id, result); });
        if (stop.stop_requested())
            return;
        try {
            if (const auto peak = measurer.machinePeak(measure::threadsOf(job.target), stop)) {
                post([this, peak = *peak] {
                    m_peak = peak;
                    Q_EMIT peakChanged();
                });
            }
        } catch (const std::exception
                     &) { // there is no line for the peak then, and the next measurement tries again
        }
    });
}

void Measuring::reported(VariantId id, const measure::Progress &progress)
{
    m_fraction = progress.fraction;
    m_phase = QString::fromStdString(progress.phase);
    if (progress.partial.size() == m_variantsInRun && progress.partial.back().ok())
        m_document.setMeasurement(id, progress.partial.back());
    Q_EMIT changed();
}

void Measuring::finish(VariantId id, Result<std::vector<Measurement>> result)
{
    m_current.reset();
    if (result && !result->empty()) {
        m_document.setMeasurement(id,
                                  std::move(result->back())); // before it stands what it was compared with
    } else if (!result && result.error().code != "cancelled") {
        Measurement failed;
        failed.failed = measure::Failure::Worker;
        failed.failure = result.error();
        m_document.setMeasurement(id, std::move(failed));
    }
    startNext();
    Q_EMIT changed();
}

} // namespace nestwright::document
