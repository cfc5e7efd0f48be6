// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/work/ablating.h"

#include "core/measure/build/given_inputs.h"
#include "widgets/document/document.h"
#include "widgets/document/work/measuring.h"
#include "widgets/jobs/job_runner.h"

#include <utility>

namespace nestwright::document {

using explore::Ablation;
using explore::AblationMode;

namespace {

const QString ablationKey = QStringLiteral("ablation");

support::Result<Ablation> ablated(const schedule::State &initial, const std::vector<schedule::Step> &steps,
                                  measure::MeasureJob job, const measure::GivenInputs &given,
                                  AblationMode mode)
{
    auto read = measure::readInputs(given);
    if (!read)
        return support::fail(read.error());
    job.inputs = std::move(read->arrays);
    const auto path = explore::StepPath::along(initial, steps);
    if (!path)
        return support::fail(path.error());
    measure::Measurer measurer;
    return explore::ablate(*path, explore::timerOf(measurer, explore::ablationJob(std::move(job))), mode);
}

} // namespace

Ablating::Ablating(Document &document, const Measuring &measuring, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_measuring(measuring)
{
    for (const auto &signal : {&Document::opened, &Document::targetChanged, &Document::inputsChanged})
        connect(&document, signal, this, &Ablating::cancel);
    connect(&document.jobs(), &jobs::JobRunner::failed, this, [this](const QString &key) {
        if (key == ablationKey) // the document says why
            Q_EMIT changed();
    });
}

Ablating::~Ablating() { m_document.jobs().cancel(ablationKey); }

void Ablating::measure(session::VariantId variant, AblationMode mode)
{
    if (!m_document.isOpen() || !m_document.tree().at(variant).ok())
        return;
    const session::VariantTree &tree = m_document.tree();
    m_document.jobs().run(
        ablationKey, this,
        [initial = *tree.root().state, steps = tree.trace(variant), job = m_measuring.jobOf(variant),
         given = m_document.session().inputs(),
         mode](const jobs::Job &) { return ablated(initial, steps, job, given, mode); },
        [this](const std::shared_ptr<const support::Result<Ablation>> &answer) {
            if (*answer)
                Q_EMIT measured(std::make_shared<const Ablation>(**answer));
            else
                Q_EMIT failed(answer->error());
            Q_EMIT changed();
        });
    Q_EMIT changed();
}

void Ablating::cancel()
{
    m_document.jobs().cancel(ablationKey);
    Q_EMIT changed();
}

bool Ablating::isRunning() const { return m_document.jobs().isRunning(ablationKey); }

QString Ablating::phase() const { return m_document.jobs().phase(ablationKey); }

} // namespace nestwright::document
