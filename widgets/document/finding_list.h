// SPDX-License-Identifier: GPL-3.0-or-later
/// The findings of the current variant, made in a job whenever it changes, and what became of those tried.
#pragma once

#include "core/explore/findings/finding.h"
#include "core/measure/measurement.h"
#include "core/session/history/variant_tree.h"

#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace nestwright::document {

class Document;
class Measuring;
using session::VariantId;

/// A finding whose remedy became a variant.
struct TriedFinding {
    VariantId from;       ///< it was a finding of
    std::string title;    ///< the finding's
    double predicted = 1; ///< times as fast
};

class FindingList : public QObject {
    Q_OBJECT
public:
    FindingList(Document &document, Measuring &measuring, QObject *parent = nullptr);

    /// Findings of the current variant, that of most gain first; empty while they are looked for.
    const std::vector<explore::Finding> &findings() const;
    /// Measurements of the session that correct predictions.
    const explore::Experience &experience() const;
    /// Whether they were all looked for.
    bool isKnown() const { return m_findings != nullptr; }

    /// Makes a variant of the remedy and measures it beside the one that it is of.
    void tryOut(std::size_t finding);
    /// The finding whose remedy the variant is; null where it is none.
    const TriedFinding *tried(VariantId variant) const;
    /// Measured speedup of the variant over the one that the finding was of; nothing until both are
    /// measured.
    std::optional<measure::Speedup> measured(VariantId variant) const;
    /// Doubt about that ratio, from measure::doubtOf.
    std::string_view doubtOf(VariantId variant) const;

Q_SIGNALS:
    void changed();

private:
    void refresh();

    Document &m_document;
    Measuring &m_measuring;
    /// Findings with what they were corrected by.
    struct Found {
        std::vector<explore::Finding> findings;
        explore::Experience experience;
    };
    std::shared_ptr<const Found> m_findings;
    std::map<VariantId, TriedFinding> m_tried;
    bool m_isStale = false; ///< something was measured since they were looked for
};

} // namespace nestwright::document
