// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/target_source.h"

#include "widgets/document/document.h"
#include "widgets/jobs/job_runner.h"

#include <QStringList>

namespace nestwright::document {

namespace {
constexpr qsizetype kept = 40;
const QString sourceJob = QStringLiteral("source");
} // namespace

TargetSource::TargetSource(Document &document, QObject *parent) : QObject(parent), m_document(document)
{
    connect(&document, &Document::opened, this, [this] {
        m_made.clear();
        m_order.clear();
    });
    connect(&document, &Document::currentChanged, this, &TargetSource::refresh);
    connect(&document, &Document::targetChanged, this, &TargetSource::refresh);
}

void TargetSource::setKind(backend::SourceKind kind)
{
    if (kind == m_kind)
        return;
    m_kind = kind;
    refresh();
}

void TargetSource::setWatched(bool watched)
{
    if (watched == m_watched)
        return;
    m_watched = watched;
    refresh();
}

void TargetSource::refresh()
{
    if (!m_watched || !m_document.isOpen() || !m_document.nest())
        return;
    const target::Target target =
        backend::targetOf(backend::sourceFormat(m_kind), m_document.session().target());
    const QString key = QStringLiteral("%1 %2 %3")
                            .arg(m_document.currentId().value)
                            .arg(static_cast<int>(m_kind))
                            .arg(QString::fromStdString(target.str()));
    if (const SourcePtr made = m_made.value(key)) {
        m_document.jobs().cancel(sourceJob);
        show(made, m_kind);
        return;
    }
    if (const auto &edit = m_document.tree().current().edit; edit && edit->kind == m_kind) {
        m_document.jobs().cancel(sourceJob);
        remember(key, std::make_shared<const support::Result<backend::Source>>(
                          backend::Source{.text = edit->text, .spans = {}, .kind = m_kind}));
        show(m_made.value(key), m_kind);
        return;
    }
    m_pending = true;
    m_document.jobs().run(
        sourceJob, this,
        [module = m_document.nest()->loops.state().module, target, kind = m_kind](const jobs::Job &job) {
            return backend::source(module, target, kind, job.stopToken());
        },
        [this, key, kind = m_kind](const SourcePtr &source) {
            remember(key, source);
            show(source, kind);
        });
    Q_EMIT changed();
}

void TargetSource::remember(const QString &key, const SourcePtr &source)
{
    m_made.insert(key, source);
    m_order << key;
    while (m_order.size() > kept)
        m_made.remove(m_order.takeFirst());
}

void TargetSource::show(const SourcePtr &source, backend::SourceKind kind)
{
    m_pending = false;
    m_source = source;
    m_shownKind = kind;
    Q_EMIT changed();
}

} // namespace nestwright::document
