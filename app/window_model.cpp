// SPDX-License-Identifier: GPL-3.0-or-later
/// The open model, and the canvas that shows it or a kernel.
#include "app/banner.h"
#include "app/main_window.h"
#include "app/node_panel.h"
#include "app/present/graph_pages.h"
#include "app/present/kernel_pages.h"
#include "core/analysis/stage_graph.h"
#include "widgets/canvas/frame_tree.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"
#include "widgets/document/model_measuring.h"
#include "widgets/document/model_results.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/history/kernels_view.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/models/kernels_model.h"

#include <QSettings>
#include <QStackedWidget>

#include <algorithm>

namespace nestwright::app {

namespace {
const QString nodePanelKey = QStringLiteral("nodePanel");
}

void MainWindow::connectModel()
{
    connect(m_model, &document::Model::opened, this, [this] {
        if (m_model->isOpen() && !m_opening.isEmpty())
            remember(m_opening);
        showModel();
    });
    connect(m_model, &document::Model::sizesNeeded, this, &MainWindow::askForSizes);
    connect(m_model, &document::Model::reapplied, this, &MainWindow::showReapplied,
            Qt::QueuedConnection); // opening takes the banner away
    connect(m_model, &document::Model::kernelChanged, this, [this](bool isFirst) {
        m_kernelsView->setCurrent(m_model->kernel());
        showGraph();
        if (!isFirst) // a model is shown from its beginning
            m_graph->reveal(m_graph->selectedId());
    });
    connect(m_kernelsView, &history::KernelsView::kernelChosen, m_model, &document::Model::openKernel);
    connect(m_modelMeasuring, &document::ModelMeasuring::measured, this, &MainWindow::showModelTime);
    connect(m_modelMeasuring, &document::ModelMeasuring::failed, m_banner, &Banner::showError);
    connect(m_modelMeasuring, &document::ModelMeasuring::changed, this, &MainWindow::showModelPhase);
    connectNodes();
    connectResults();
}

void MainWindow::showModelPhase()
{
    m_commands->update();
    if (m_model->isOpen() && !m_modelMeasuring->isRunning())
        showModelTime();
}

void MainWindow::connectNodes()
{
    connect(m_graph, &canvas::GraphCanvas::nodeActivated, this, [this](int) {
        if (m_model->isOpen())
            showNodePanel(true);
    });
    connect(m_nodePanel, &NodePanel::closed, this, [this] { showNodePanel(false); });
    connect(m_nodePanel, &NodePanel::kernelWanted, m_model, &document::Model::openKernel);
    const auto showNode = [this](int node) {
        m_nodePanel->setNode(node);
        m_model->openKernel(m_model->kernelOf(static_cast<std::uint32_t>(node)));
    };
    connect(m_nodePanel, &NodePanel::nodeWanted, this, [this, showNode](int node) {
        m_graph->reveal(node);
        showNode(node);
    });
    connect(m_graph, &canvas::GraphCanvas::nodeClicked, this, [this, showNode](int node) {
        if (m_model->kernel() >= 0) {
            showNode(node);
            return;
        }
        const support::StmtId block{static_cast<std::uint32_t>(std::max(node, 0))};
        if (block && m_document->nest() && m_document->nest()->row(block))
            m_document->selection().select(block);
    });
}

void MainWindow::showCanvas(canvas::GraphData graph, int kernels)
{
    m_graphDock->header()->setSecondary(document::counted(canvas::countThings(graph), tr("node"))
                                        + QStringLiteral(" · ") + document::counted(kernels, tr("kernel")));
    m_graph->setGraph(std::move(graph));
}

void MainWindow::showStages()
{
    if (m_model->isOpen() || !m_document->nest())
        return;
    const int functions = static_cast<int>(m_document->tree().root().state->module.functions().size());
    m_jobs->run(
        QStringLiteral("stages"), this,
        [nest = m_document->nest()](const jobs::Job &) {
            return graphOf(analysis::stageGraph(nest->loops.state().module));
        },
        [this, functions](const std::shared_ptr<const canvas::GraphData> &stages) {
            if (m_model->isOpen())
                return;
            const session::Source &source = m_document->session().source();
            canvas::GraphData graph = *stages;
            graph.subject = QString::fromStdString(source.path + '\n' + source.name);
            showCanvas(std::move(graph), functions);
            showGraph();
        });
}

void MainWindow::showNodePanel(bool shown)
{
    m_nodePanel->setVisible(shown);
    if (!m_fresh)
        m_settings->setValue(nodePanelKey, shown);
    m_commands->update();
}

void MainWindow::showModel()
{
    m_nodePanel->setVisible(
        m_model->isOpen()
        && (!m_nodePanel->isHidden() || (!m_fresh && m_settings->value(nodePanelKey).toBool())));
    showModelTime();
    m_historyPages->setCurrentIndex(m_model->isOpen() ? m_historyPages->indexOf(m_kernelsView) : 0);
    if (m_document->isOpen())
        showHistoryHeader(); // its tabs
}

void MainWindow::showModelTime()
{
    m_nodePanel->setTime(m_modelMeasuring->last());
    if (m_model->isOpen())
        showCanvas(graphOf(m_model->model(), m_modelMeasuring->last()),
                   static_cast<int>(m_model->model().program.kernels.size()));
    showKernels();
    if (m_document->isOpen())
        showHistoryHeader();
}

void MainWindow::showKernels()
{
    m_kernels->setRows(m_model->isOpen() ? kernelRows(m_model->model(), *m_modelMeasuring)
                                         : std::vector<models::KernelRow>());
    m_kernelsView->setCurrent(m_model->kernel());
}

void MainWindow::showGraph()
{
    if (m_model->kernel() >= 0) {
        const int node = nodeOfKernel(m_model->model(), m_model->kernel(), m_graph->selectedNode());
        m_graph->setSelected(node);
        m_nodePanel->setNode(node);
        return;
    }
    // The stage whose block is selected, lies below the selected loop, or around the selected block.
    const document::NestPtr &nest = m_document->nest();
    support::StmtId stage =
        nest ? nest->loops.firstBlock(m_document->selection().current()) : support::StmtId();
    if (const analysis::FunctionIndex *index = stage ? nest->loops.indexOf(stage) : nullptr) {
        for (const support::StmtId outer : index->ancestors(stage)) {
            if (index->block(outer) && outer != index->root())
                stage = outer;
        }
    }
    m_graph->setSelected(stage ? static_cast<int>(stage.value) : -1);
}

void MainWindow::showReapplied(int schedules, const QStringList &left)
{
    QString told = tr("Applied again: %1.").arg(document::counted(schedules, tr("schedule")));
    if (!left.isEmpty())
        told += u' '
                + tr("These kernels are there no longer, their schedules stay in the session: %1.")
                      .arg(left.join(QStringLiteral(", ")));
    m_banner->showInfo(tr("The model has changed since the session was saved"), told);
}

} // namespace nestwright::app
