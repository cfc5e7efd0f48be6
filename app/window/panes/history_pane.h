// SPDX-License-Identifier: GPL-3.0-or-later
/// The history: variants, findings, problems and the kernels of a model as tabs, with their figures in the
/// header.
#pragma once

#include <QPointer>
#include <QStackedWidget>

namespace nestwright::document {
class Autosave;
class Document;
class FindingList;
class Model;
class ModelMeasuring;
} // namespace nestwright::document
namespace nestwright::history {
class FindingsView;
class HistoryView;
class KernelsView;
class ProblemsView;
} // namespace nestwright::history
namespace nestwright::look {
class CardHeader;
}
namespace nestwright::models {
class KernelsModel;
class VariantsModel;
} // namespace nestwright::models

namespace nestwright::app {

class HistoryPane : public QStackedWidget {
    Q_OBJECT
public:
    HistoryPane(document::Document &document, document::Model &model,
                document::ModelMeasuring &modelMeasuring, document::Autosave &autosave,
                document::FindingList &findings, models::VariantsModel &variants,
                models::KernelsModel &kernels, look::CardHeader *header, QWidget *parent = nullptr);

    history::HistoryView *history() const { return m_history; }
    history::ProblemsView *problems() const { return m_problems; }
    history::KernelsView *kernels() const { return m_kernelsView; }
    history::FindingsView *findings() const { return m_findingsView; }
    void showFindings();

private:
    void showModel();
    void showKernels();
    void showHeader();

    document::Document &m_document;
    document::Model &m_model;
    document::ModelMeasuring &m_modelMeasuring;
    document::Autosave &m_autosave;
    document::FindingList &m_findings;
    models::KernelsModel &m_kernels;
    QPointer<look::CardHeader> m_header;
    history::HistoryView *m_history;
    history::FindingsView *m_findingsView;
    history::ProblemsView *m_problems;
    history::KernelsView *m_kernelsView;
};

} // namespace nestwright::app
