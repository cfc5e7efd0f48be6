// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/history_pane.h"

#include "app/present/kernel_pages.h"
#include "widgets/document/document.h"
#include "widgets/document/files/autosave.h"
#include "widgets/document/finding_list.h"
#include "widgets/document/model.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/history/findings_view.h"
#include "widgets/history/history_view.h"
#include "widgets/history/kernels_view.h"
#include "widgets/history/problems_view.h"
#include "widgets/look/card.h"
#include "widgets/models/kernels_model.h"
#include "widgets/models/variants_model.h"

namespace nestwright::app {

using document::Document;

HistoryPane::HistoryPane(Document &document, document::Model &model, document::ModelMeasuring &modelMeasuring,
                         document::Autosave &autosave, document::FindingList &findings,
                         models::VariantsModel &variants, models::KernelsModel &kernels,
                         look::CardHeader *header, QWidget *parent)
    : QStackedWidget(parent)
    , m_document(document)
    , m_model(model)
    , m_modelMeasuring(modelMeasuring)
    , m_autosave(autosave)
    , m_findings(findings)
    , m_kernels(kernels)
    , m_header(header)
    , m_history(new history::HistoryView(document, variants, this))
    , m_findingsView(new history::FindingsView(document, findings, this))
    , m_problems(new history::ProblemsView(document, this))
    , m_kernelsView(new history::KernelsView(kernels, this))
{
    addWidget(m_history);
    addWidget(m_findingsView);
    addWidget(m_problems);
    addWidget(m_kernelsView);
    m_header->setTabs({tr("variants"), tr("findings"), tr("problems")}, 0);
    connect(header, &look::CardHeader::tabChosen, this, &QStackedWidget::setCurrentIndex);
    connect(&document, &Document::saved, this, &HistoryPane::showHeader);
    connect(&document, &Document::currentChanged, this, &HistoryPane::showHeader);
    connect(&document, &Document::measurementChanged, this, &HistoryPane::showHeader);
    connect(&document, &Document::problemsChanged, this, &HistoryPane::showHeader);
    connect(&document, &Document::targetChanged, this, &HistoryPane::showHeader);
    connect(&findings, &document::FindingList::changed, this, &HistoryPane::showHeader);
    connect(&autosave, &document::Autosave::savedNow, this, &HistoryPane::showHeader);
    connect(&model, &document::Model::opened, this, &HistoryPane::showModel);
    connect(&model, &document::Model::kernelChanged, this,
            [this] { m_kernelsView->setCurrent(m_model.kernel()); });
    connect(m_kernelsView, &history::KernelsView::kernelChosen, &model, &document::Model::openKernel);
    connect(&modelMeasuring, &document::ModelMeasuring::measured, this, &HistoryPane::showKernels);
}

void HistoryPane::showFindings()
{
    setCurrentWidget(m_findingsView);
    showHeader();
    m_findingsView->setFocus(Qt::ShortcutFocusReason);
}

void HistoryPane::showModel()
{
    setCurrentIndex(m_model.isOpen() ? indexOf(m_kernelsView) : 0);
    showHeader(); // its tabs
}

void HistoryPane::showKernels()
{
    m_kernels.setRows(m_model.isOpen() ? kernelRows(m_model.model(), m_modelMeasuring.last())
                                       : std::vector<models::KernelRow>());
    m_kernelsView->setCurrent(m_model.kernel());
    showHeader();
}

void HistoryPane::showHeader()
{
    if (!m_document.isOpen() || !m_header)
        return;
    int measured = 0, verified = 0, stored = 0, disturbed = 0;
    for (const session::Variant &variant : m_document.tree().all()) {
        if (!variant.measurement)
            continue;
        ++measured;
        stored += variant.measurement->stored ? 1 : 0;
        disturbed += variant.measurement->disturbed ? 1 : 0;
        const bool isOfNow = !m_document.session().hasOtherInputs(*variant.measurement);
        verified += variant.measurement->isVerified() && isOfNow ? 1 : 0;
    }
    QStringList facts;
    if (m_modelMeasuring.last())
        facts << modelTimeText(*m_modelMeasuring.last());
    if (measured == 0)
        facts << tr("nothing measured yet: M measures");
    else
        facts << tr("%1 of %2 verified").arg(verified).arg(measured);
    if (stored > 0)
        facts << tr("%1 not checked here").arg(stored);
    if (disturbed > 0)
        facts << tr("%1 on a busy machine").arg(disturbed);
    if (!m_document.isModified() && !m_document.sessionPath().isEmpty())
        facts << tr("saved");
    else if (m_autosave.isUpToDate())
        facts << tr("autosaved");
    m_header->setSecondary(facts.join(QStringLiteral(" · ")));
    const auto problems = static_cast<int>(m_document.problems().size());
    const auto found = static_cast<int>(m_findings.findings().size());
    QStringList tabs{tr("variants"), found > 0 ? tr("findings %1").arg(found) : tr("findings"),
                     problems > 0 ? tr("problems %1").arg(problems) : tr("problems")};
    if (m_model.isOpen())
        tabs << tr("kernels");
    m_header->setTabs(tabs, currentIndex());
}

} // namespace nestwright::app
