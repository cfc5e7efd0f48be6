// SPDX-License-Identifier: GPL-3.0-or-later
/// Looks, in a job, for the step on the way to a variant that made it wrong, or that lost the speed.
#pragma once

#include "core/explore/judge/step_search.h"
#include "core/session/history/variant_tree.h"

#include <QObject>
#include <QString>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace nestwright::document {

class Document;
class Measuring;

/// A step that was found, in the history.
struct StepInHistory {
    explore::Complaint complaint = explore::Complaint::Wrong;
    session::VariantId variant; ///< that the step made
    std::size_t of = 0;         ///< steps on the way up to there
    explore::FoundStep found;
};

class StepSearching : public QObject {
    Q_OBJECT
public:
    /// Programs run with the libraries and inputs that `measuring` has them run with.
    StepSearching(Document &document, const Measuring &measuring, QObject *parent = nullptr);

    /// Stops the search at work and begins another; ends with `found`, `nothingFound` or `failed`.
    void find(session::VariantId variant, explore::Complaint complaint);
    void cancel();
    bool isRunning() const;
    /// The phase, once it is known: "judging 3 of 8". Ask for it now and then; nobody is told.
    QString phase() const;

    /// The time for the smallest list of steps.
    static constexpr std::chrono::seconds smallestLimit{60};

Q_SIGNALS:
    /// Emitted when it starts or stops running.
    void changed();
    void found(const nestwright::document::StepInHistory &step);
    void nothingFound(nestwright::explore::Complaint complaint);
    void failed(const nestwright::support::Diagnostic &diagnostic);

private:
    using Answer = support::Result<std::optional<explore::FoundStep>>;
    void finish(explore::Complaint complaint, const std::vector<session::VariantId> &way,
                const Answer &answer);

    Document &m_document;
    const Measuring &m_measuring;
};

} // namespace nestwright::document
