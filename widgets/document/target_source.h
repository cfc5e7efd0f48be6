// SPDX-License-Identifier: GPL-3.0-or-later
/// The current variant's text for a target, made when somebody looks at it.
#pragma once

#include "core/backend/backend.h"
#include "core/session/history/variant_tree.h"

#include <QHash>
#include <QObject>
#include <QString>

#include <memory>

namespace nestwright::document {

class Document;

using SourcePtr = std::shared_ptr<const support::Result<backend::Source>>;

class TargetSource : public QObject {
    Q_OBJECT
public:
    explicit TargetSource(Document &document, QObject *parent = nullptr);

    backend::SourceKind kind() const { return m_kind; }
    void setKind(backend::SourceKind kind);
    /// Nothing is made while nobody looks.
    void setWatched(bool watched);

    /// The source of the current variant and kind, or of the one before while the new one is being made; null
    /// at first.
    const SourcePtr &current() const { return m_source; }
    backend::SourceKind shownKind() const { return m_shownKind; }
    /// Whether a newer text is on its way.
    bool isPending() const { return m_pending; }

Q_SIGNALS:
    void changed();

private:
    void refresh();
    void remember(const QString &key, const SourcePtr &source);
    void show(const SourcePtr &source, backend::SourceKind kind);

    Document &m_document;
    backend::SourceKind m_kind = backend::SourceKind::Asm;
    backend::SourceKind m_shownKind = backend::SourceKind::Asm;
    SourcePtr m_source;
    QHash<QString, SourcePtr> m_made; ///< by variant, kind and target
    QStringList m_order;
    bool m_watched = false;
    bool m_pending = false;
};

} // namespace nestwright::document
