// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/work/sealing.h"

#include "widgets/document/document.h"
#include "widgets/jobs/job_runner.h"

#include <utility>

namespace nestwright::document {

namespace {

const QString sealJob = QStringLiteral("seal");

}

Sealing::Sealing(Document &document, QObject *parent) : QObject(parent), m_document(document)
{
    connect(&document, &Document::aboutToReplace, this, &Sealing::clear);
    connect(&document, &Document::leaving, this, &Sealing::clear);
    connect(&document, &Document::currentChanged, this, &Sealing::refresh);
}

const explore::SealedPath *Sealing::of(session::VariantId variant) const
{
    const auto found = m_seals.find(variant);
    return found == m_seals.end() ? nullptr : &found->second;
}

void Sealing::clear()
{
    m_document.jobs().cancel(sealJob);
    m_seals.clear();
}

void Sealing::refresh()
{
    m_document.jobs().cancel(sealJob);
    if (!m_document.isOpen())
        return;
    const session::Variant &variant = m_document.tree().current();
    if (variant.isRoot() || variant.edit || of(variant.id))
        return;
    explore::SealOptions options;
    options.target = m_document.session().target();
    options.steps = 100'000'000;
    m_document.jobs().run(
        sealJob, this,
        [id = variant.id, path = m_document.tree().steps(variant.id),
         options = std::move(options)](const jobs::Job &job) mutable {
            options.stop = job.stopToken();
            return std::pair(id, explore::sealPath(path, cut, options));
        },
        [this](const auto &made) {
            if (!made->second)
                return;
            m_seals.insert_or_assign(made->first, *made->second);
            Q_EMIT changed();
        });
}

} // namespace nestwright::document
