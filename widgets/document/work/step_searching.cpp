// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/work/step_searching.h"

#include "core/measure/build/given_inputs.h"
#include "widgets/document/document.h"
#include "widgets/document/work/measuring.h"
#include "widgets/jobs/job_runner.h"

#include <utility>

namespace nestwright::document {

using explore::Complaint;
using explore::StepPath;

namespace {

const QString searchKey = QStringLiteral("step-search");

support::Result<std::optional<explore::FoundStep>> searched(const schedule::State &initial,
                                                            const std::vector<schedule::Step> &steps,
                                                            explore::StepSearch search,
                                                            const measure::GivenInputs &given)
{
    auto read = measure::readInputs(given);
    if (!read)
        return support::fail(read.error());
    search.job.inputs = std::move(read->arrays);
    search.rung = measure::usualRung(search.job.target);
    const auto path = StepPath::along(initial, steps);
    if (!path)
        return support::fail(path.error());
    measure::Measurer measurer;
    return explore::findStep(*path, measurer, search);
}

} // namespace

StepSearching::StepSearching(Document &document, const Measuring &measuring, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_measuring(measuring)
{
    connect(&document, &Document::opened, this, &StepSearching::cancel);
    connect(&document, &Document::targetChanged, this, &StepSearching::cancel);
    connect(&document, &Document::inputsChanged, this, &StepSearching::cancel);
    connect(&document.jobs(), &jobs::JobRunner::failed, this, [this](const QString &key) {
        if (key == searchKey) // the document says why
            Q_EMIT changed();
    });
}

void StepSearching::find(session::VariantId variant, Complaint complaint)
{
    if (!m_document.isOpen() || !m_document.tree().at(variant).ok())
        return;
    variant = m_document.tree().programOf(variant); // edited code has no step
    explore::StepSearch search{
        .complaint = complaint, .job = m_measuring.jobOf(variant), .smallest = smallestLimit};
    search.job.counters = false;
    const session::VariantTree &tree = m_document.tree();
    m_document.jobs().run(
        searchKey, this,
        [search = std::move(search), initial = *tree.root().state, steps = tree.trace(variant),
         given = m_document.session().inputs()](const jobs::Job &) {
            return searched(initial, steps, search, given);
        },
        [this, complaint, way = tree.path(variant)](const std::shared_ptr<const Answer> &answer) {
            finish(complaint, way, *answer);
        });
    Q_EMIT changed();
}

void StepSearching::finish(Complaint complaint, const std::vector<session::VariantId> &way,
                           const Answer &answer)
{
    if (!answer)
        Q_EMIT failed(answer.error());
    else if (!*answer)
        Q_EMIT nothingFound(complaint);
    else
        Q_EMIT found({complaint, way.at((*answer)->bad), (*answer)->bad, **answer});
    Q_EMIT changed();
}

void StepSearching::cancel()
{
    m_document.jobs().cancel(searchKey);
    Q_EMIT changed();
}

bool StepSearching::isRunning() const { return m_document.jobs().isRunning(searchKey); }

QString StepSearching::phase() const { return m_document.jobs().phase(searchKey); }

} // namespace nestwright::document
