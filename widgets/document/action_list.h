// SPDX-License-Identifier: GPL-3.0-or-later
/// Keeps the list of actions for the selection up to date, and makes previews, off the UI thread.
#pragma once

#include "core/suggest/actions.h"
#include "core/suggest/placements.h"
#include "widgets/document/nest.h"

#include <QObject>

#include <memory>

namespace nestwright::document {

class Document;

/// The program after a step.
struct Preview {
    schedule::Step step;
    NestPtr nest; ///< null where the step is refused
    std::optional<support::Diagnostic> refused;
};
using PreviewPtr = std::shared_ptr<const Preview>;

class ActionList : public QObject {
    Q_OBJECT
public:
    explicit ActionList(Document &document, QObject *parent = nullptr);

    /// The actions of the selection last worked out; empty while nothing is open.
    const std::vector<suggest::Action> &actions() const { return *m_actions; }
    const suggest::Action *find(std::string_view primitive) const;
    /// The selection that the actions were found for.
    const std::vector<StmtId> &selection() const { return m_selection; }
    /// Whether they belong to the present selection.
    bool isCurrent() const;

    /// Computes the program after `step`; `previewChanged` when it is there.
    void preview(const schedule::Step &step);
    void endPreview();
    /// Null while there is none.
    const PreviewPtr &currentPreview() const { return m_preview; }

    /// Looks for a fix of a refused action; `fixFound` when there is one.
    void findFix(const suggest::Action &action);

    /// Finds the places for the dragged loop or block, and a loop's axes of threads; `placementsReady` when
    /// they are there, and `gainsReady` once the time at each place is predicted. endDragging stops that.
    void findPlacements(StmtId dragged);
    /// Finds places for a buffer; `placementsReady` then names no statement.
    void findPlacementsOfBuffer(const QString &buffer, suggest::BufferUse use);
    void endDragging();
    const std::vector<suggest::Placement> &placements() const { return m_places->placements; }
    /// Predicted speedups of the program with what is dragged at each of the placements;
    /// 0 where that is not known. Empty until `gainsReady`.
    const std::vector<double> &gains() const { return *m_gains; }
    /// Thread axes for the dragged loop; empty for anything else.
    const std::vector<suggest::Binding> &bindings() const { return m_places->bindings; }

Q_SIGNALS:
    void changed();
    void previewChanged();
    void fixFound(const nestwright::schedule::Fix &fix);
    void placementsReady(nestwright::support::StmtId dragged);
    void gainsReady(nestwright::support::StmtId dragged);

private:
    void refresh();
    struct Places {
        std::vector<suggest::Placement> placements;
        std::vector<suggest::Binding> bindings;
    };
    template <class Find> void findPlacements(StmtId dragged, const Find &find);
    void findGains(StmtId dragged);

    Document &m_document;
    std::shared_ptr<const std::vector<suggest::Action>> m_actions =
        std::make_shared<std::vector<suggest::Action>>();
    std::vector<StmtId> m_selection;
    NestPtr m_nest;
    PreviewPtr m_preview;
    std::shared_ptr<const Places> m_places = std::make_shared<Places>();
    std::shared_ptr<const std::vector<double>> m_gains = std::make_shared<std::vector<double>>();
};

} // namespace nestwright::document
