// SPDX-License-Identifier: GPL-3.0-or-later
/// The passes over the open model: which run, and the graph before and after each.
#pragma once

#include "core/session/model/model.h"

#include <QDialog>

#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QTreeWidget;

namespace nestwright::canvas {
class GraphCanvas;
}
namespace nestwright::document {
class Model;
}
namespace nestwright::jobs {
class JobRunner;
}
namespace nestwright::look {
class Button;
class Card;
} // namespace nestwright::look

namespace nestwright::app {

class PassesWindow : public QDialog {
    Q_OBJECT
public:
    PassesWindow(jobs::JobRunner &jobs, document::Model &model, QWidget *parent);

    /// For tests.
    QTreeWidget *list() const { return m_list; }
    QComboBox *levels() const { return m_levels; }
    look::Button *applyButton() const { return m_apply; }
    canvas::GraphCanvas *before() const { return m_before; }
    canvas::GraphCanvas *after() const { return m_after; }

private:
    using Records = std::vector<graph::GraphPassRecord>;

    void makeList(QWidget *parent);
    void takeModel();
    void run();
    void takeRecords(const support::Result<Records> &records);
    void showPass(int row);
    void settingsChanged();

    jobs::JobRunner &m_jobs;
    document::Model &m_model;
    frontend::ModelSettings m_settings; ///< settings of the passes shown; the model may have others
    std::shared_ptr<const support::Result<Records>> m_records;
    graph::GraphPassRecord m_shown;
    QComboBox *m_levels;
    QTreeWidget *m_list;
    QLabel *m_note;
    look::Button *m_apply;
    look::Card *m_listCard, *m_beforeCard, *m_afterCard;
    canvas::GraphCanvas *m_before, *m_after;
    bool m_filling = false;
};

} // namespace nestwright::app
