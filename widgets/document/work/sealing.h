// SPDX-License-Identifier: GPL-3.0-or-later
/// The seals of the variants, each made in a job when it first becomes current.
#pragma once

#include "core/explore/judge/seal_path.h"
#include "core/session/history/variant_tree.h"

#include <QObject>

#include <map>

namespace nestwright::document {

class Document;

class Sealing : public QObject {
    Q_OBJECT
public:
    explicit Sealing(Document &document, QObject *parent = nullptr);

    /// A tenth of a second of the interpreter.
    static constexpr explore::SealCut cut{.work = 1e7};

    /// Null where there is none yet.
    const explore::SealedPath *of(session::VariantId variant) const;

Q_SIGNALS:
    void changed();

private:
    void clear();
    void refresh();

    Document &m_document;
    std::map<session::VariantId, explore::SealedPath> m_seals;
};

} // namespace nestwright::document
