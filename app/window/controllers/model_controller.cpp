// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/model_controller.h"

#include "app/present/graph_pages.h"
#include "app/present/kernel_pages.h"
#include "app/window/controllers/source_file.h"
#include "app/window/dialogs/inputs_dialog.h"
#include "app/window/frame/banner.h"
#include "app/window/frame/window_settings.h"
#include "app/window/frame/work_line.h"
#include "app/window/panes/node_panel.h"
#include "app/window/tools/passes_window.h"
#include "app/window/tools/tokens_window.h"
#include "app/window/tools/tool_window.h"
#include "core/analysis/kernel/stage_graph.h"
#include "core/support/files/file_name.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/scene/frame_tree.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/document/work/model_results.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"

#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>

namespace nestwright::app {

using document::Document;
using document::ModelResults;

namespace {
const QString nodePanelKey = QStringLiteral("nodePanel");
}

ModelController::ModelController(Document &document, document::Model &model,
                                 document::ModelMeasuring &modelMeasuring, ModelResults &modelResults,
                                 document::CommandRegistry &commands, WindowSettings &settings,
                                 const Panes &panes, Banner &banner, WorkLine &workLine, QWidget *window)
    : m_document(document)
    , m_model(model)
    , m_modelMeasuring(modelMeasuring)
    , m_modelResults(modelResults)
    , m_commands(commands)
    , m_settings(settings)
    , m_panes(panes)
    , m_banner(banner)
    , m_workLine(workLine)
    , m_window(window)
{
    connect(&document, &Document::opened, this, &ModelController::showStages);
    connect(&document, &Document::currentChanged, this, [this] {
        showStages();
        showGraph();
    });
    connect(&document.selection(), &document::Selection::changed, this, &ModelController::showGraph);
    connectModel();
    connectNodes();
}

void ModelController::connectModel()
{
    connect(&m_model, &document::Model::opened, this,
            [this] { // its canvas comes with ModelMeasuring::measured
                m_panes.nodePanel.setVisible(
                    m_model.isOpen()
                    && (!m_panes.nodePanel.isHidden() || m_settings.value(nodePanelKey).toBool()));
            });
    connect(&m_model, &document::Model::reapplied, this, &ModelController::showReapplied,
            Qt::QueuedConnection); // opening takes the banner away
    connect(&m_model, &document::Model::kernelChanged, this, [this](bool isFirst) {
        showGraph();
        if (!isFirst) // a model is shown from its beginning
            m_panes.graph.reveal(m_panes.graph.selectedId());
    });
    connect(&m_modelMeasuring, &document::ModelMeasuring::measured, this, &ModelController::showModelTime);
    connect(&m_modelMeasuring, &document::ModelMeasuring::failed, &m_banner, &Banner::showError);
    connect(&m_modelMeasuring, &document::ModelMeasuring::changed, &m_commands,
            &document::CommandRegistry::update);
    connect(&m_modelResults, &ModelResults::changed, &m_commands, &document::CommandRegistry::update);
    connect(&m_modelResults, &ModelResults::failed, &m_banner, &Banner::showError);
    connect(&m_modelResults, &ModelResults::saved, this, [this](const QString &path) {
        m_workLine.tellWritten(tr("Saved"), path);
        Q_EMIT written(path);
    });
}

void ModelController::connectNodes()
{
    connect(&m_panes.graph, &canvas::GraphCanvas::nodeActivated, this, [this](int) {
        if (m_model.isOpen())
            showNodePanel(true);
    });
    connect(&m_panes.nodePanel, &NodePanel::saveWanted, this, &ModelController::chooseResultFile);
    connect(&m_panes.nodePanel, &NodePanel::closed, this, [this] { showNodePanel(false); });
    connect(&m_panes.nodePanel, &NodePanel::kernelWanted, &m_model, &document::Model::openKernel);
    connect(&m_panes.nodePanel, &NodePanel::nodeWanted, this, [this](int node) {
        m_panes.graph.reveal(node);
        openNode(node);
    });
    // The canvas has ids of its own: of nodes where it shows a model, of blocks where it shows a kernel.
    connect(&m_panes.graph, &canvas::GraphCanvas::nodeClicked, this, [this](int id) {
        if (m_model.kernel() >= 0)
            openNode(id);
        else
            selectStage({static_cast<std::uint32_t>(std::max(id, 0))});
    });
}

void ModelController::openNode(int node)
{
    m_panes.nodePanel.setNode(node);
    m_model.openKernel(m_model.kernelOf({static_cast<std::uint32_t>(node)}));
}

void ModelController::selectStage(support::StmtId block)
{
    if (block && m_document.nest() && m_document.nest()->row(block))
        m_document.selection().select(block);
}

void ModelController::addViewCommands()
{
    const auto needsModel = [this] { return m_model.isOpen() ? QString() : tr("Open a model first."); };
    m_commands.add({.id = QStringLiteral("view.node"),
                    .title = tr("The selected node"),
                    .group = tr("View"),
                    .keys = {QKeySequence(QStringLiteral("Ctrl+I"))},
                    .run = [this] { showNodePanel(m_panes.nodePanel.isHidden()); },
                    .unavailable = needsModel,
                    .checked = [this] { return !m_panes.nodePanel.isHidden(); }});
    m_commands.add({.id = QStringLiteral("view.passes"),
                    .title = tr("Passes over the model…"),
                    .group = tr("View"),
                    .keys = {QKeySequence(QStringLiteral("Ctrl+G"))},
                    .run = [this] { inFront<PassesWindow>(m_window, m_document.jobs(), m_model); },
                    .unavailable = needsModel});
    m_commands.add({.id = QStringLiteral("view.tokens"),
                    .title = tr("Time per token…"),
                    .group = tr("View"),
                    .run = [this] { inFront<TokensWindow>(m_window, m_model); },
                    .unavailable = needsModel});
    m_commands.add({.id = QStringLiteral("view.fitGraph"),
                    .title = tr("Fit the graph"),
                    .group = tr("View"),
                    .icon = QStringLiteral("fit"),
                    .run = [this] { m_panes.graph.fit(); }});
}

void ModelController::addResultCommands()
{
    const auto needsModel = [this] { return m_model.isOpen() ? QString() : tr("Open a model first."); };
    m_commands.add({.id = QStringLiteral("graph.values"),
                    .title = tr("Run the model and show the values of its nodes"),
                    .group = tr("Values"),
                    .keys = {QKeySequence(QStringLiteral("Ctrl+R"))},
                    .run =
                        [this] {
                            showNodePanel(true);
                            m_modelResults.find();
                        },
                    .unavailable = needsModel});
    m_commands.add({.id = QStringLiteral("graph.inputs"),
                    .title = tr("Inputs of the model…"),
                    .group = tr("Values"),
                    .run = [this] { askForInputs(); },
                    .unavailable = needsModel});
}

void ModelController::askForInputs()
{
    const session::Model &model = m_model.model();
    auto *dialog =
        new InputsDialog(m_document.jobs(), modelInputTexts(), inputRows(model, m_modelResults.inputs()),
                         QFileInfo(QString::fromStdString(model.path)).absolutePath(), m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_modelResults.setInputs(dialog->files());
        m_commands.trigger(QStringLiteral("graph.values"));
    });
    dialog->open();
}

void ModelController::chooseResultFile(const QString &node)
{
    const QString stem = document::toQt(support::fileNameOf(node.toStdString()));
    const QString path = QFileDialog::getSaveFileName(
        m_window, tr("Save the values of %1").arg(node),
        sourceFolder(m_document, m_model) + u'/' + stem + QStringLiteral(".npy"),
        tr("NumPy arrays (*.npy);;ONNX tensors, which keep types of 4 and 8 bits (*.pb)"));
    if (!path.isEmpty())
        m_modelResults.save(node, path);
}

void ModelController::showCanvas(canvas::GraphData graph, int kernels)
{
    m_panes.graphHeader.setSecondary(document::counted(canvas::countThings(graph), tr("node"))
                                     + QStringLiteral(" · ") + document::counted(kernels, tr("kernel")));
    m_panes.graph.setGraph(std::move(graph));
}

void ModelController::showStages()
{
    if (m_model.isOpen() || !m_document.nest())
        return;
    const int functions = static_cast<int>(m_document.tree().root().state->module.functions().size());
    m_document.jobs().run(
        QStringLiteral("stages"), this,
        [nest = m_document.nest()](const jobs::Job &) {
            return graphOf(analysis::stageGraph(nest->loops.state().module));
        },
        [this, functions](const std::shared_ptr<const canvas::GraphData> &stages) {
            if (m_model.isOpen())
                return;
            const session::Source &source = m_document.session().source();
            canvas::GraphData graph = *stages;
            graph.subject = QString::fromStdString(source.path + '\n' + source.name);
            showCanvas(std::move(graph), functions);
            showGraph();
        });
}

void ModelController::showNodePanel(bool shown)
{
    m_panes.nodePanel.setVisible(shown);
    m_settings.setValue(nodePanelKey, shown);
    m_commands.update();
}

void ModelController::showModelTime()
{
    m_panes.nodePanel.setTime(m_modelMeasuring.last());
    if (m_model.isOpen())
        showCanvas(graphOf(m_model.model(), m_modelMeasuring.last()),
                   static_cast<int>(m_model.model().program.kernels.size()));
}

void ModelController::showGraph()
{
    if (m_model.kernel() >= 0) {
        const int node = nodeOfKernel(m_model.model(), m_model.kernel(), m_panes.graph.selectedNode());
        m_panes.graph.setSelected(node);
        m_panes.nodePanel.setNode(node);
        return;
    }
    // The stage whose block is selected, lies below the selected loop, or around the selected block.
    const document::NestPtr &nest = m_document.nest();
    support::StmtId stage =
        nest ? nest->loops.firstBlock(m_document.selection().current()) : support::StmtId();
    if (const analysis::FunctionIndex *index = stage ? nest->loops.indexOf(stage) : nullptr) {
        for (const support::StmtId outer : index->ancestors(stage)) {
            if (index->block(outer) && outer != index->root())
                stage = outer;
        }
    }
    m_panes.graph.setSelected(stage ? static_cast<int>(stage.value) : -1);
}

void ModelController::showReapplied(int schedules, const QStringList &left)
{
    QString told = tr("Applied again: %1.").arg(document::counted(schedules, tr("schedule")));
    if (!left.isEmpty())
        told += u' '
                + tr("These kernels are there no longer, their schedules stay in the session: %1.")
                      .arg(left.join(QStringLiteral(", ")));
    m_banner.showInfo(tr("The model has changed since the session was saved"), told);
}

} // namespace nestwright::app
