// SPDX-License-Identifier: GPL-3.0-or-later
/// Several variants timed in turns, and ranked.
#include "core/explore/judge/ranking.h"
#include "core/measure/build/given_inputs.h"
#include "core/support/errors/codes.h"
#include "widgets/document/document.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/measuring_thread.h"
#include "widgets/jobs/mailbox.h"

#include <algorithm>

namespace nestwright::document {

using explore::Ranking;
using support::Result;

namespace {

/// `given` gets the contents of the files.
Result<Ranking> rankWith(measure::Measurer &measurer, measure::MeasureJob &job, measure::GivenInputs &given,
                         const measure::ProgressSink &progress, const std::stop_token &stop)
try {
    auto read = measure::readInputs(given);
    if (!read)
        return support::fail(read.error());
    given = std::move(read->given);
    job.inputs = std::move(read->arrays);
    return explore::rank(measurer, job, progress, stop);
} catch (const std::exception &error) {
    return support::fail("measure.internal", std::string("internal error: ") + error.what());
}

RankedRun runOf(const std::vector<VariantId> &ids, const Result<Ranking> &ranking)
{
    RankedRun run{.variants = ids};
    if (!ranking)
        return run;
    if (ranking->best)
        run.best = ids[*ranking->best];
    for (const std::size_t each : ranking->tied)
        run.tied.push_back(ids[each]);
    return run;
}

} // namespace

void Measuring::rank(const std::vector<VariantId> &ids)
{
    if (!m_document.isOpen())
        return;
    std::vector<VariantId> all;
    for (const VariantId id : ids) {
        const session::Variant &variant = m_document.tree().at(id);
        if (variant.ok() && !std::ranges::contains(all, id) && canRun(variant))
            all.push_back(id);
    }
    if (all.empty())
        return;
    m_queue.push_back({.id = all.front(), .ranked = all});
    measureRoot();
    startNext();
    Q_EMIT changed();
}

void Measuring::startRanking(const std::vector<VariantId> &ids)
{
    measure::MeasureJob job = withLibraries(workbench::rankingJob(m_document.session(), ids, m_effort));
    m_thread->run([this, ids, job = std::move(job), given = m_document.session().inputs(), serial = m_serial,
                   mailbox = m_mailbox](measure::Measurer &measurer, const std::stop_token &stop) mutable {
        const auto post = [this, serial, &mailbox](auto what) {
            mailbox->post([this, serial, what = std::move(what)] {
                if (serial == m_serial)
                    what();
            });
        };
        const auto tell = [&](const measure::Progress &progress) {
            post([this, id = ids.front(), progress] {
                reported(id, {progress.fraction, progress.phase, {}});
            });
        };
        auto ranking = rankWith(measurer, job, given, tell, stop);
        for (std::size_t i = 0; ranking && i < ids.size(); ++i) { // one by one: each changes what is shown
            ranking->measured[i].inputs = given;
            post([this, first = ids.front(), id = ids[i], measured = ranking->measured[i]] {
                measure::Measurement own = measured;
                if (m_document.tree().at(id).parent != first)
                    own.speedup.reset(); // of a variant it is over the parent
                m_document.setMeasurement(id, std::move(own));
            });
        }
        post([this, run = runOf(ids, ranking),
              why = ranking ? std::nullopt : std::optional(ranking.error())] { finishRanking(run, why); });
    });
}

void Measuring::finishRanking(const RankedRun &run, const std::optional<support::Diagnostic> &why)
{
    m_current.reset();
    ++m_finished;
    m_fraction = 0;
    if (why && why->code != support::codes::cancelled)
        m_document.addProblem({Problem::Kind::Failed, *why, run.variants.front()});
    Q_EMIT ranked(run);
    startNext();
    Q_EMIT changed();
}

} // namespace nestwright::document
