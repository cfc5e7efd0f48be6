// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/document/document.h"

#include "core/session/history/counterparts.h"

#include <algorithm>
#include <utility>

namespace nestwright::workbench {

using support::StmtId;

namespace {
constexpr std::size_t viewsKept = 64;
}

Document::Document(Executor &executor, Listener &listener, MakeView makeView)
    : m_executor(executor)
    , m_listener(listener)
    , m_makeView(makeView)
{
}

void Document::take(session::Session session, View view)
{
    m_session = std::move(session);
    m_views.clear();
    m_seen.clear();
    m_waiting.clear();
    m_jumping.reset();
    m_fix.reset();
    m_rest.clear();
    m_problems.clear();
    for (const support::Diagnostic &note : m_session->notes())
        m_problems.push_back({Problem::Kind::Note, note, {}});
    for (const session::Comparison &each : m_session->comparisons())
        m_problems.push_back({Problem::Kind::Note, each.note, each.after, each.before});
    m_view = std::move(view);
    m_shown = currentId();
    remember(m_shown, m_view);
}

void Document::goOnWith(session::Session session, View view)
{
    m_session = std::move(session);
    m_listener.edited();
    m_listener.variantsChanged();
    show(currentId(), std::move(view));
}

void Document::setBusy(bool busy)
{
    m_jumping.reset();
    if (busy == m_isBusy)
        return;
    m_isBusy = busy;
    m_listener.busyChanged();
}

bool Document::cancel()
{
    if (!m_isBusy)
        return false;
    m_executor.cancel();
    m_waiting.clear();
    setBusy(false);
    return true;
}

void Document::workFailed(const support::Diagnostic &why)
{
    addProblem({Problem::Kind::Failed, why, {}});
    m_waiting.clear();
    setBusy(false);
    m_listener.failed(why);
}

// --- the current variant -----------------------------------------------------------------------------------

void Document::show(VariantId id, View view)
{
    m_session->tree().setCurrent(id);
    m_view = std::move(view);
    remember(id, m_view);
    m_listener.currentChanged(std::exchange(m_shown, id));
}

StmtId Document::follow(StmtId id, VariantId seen) const
{
    return session::counterpart(tree(), id, seen, currentId());
}

void Document::remember(VariantId id, const View &view)
{
    std::erase(m_seen, id);
    m_seen.push_back(id);
    m_views.insert_or_assign(id, view);
    while (m_seen.size() > viewsKept) {
        m_views.erase(m_seen.front());
        m_seen.pop_front();
    }
}

Document::View Document::remembered(VariantId id) const
{
    const auto known = m_views.find(id);
    return known == m_views.end() ? nullptr : known->second;
}

// --- target, measurements, problems -----------------------------------------------------------------------

void Document::setTarget(const target::Target &target)
{
    if (!isOpen() || target == session().target())
        return;
    m_session->setTarget(target);
    m_listener.edited();
    m_listener.targetChanged();
}

void Document::setInputs(const measure::GivenInputs &inputs)
{
    if (!isOpen() || inputs == session().inputs())
        return;
    m_session->setInputs(inputs);
    m_listener.edited();
    m_listener.inputsChanged();
}

void Document::setMeasurement(VariantId id, measure::Measurement measurement)
{
    if (!isOpen() || id.value >= tree().size())
        return;
    if (measurement.failure)
        addProblem({Problem::Kind::Failed, *measurement.failure, id});
    const auto &before = tree().at(id).measurement;
    if (measurement.failed == measure::Failure::Worker && before && before->ok())
        return; // a figure is not lost with the process that was to take another one
    m_session->setMeasurement(id, std::move(measurement));
    m_listener.edited();
    m_listener.measurementChanged(id);
}

void Document::restoreMeasurement(VariantId id, const target::Target &target,
                                  std::optional<measure::Measurement> measurement)
{
    if (!isOpen() || id.value >= tree().size())
        return;
    m_session->tree().restoreMeasurement(id, target.str(), std::move(measurement));
    m_listener.edited();
    m_listener.measurementChanged(id);
}

void Document::setTrust(VariantId id, std::vector<measure::RungResult> results)
{
    if (!isOpen() || id.value >= tree().size())
        return;
    for (const measure::RungResult &result : results) {
        if (result.outcome == measure::RungResult::Outcome::Fails)
            addProblem({Problem::Kind::Failed, *result.reason, id});
    }
    m_session->tree().setTrust(id, std::move(results));
    m_listener.measurementChanged(id);
}

void Document::addProblem(Problem problem)
{
    const auto same = [&](const Problem &other) {
        return other.diagnostic == problem.diagnostic && other.variant == problem.variant;
    };
    std::erase_if(m_problems, same); // the newest stays, at the end
    m_problems.push_back(std::move(problem));
    m_listener.problemsChanged();
}

void Document::clearProblems()
{
    m_problems.clear();
    m_listener.problemsChanged();
}

} // namespace nestwright::workbench
