// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/document.h"

#include "core/schedule/state_index.h"
#include "core/support/errors/crash_report.h"
#include "widgets/document/selection.h"
#include "widgets/jobs/job_runner.h"

#include <algorithm>

namespace nestwright::document {

using support::Result;

namespace {
constexpr std::size_t nestsKept = 64;

Diagnostic bug(const char *what)
{
    return support::diagnostic("window.internal", std::string("internal error: ") + what)
        .withHint("this is a bug of Nestwright's; the open document is unchanged");
}

/// Counterpart of a loop or block one step down or up the tree. On the way up a loop becomes its origin.
StmtId down(const session::Variant &to, StmtId id) { return to.forward(id); }

StmtId up(const session::Variant &from, const session::Variant &to, StmtId id)
{
    const auto there = [&](StmtId candidate) { return to.state->index->of(candidate) != nullptr; };
    while (id && !there(id)) {
        const analysis::FunctionIndex *index = from.state->index->of(id);
        if (!index)
            return {};
        if (const ir::For *loop = index->loop(id))
            id = loop->origin.parent;
        else if (const ir::Block *block = index->block(id))
            id = block->origin.parent;
    }
    return id;
}
} // namespace

Document::Document(jobs::JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
    , m_selection(new Selection(this))
{
    connect(&m_jobs, &jobs::JobRunner::failed, this, [this](const QString &key, const QString &message) {
        Diagnostic diagnostic = bug(message.toUtf8().constData());
        addProblem({Problem::Kind::Failed, diagnostic, {}});
        if (key == u"document")
            setBusy(false);
        Q_EMIT failed(diagnostic);
    });
}

Document::~Document() = default;

QString Document::title() const
{
    if (!isOpen())
        return {};
    return QString::fromStdString(session().source().name);
}

QString Document::subtitle() const
{
    if (!isOpen())
        return {};
    const ir::Module::Entry *entry = tree().root().state->module.mainEntry();
    if (!entry)
        return {};
    QString shape;
    for (const analysis::StageGraph::Node &node : session().graph().nodes) {
        if (node.kind == analysis::StageGraph::Kind::Output)
            shape = QString::fromStdString(analysis::shapeText(node.shape, node.dtype));
    }
    const QString name = QString::fromStdString(entry->name);
    return shape.isEmpty() ? name : name + QStringLiteral(" · ") + shape;
}

void Document::setBusy(bool busy, const QString &opening)
{
    if (busy == m_busy && opening == m_opening)
        return;
    m_busy = busy;
    m_opening = opening;
    Q_EMIT busyChanged();
}

void Document::cancelWork()
{
    if (!m_busy)
        return;
    m_jobs.cancel(QStringLiteral("document"));
    m_waiting.clear();
    m_jumping.reset();
    setBusy(false);
    Q_EMIT workCancelled();
}

void Document::setModified(bool modified)
{
    if (modified) {
        ++m_revision;
        m_left = false;
    }
    if (modified == m_modified)
        return;
    m_modified = modified;
    Q_EMIT modifiedChanged();
}

// --- the current variant -----------------------------------------------------------------------------------

void Document::show(VariantId id, NestPtr nest)
{
    const VariantId from = m_nest ? m_nest->variant : id;
    const std::vector<StmtId> selected = forwarded(m_selection->all(), from, id);
    m_session->tree().setCurrent(id);
    m_nest = std::move(nest);
    remember(m_nest);
    m_selection->hover({});
    m_selection->select(selected);
    Q_EMIT currentChanged();
}

std::vector<StmtId> Document::forwarded(const std::vector<StmtId> &ids, VariantId from, VariantId to) const
{
    if (from == to)
        return ids;
    const std::vector<VariantId> rise = tree().path(from);
    const std::vector<VariantId> fall = tree().path(to);
    std::size_t common = 0;
    while (common < rise.size() && common < fall.size() && rise[common] == fall[common])
        ++common;
    std::vector<StmtId> result;
    for (StmtId id : ids) {
        for (std::size_t i = rise.size(); id && i-- > common;)
            id = up(tree().at(rise[i]), tree().at(rise[i - 1]), id);
        for (std::size_t i = common; id && i < fall.size(); ++i)
            id = down(tree().at(fall[i]), id);
        if (id && tree().at(to).state->index->of(id) && std::ranges::find(result, id) == result.end())
            result.push_back(id);
    }
    return result;
}

void Document::remember(const NestPtr &nest)
{
    const int id = nest->variant.value;
    std::erase(m_nestOrder, id);
    m_nestOrder.push_back(id);
    m_nests.insert(id, nest);
    while (m_nestOrder.size() > nestsKept) {
        m_nests.remove(m_nestOrder.front());
        m_nestOrder.pop_front();
    }
}

// --- target, measurements, problems -----------------------------------------------------------------------

void Document::setTarget(const target::Target &target)
{
    if (!isOpen() || target == session().target())
        return;
    m_session->setTarget(target);
    setModified(true);
    Q_EMIT targetChanged();
}

void Document::setInputs(const measure::GivenInputs &inputs)
{
    if (!isOpen() || inputs == session().inputs())
        return;
    m_session->setInputs(inputs);
    setModified(true);
    Q_EMIT inputsChanged();
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
    setModified(true);
    Q_EMIT measurementChanged(id.value);
}

void Document::restoreMeasurement(VariantId id, const target::Target &target,
                                  std::optional<measure::Measurement> measurement)
{
    if (!isOpen() || id.value >= tree().size())
        return;
    m_session->tree().restoreMeasurement(id, target.str(), std::move(measurement));
    setModified(true);
    Q_EMIT measurementChanged(id.value);
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
    Q_EMIT measurementChanged(id.value);
}

void Document::addProblem(Problem problem)
{
    const auto same = [&](const Problem &other) {
        return other.diagnostic == problem.diagnostic && other.variant == problem.variant;
    };
    std::erase_if(m_problems, same); // the newest stays, at the end
    m_problems.push_back(std::move(problem));
    Q_EMIT problemsChanged();
}

void Document::clearProblems()
{
    m_problems.clear();
    Q_EMIT problemsChanged();
}

} // namespace nestwright::document
