// SPDX-License-Identifier: GPL-3.0-or-later
/// The documents that are open side by side: one is worked on, the others wait as they were left.
#pragma once

#include "widgets/document/document.h"
#include "widgets/document/files/autosave.h"
#include "widgets/document/model.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace nestwright::document {

class OpenDocuments : public QObject {
    Q_OBJECT
public:
    struct Entry {
        QString title;  ///< "matmul.py", "resnet50"
        QString origin; ///< the file or operator that was opened
        bool modified = false;
        std::optional<Parked> document{}; ///< none of the one that is worked on
        std::optional<ParkedModel> model{};
        std::shared_ptr<KeptSession> kept{}; ///< on disk, where it has changes
    };

    OpenDocuments(Document &document, Model &model, Autosave &autosave, QObject *parent = nullptr);

    int count() const { return static_cast<int>(m_entries.size()); }
    const Entry &at(int i) const { return m_entries[static_cast<std::size_t>(i)]; }
    /// The one that is worked on; -1 while nothing is open.
    int current() const { return m_current; }
    /// -1 where it is not open.
    int indexOf(const QString &origin) const;

    /// Sets the origin of the current document.
    void setOrigin(const QString &origin);
    /// Works on another; jobs of the one before are stopped.
    void activate(int i);
    /// The last one stays. Changes that are in no file are kept on disk, for when its origin is opened again.
    void close(int i);

Q_SIGNALS:
    void changed();

private:
    void parkCurrent();
    void adoptOpened();

    Document &m_document;
    Model &m_model;
    Autosave &m_autosave;
    std::vector<Entry> m_entries;
    int m_current = -1;
    int m_activating = -1;
    bool m_hasLeft = false; ///< the one that was worked on, for something that is being opened
};

} // namespace nestwright::document
