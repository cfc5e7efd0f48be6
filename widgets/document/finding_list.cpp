// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/finding_list.h"

#include "core/measure/doubt.h"
#include "core/measure/machine/this_machine.h"
#include "core/session/history/experience.h"
#include "core/session/reuse/refit.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"
#include "widgets/jobs/job_runner.h"

namespace nestwright::document {

namespace {
const QString findingsJob = QStringLiteral("findings");
}

FindingList::FindingList(Document &document, Measuring &measuring, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_measuring(measuring)
{
    connect(&document, &Document::opened, this, [this] { m_tried.clear(); });
    connect(&document, &Document::currentChanged, this, &FindingList::refresh);
    connect(&document, &Document::targetChanged, this, &FindingList::refresh);
    connect(&document, &Document::measurementChanged, this, [this](int variant) {
        const auto &measurement = m_document.tree().at({variant}).measurement;
        m_isStale = m_isStale || (measurement && measurement->final && measurement->ok());
        const TriedFinding *origin = tried(m_document.currentId());
        if (origin && (variant == m_document.currentId().value || variant == origin->from.value))
            Q_EMIT changed();
    });
    // Measurements correct predictions; looking for them while others are measured would disturb.
    connect(&measuring, &Measuring::changed, this, [this] {
        if (m_isStale && !m_measuring.isRunning())
            refresh();
    });
}

const std::vector<explore::Finding> &FindingList::findings() const
{
    static const std::vector<explore::Finding> none;
    return m_findings ? m_findings->findings : none;
}

const explore::Experience &FindingList::experience() const
{
    static const explore::Experience none;
    return m_findings ? m_findings->experience : none;
}

void FindingList::refresh()
{
    m_findings.reset();
    m_isStale = false;
    Q_EMIT changed();
    if (!m_document.isOpen())
        return;
    m_document.jobs().run(
        findingsJob, this,
        [tree = m_document.tree(), target = m_document.session().target()](const jobs::Job &job) {
            const target::Machine machine = measure::machineOf(target);
            const VariantId current = tree.current().id;
            Found found{{}, session::experienceOf(tree, current, machine)};
            found.experience.refitted = [&](const explore::StepPath &path) {
                return session::refitted(path, target, job.stopToken());
            };
            found.findings =
                explore::findingsOf(tree.steps(current), target, machine, job.stopToken(), found.experience)
                    .value_or(std::vector<explore::Finding>());
            return found;
        },
        [this](const std::shared_ptr<const Found> &findings) {
            m_findings = findings;
            Q_EMIT changed();
        });
}

void FindingList::tryOut(std::size_t finding)
{
    if (finding >= findings().size())
        return;
    const explore::Finding &chosen = findings()[finding];
    const VariantId current = m_document.currentId();
    const std::size_t position = chosen.branchesAt(m_document.tree().steps(current));
    const std::vector<schedule::Step> &steps = chosen.remedy.path.steps();
    m_document.branch(m_document.tree().path(current).at(position), std::string(chosen.remedy.title),
                      {steps.begin() + static_cast<std::ptrdiff_t>(position), steps.end()},
                      [this, tried = TriedFinding{current, chosen.title, chosen.gain}] {
                          const VariantId made = m_document.currentId();
                          m_tried.insert_or_assign(made, tried);
                          const auto &before = m_document.tree().at(tried.from).measurement;
                          m_measuring.measure(before && before->ok()
                                                  ? std::vector<VariantId>{made}
                                                  : std::vector<VariantId>{tried.from, made});
                          Q_EMIT changed();
                      });
}

const TriedFinding *FindingList::tried(VariantId variant) const
{
    const auto found = m_tried.find(variant);
    return found == m_tried.end() ? nullptr : &found->second;
}

std::optional<measure::Speedup> FindingList::measured(VariantId variant) const
{
    const TriedFinding *finding = tried(variant);
    if (!finding)
        return std::nullopt;
    const auto &before = m_document.tree().at(finding->from).measurement;
    const auto &after = m_document.tree().at(variant).measurement;
    if (!before || !after || before->samples.empty() || after->samples.empty())
        return std::nullopt;
    return measure::roughSpeedup(before->samples, after->samples);
}

std::string_view FindingList::doubtOf(VariantId variant) const
{
    const auto ratio = measured(variant);
    if (!ratio)
        return {};
    const session::VariantTree &tree = m_document.tree();
    return measure::doubtOf(*ratio, *tree.at(tried(variant)->from).measurement,
                            *tree.at(variant).measurement);
}

} // namespace nestwright::document
