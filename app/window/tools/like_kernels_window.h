// SPDX-License-Identifier: GPL-3.0-or-later
/// A recipe, or the steps of the current variant, tried on all kernels of the open model, and kept on those
/// where it is faster.
#pragma once

#include "core/session/model/like_kernels.h"
#include "core/session/reuse/recipe.h"
#include "widgets/document/work/measuring.h"

#include <QDialog>

#include <memory>
#include <mutex>

class QComboBox;
class QLabel;
class QPushButton;

namespace nestwright::document {
class CommandRegistry;
class Document;
class Model;
class ModelMeasuring;
} // namespace nestwright::document
namespace nestwright::look {
class FindingBox;
}

namespace nestwright::app {

class LikeKernelsTable;

class LikeKernelsWindow : public QDialog {
    Q_OBJECT
public:
    struct Parts {
        document::Document &document;
        document::Model &model;
        document::Measuring &measuring;
        document::ModelMeasuring &modelMeasuring;
    };

    LikeKernelsWindow(const Parts &parts, QWidget *parent);

    /// The window of `parent`, which is made when it is first asked for; with this recipe chosen, else with
    /// that of the current variant, or its steps.
    static LikeKernelsWindow *open(const Parts &parts, QWidget *parent,
                                   const std::optional<session::Recipe> &recipe = {});

    void setEffort(document::MeasureEffort effort) { m_effort = effort; }

    /// For tests.
    LikeKernelsTable *table() const { return m_table; }
    QComboBox *schedules() const { return m_schedules; }
    QComboBox *rule() const { return m_rule; }
    look::FindingBox *note() const { return m_note; }
    const session::LikeKernels *found() const { return m_found ? &*m_found : nullptr; }
    bool isSettled() const;

private:
    /// Results of the job so far; its thread writes, the window reads.
    struct Progress {
        std::mutex mutex;
        session::LikeKernels found;
    };

    QWidget *makeSettings();
    QWidget *makeResults();
    /// Fills in the schedules that there are.
    void begin(const std::optional<session::Recipe> &recipe);
    void forget();
    void showSchedule();
    void tryOut();
    void show(const session::LikeKernels &found);
    void finish(const support::Result<session::LikeKernels> &result);
    void keepTicked();
    void takeKept(const std::map<int, session::Session> &sessions, const std::vector<int> &places);
    /// Makes the schedule a branch of the kernel that the document works on.
    void keepHere(int place);
    void showState();
    session::Keep chosenRule() const;
    session::TransferSchedule chosenSchedule() const;

    document::Document &m_document;
    document::Model &m_model;
    document::Measuring &m_measuring;
    document::ModelMeasuring &m_modelMeasuring;
    document::MeasureEffort m_effort{5, 0.1};
    std::vector<session::Recipe> m_recipes;
    std::shared_ptr<const explore::StepPath> m_steps; ///< of the current variant; null: it is unscheduled
    QString m_stepsName;
    std::optional<session::LikeKernels> m_found;
    std::shared_ptr<Progress> m_progress;
    QComboBox *m_schedules, *m_rule;
    QLabel *m_title;
    QPushButton *m_try, *m_cancel, *m_keep;
    look::FindingBox *m_note;
    LikeKernelsTable *m_table;
};

/// The command that opens the window.
void addLikeKernelsCommand(document::CommandRegistry &commands, const LikeKernelsWindow::Parts &parts,
                           QWidget *window);

} // namespace nestwright::app
