// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/work/measuring.h"

#include "core/explore/judge/smaller_program.h"
#include "core/measure/build/given_inputs.h"
#include "core/measure/machine/device_peak.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "core/measure/verify/rungs.h"
#include "core/session/codes.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/phase.h"
#include "widgets/document/document.h"
#include "widgets/document/work/measuring_thread.h"
#include "widgets/jobs/mailbox.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace nestwright::document {

using measure::Measurement;
using measure::Measurer;
using support::Result;

Measuring::Measuring(Document &document, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_mailbox(std::make_shared<jobs::Mailbox>(this))
    , m_thread(std::make_unique<Thread>())
{
    m_thread->run([](Measurer &measurer, const std::stop_token &) { measurer.warmUp(); });
    connect(&document, &Document::leaving, this, &Measuring::cancel);
    connect(&document, &Document::opened, this, [this] {
        ++m_serial;
        m_libraries.clear(); // they were named for the program that was open
        cancel();
        adoptKnownPeak();
    });
    connect(&document, &Document::targetChanged, this, [this] {
        cancel();
        adoptKnownPeak();
    });
    connect(&document, &Document::inputsChanged, this, &Measuring::cancel);
}

Measuring::~Measuring() { m_mailbox->close(); }

double Measuring::fraction() const { return (m_finished + m_fraction) / (m_finished + 1 + waiting()); }

bool Measuring::isWaiting(VariantId id) const
{
    return std::ranges::any_of(m_queue, [id](const Order &order) {
        return order.id == id || std::ranges::contains(order.ranked, id);
    });
}

bool Measuring::canRun(const session::Variant &variant)
{
    const auto code = variant.edit ? session::runnable(*variant.edit) : Result<backend::EditedCode>();
    if (code)
        return true;
    if (code.error().code == session::codes::foreignEdit) {
        Q_EMIT agreementNeeded();
        return false;
    }
    Measurement failed;
    failed.failed = measure::Failure::Compile;
    failed.failure = code.error();
    failed.inputs = m_document.session().inputs();
    m_document.setMeasurement(variant.id, std::move(failed));
    return false;
}

void Measuring::add(Order order)
{
    const session::Variant &variant = m_document.tree().at(order.id);
    if (variant.ok() && canRun(variant) && !std::ranges::contains(m_queue, order) && m_current != order)
        m_queue.push_back(order);
}

void Measuring::measure(const std::vector<VariantId> &ids)
{
    if (!m_document.isOpen())
        return;
    for (const VariantId id : ids)
        add({id});
    measureRoot();
    startNext();
    Q_EMIT changed();
}

void Measuring::measureRoot()
{
    if (const auto root = workbench::missingReference(m_document.session()))
        add({*root});
}

void Measuring::check(VariantId id)
{
    if (!m_document.isOpen())
        return;
    add({id, true});
    startNext();
    Q_EMIT changed();
}

void Measuring::compare(VariantId id, const ir::Module &base)
{
    add({id, false, std::make_shared<const ir::Module>(base)});
    startNext();
    Q_EMIT changed();
}

void Measuring::measureAll()
{
    measure(m_document.isOpen() ? workbench::unmeasured(m_document.session()) : std::vector<VariantId>());
}

void Measuring::setLibraries(std::vector<std::string> paths)
{
    cancel();
    m_libraries = std::move(paths);
}

void Measuring::cancel()
{
    m_queue.clear();
    m_finished = 0;
    m_thread->cancel();
    if (m_current) {
        m_current.reset();
        ++m_serial; // drops late answers
        restoreFigure();
    }
    Q_EMIT changed();
}

namespace {

/// `given` gets the contents of the files.
Result<std::vector<Measurement>> measureWith(Measurer &measurer, measure::MeasureJob &job,
                                             measure::GivenInputs &given,
                                             const measure::ProgressSink &progress,
                                             const std::stop_token &stop)
try {
    auto read = measure::readInputs(given);
    if (!read)
        return support::fail(read.error());
    given = std::move(read->given);
    job.inputs = std::move(read->arrays);
    auto result = measurer.measure(job, progress, stop);
    for (std::size_t i = 0; result && i < result->size(); ++i)
        (*result)[i].inputs = given;
    return result;
} catch (const std::exception &error) {
    return support::fail("measure.internal", std::string("internal error: ") + error.what());
}

/// The rungs are those of `job.target`.
Result<std::vector<measure::RungResult>>
checkWith(Measurer &measurer, measure::MeasureJob &job, const measure::GivenInputs &given,
          const std::vector<measure::Rung> &rungs, const explore::StepPath &path,
          const std::function<void(const measure::RungResult &)> &done, const std::stop_token &stop)
try {
    auto read = measure::readInputs(given);
    if (!read)
        return support::fail(read.error());
    job.inputs = std::move(read->arrays);
    const auto smaller = explore::smallerProgram(path, job);
    return measure::climb(measurer, job, rungs, done, stop, smaller ? &*smaller : nullptr);
} catch (const std::exception &error) {
    return support::fail("measure.internal", std::string("internal error: ") + error.what());
}

} // namespace

void Measuring::startNext()
{
    if (m_current)
        return;
    if (m_queue.empty()) {
        m_finished = 0;
        return;
    }
    const Order order = m_queue.front();
    m_queue.pop_front();
    m_current = order;
    m_fraction = 0;
    m_phase = tr("compiling");
    if (order.isCheck)
        startChecking(order.id);
    else if (!order.ranked.empty())
        startRanking(order.ranked);
    else
        startMeasuring(order.id);
}

measure::MeasureJob Measuring::withLibraries(Result<measure::MeasureJob> job) const
{
    NW_ASSERT(job, "code is run that may not be");
    job->externs.paths = m_libraries;
    return std::move(*job);
}

measure::MeasureJob Measuring::jobOf(VariantId id) const
{
    measure::MeasureJob job = withLibraries(workbench::jobOf(m_document.session(), {{id}}));
    job.counters = true;
    return job;
}

void Measuring::startChecking(VariantId id)
{
    m_thread->run([this, id, job = jobOf(id), given = m_document.session().inputs(),
                   path = m_document.tree().steps(m_document.tree().programOf(id)), serial = m_serial,
                   mailbox = m_mailbox](Measurer &measurer, const std::stop_token &stop) mutable {
        const auto post = [this, serial, &mailbox](auto what) {
            mailbox->post([this, serial, what = std::move(what)] {
                if (serial == m_serial)
                    what();
            });
        };
        const std::vector<measure::Rung> rungs = measure::rungsOf(job.target);
        const auto tell = [&](std::size_t done) {
            if (done < rungs.size())
                post([this, done, count = rungs.size(), rung = rungs[done]] {
                    m_fraction = static_cast<double>(done) / static_cast<double>(count);
                    m_phase = QString::fromUtf8(measure::factsOf(rung).title);
                    Q_EMIT changed();
                });
        };
        const support::PhaseScope phases([&](std::string_view phase) {
            post([this, phase = QString::fromUtf8(phase)] {
                m_phase = phase;
                Q_EMIT changed();
            });
        });
        tell(0);
        std::size_t done = 0;
        Result<std::vector<measure::RungResult>> result = checkWith(
            measurer, job, given, rungs, path, [&](const measure::RungResult &) { tell(++done); }, stop);
        post([this, id, result = std::move(result)] { finishCheck(id, result); });
    });
}

void Measuring::startMeasuring(VariantId id)
{
    measure::MeasureJob job =
        withLibraries(workbench::jobBesideRival(m_document.session(), id, m_current->base.get(), m_effort));
    m_variantsInRun = job.variants.size();
    m_thread->run([this, id, job = std::move(job), given = m_document.session().inputs(), serial = m_serial,
                   mailbox = m_mailbox](Measurer &measurer, const std::stop_token &stop) mutable {
        const auto post = [this, serial, &mailbox](auto what) {
            mailbox->post([this, serial, what = std::move(what)] {
                if (serial == m_serial)
                    what();
            });
        };
        const auto tell = [&](measure::Progress progress) {
            for (Measurement &each : progress.partial)
                each.inputs = given;
            post([this, id, progress = std::move(progress)] { reported(id, progress); });
        };
        Result<std::vector<Measurement>> result = measureWith(measurer, job, given, tell, stop);
        post([this, id, given, result = std::move(result)] { finish(id, given, result); });
        if (stop.stop_requested())
            return;
        try {
            if (const auto peak = measurer.peakOf(job.target, stop)) {
                post([this, peak = *peak] { setPeak(peak); });
            }
            // There is no line then, and the next measurement tries again.
            // NOLINTNEXTLINE(bugprone-empty-catch)
        } catch (const std::exception &) {
        }
    });
}

/// Restores the figure before a measurement that was not finished, which is no result.
void Measuring::restoreFigure()
{
    if (std::optional<FigureBefore> before = std::exchange(m_before, std::nullopt))
        m_document.restoreMeasurement(before->id, before->target, std::move(before->measurement));
}

void Measuring::setPeak(std::optional<measure::MachinePeak> peak)
{
    if (peak && m_document.isOpen())
        m_peaks.insert_or_assign(m_document.session().target().str(), *peak);
    m_peak = std::move(peak);
    Q_EMIT peakChanged();
}

void Measuring::adoptKnownPeak()
{
    const target::Target target = m_document.isOpen() ? m_document.session().target() : target::Target();
    if (const auto known = m_peaks.find(target.str()); known != m_peaks.end())
        return setPeak(known->second); // also where it is not kept, since the machine was busy
    const auto adopt = [this](support::Result<measure::MachinePeak> known) {
        setPeak(known ? std::optional(std::move(*known)) : std::nullopt);
    };
    if (!target.isGpu())
        return adopt(measure::loadCachedPeak(measure::threadsOf(target)));
    setPeak({});
    m_thread->run([this, target, adopt, mailbox = m_mailbox](Measurer &, const std::stop_token &) {
        mailbox->post([this, target, adopt, known = measure::knownPeak(target)] {
            if (m_document.isOpen() && m_document.session().target() == target && !m_peak)
                adopt(known);
        });
    });
}

void Measuring::reported(VariantId id, const measure::Progress &progress)
{
    m_fraction = progress.fraction;
    m_phase = QString::fromStdString(progress.phase);
    const bool isWhole =
        !m_current->base && m_current->ranked.empty() && progress.partial.size() == m_variantsInRun;
    // The verdict on edited code is what a person waits for.
    const bool isJudged = isWhole && m_document.tree().at(id).edit
                          && progress.partial.back().verdict != measure::Verdict::NotVerified
                          && !m_document.tree().at(id).measurement;
    if (isWhole && (progress.partial.back().ok() || isJudged)) {
        if (!m_before)
            m_before = {id, m_document.session().target(), m_document.tree().at(id).measurement};
        m_document.setMeasurement(id, progress.partial.back());
    }
    Q_EMIT changed();
}

void Measuring::finishCheck(VariantId id, Result<std::vector<measure::RungResult>> result)
{
    m_current.reset();
    ++m_finished;
    m_fraction = 0;
    if (result)
        m_document.setTrust(id, std::move(*result));
    else if (result.error().code != support::codes::cancelled)
        m_document.addProblem({Problem::Kind::Failed, result.error(), id});
    startNext();
    Q_EMIT changed();
}

void Measuring::finish(VariantId id, const measure::GivenInputs &given,
                       Result<std::vector<Measurement>> result)
{
    const bool isComparison = m_current->base != nullptr;
    m_current.reset();
    const bool isTaken = result && (result->empty() || result->back().failed != measure::Failure::Worker);
    if (isTaken)
        m_before.reset();
    else
        restoreFigure();
    ++m_finished;
    m_fraction = 0;
    if (isComparison) {
        Q_EMIT compared({id, std::move(result)});
    } else if (result && !result->empty()) {
        m_document.setMeasurement(id,
                                  std::move(result->back())); // before it stands the base of its comparison
    } else if (!result && result.error().code != support::codes::cancelled) {
        Measurement failed;
        failed.failed = measure::Failure::Worker;
        failed.failure = result.error();
        failed.inputs = given;
        m_document.setMeasurement(id, std::move(failed));
    }
    startNext();
    Q_EMIT changed();
}

} // namespace nestwright::document
