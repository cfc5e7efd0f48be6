// SPDX-License-Identifier: GPL-3.0-or-later
/// The machine code of the current variant's loops, read in a job whenever it changes.
#pragma once

#include "core/backend/listing/loop_code.h"
#include "core/support/stmt_id.h"

#include <QObject>
#include <QString>

#include <memory>
#include <vector>

namespace nestwright::document {

class Document;

using LoopCodes = std::shared_ptr<const std::vector<backend::LoopCode>>;

class MachineCode : public QObject {
    Q_OBJECT
public:
    explicit MachineCode(Document &document, QObject *parent = nullptr);

    /// Null until it is known, and where the target's machine code is not made here.
    const LoopCodes &loops() const { return m_loops; }
    /// The loop of machine code that does most of the work of a loop or block; null where there is none.
    const backend::LoopCode *doing(support::StmtId id) const;

Q_SIGNALS:
    void changed();

private:
    void refresh();

    Document &m_document;
    LoopCodes m_loops;
};

/// The one of several loops of machine code that run the iterations of loop `id` which computes most; null
/// where its iterations stand in a row, or are not known.
const backend::LoopCode *codeOfLoop(const LoopCodes &loops, support::StmtId id);
/// Work of one iteration, and its time: for tooltips.
QString codeTip(const backend::LoopCode &code);

} // namespace nestwright::document
