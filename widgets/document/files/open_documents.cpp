// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/files/open_documents.h"

#include <algorithm>

namespace nestwright::document {

OpenDocuments::OpenDocuments(Document &document, Model &model, Autosave &autosave, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_model(model)
    , m_autosave(autosave)
{
    connect(&document, &Document::leaving, this, &OpenDocuments::parkCurrent);
    connect(&document, &Document::opened, this, &OpenDocuments::adoptOpened);
    connect(&document, &Document::openFailed, this, [this] { m_hasLeft = false; });
    connect(&document, &Document::modifiedChanged, this, [this] {
        if (m_current < 0 || m_hasLeft)
            return;
        m_entries[static_cast<std::size_t>(m_current)].modified = m_document.isModified();
        Q_EMIT changed();
    });
}

int OpenDocuments::indexOf(const QString &origin) const
{
    const auto found = std::ranges::find_last(m_entries, origin, &Entry::origin); // the one opened last
    return origin.isEmpty() || found.empty() ? -1 : static_cast<int>(found.begin() - m_entries.begin());
}

void OpenDocuments::setOrigin(const QString &origin)
{
    if (m_current < 0)
        return;
    m_entries[static_cast<std::size_t>(m_current)].origin = origin;
    Q_EMIT changed();
}

void OpenDocuments::activate(int i)
{
    if (i == m_current || i < 0 || i >= count())
        return;
    m_document.cancelWork();
    m_activating = i;
    const Entry next = at(i);
    m_autosave.resume(next.kept);
    if (next.model)
        m_model.resume(*next.model, *next.document);
    else
        m_document.resume(*next.document);
}

void OpenDocuments::close(int i)
{
    if (i < 0 || i >= count() || count() == 1)
        return;
    if (i == m_current)
        activate(i == 0 ? 1 : i - 1);
    m_entries.erase(m_entries.begin() + i);
    if (m_current > i)
        --m_current;
    Q_EMIT changed();
}

void OpenDocuments::parkCurrent()
{
    m_hasLeft = true;
    if (m_current < 0)
        return;
    Entry &entry = m_entries[static_cast<std::size_t>(m_current)];
    entry.document = m_document.park();
    entry.model = m_model.park();
    entry.modified = m_document.isModified();
    entry.kept = m_autosave.takeKept();
}

void OpenDocuments::adoptOpened()
{
    if (m_activating >= 0) {
        m_current = m_activating;
        Entry &entry = m_entries[static_cast<std::size_t>(m_current)];
        entry.document.reset();
        entry.model.reset();
        entry.kept.reset();
    } else if (m_hasLeft || m_entries.empty()) {
        m_entries.emplace_back();
        m_current = count() - 1;
    }
    m_activating = -1;
    m_hasLeft = false;
    Entry &entry = m_entries[static_cast<std::size_t>(m_current)];
    entry.title = m_model.kernel() >= 0 ? QString::fromStdString(m_model.model().name) : m_document.title();
    entry.modified = m_document.isModified();
    Q_EMIT changed();
}

} // namespace nestwright::document
