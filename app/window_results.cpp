// SPDX-License-Identifier: GPL-3.0-or-later
/// Values of the open model's nodes, in the node's panel and in files; the inputs of the model and of the
/// kernel.
#include "app/banner.h"
#include "app/inputs_dialog.h"
#include "app/main_window.h"
#include "app/node_panel.h"
#include "app/present/chart_pages.h"
#include "app/present/input_rows.h"
#include "core/support/file_name.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"
#include "widgets/document/model_results.h"
#include "widgets/document/text.h"
#include "widgets/look/card.h"

#include <QFileDialog>
#include <QFileInfo>

namespace nestwright::app {

using document::ModelResults;

void MainWindow::connectResults()
{
    connect(m_nodePanel, &NodePanel::saveWanted, this, &MainWindow::chooseResultFile);
    connect(m_modelResults, &ModelResults::changed, this, &MainWindow::showModelPhase);
    connect(m_modelResults, &ModelResults::failed, m_banner, &Banner::showError);
    connect(m_modelResults, &ModelResults::saved, this,
            [this](const QString &path) { tellWritten(tr("Saved"), path); });
}

void MainWindow::addResultCommands()
{
    const auto needsModel = [this] { return m_model->isOpen() ? QString() : tr("Open a model first."); };
    m_commands->add({.id = QStringLiteral("graph.values"),
                     .title = tr("Run the model and show the values of its nodes"),
                     .group = tr("Values"),
                     .keys = {QKeySequence(QStringLiteral("Ctrl+R"))},
                     .run =
                         [this] {
                             showNodePanel(true);
                             m_modelResults->find();
                         },
                     .unavailable = needsModel});
    m_commands->add({.id = QStringLiteral("graph.inputs"),
                     .title = tr("Inputs of the model…"),
                     .group = tr("Values"),
                     .run = [this] { askForInputs(); },
                     .unavailable = needsModel});
}

void MainWindow::askForInputs()
{
    const session::Model &model = m_model->model();
    auto *dialog = new InputsDialog(*m_jobs, modelInputTexts(), inputRows(model, m_modelResults->inputs()),
                                    QFileInfo(QString::fromStdString(model.path)).absolutePath(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_modelResults->setInputs(dialog->files());
        m_commands->trigger(QStringLiteral("graph.values"));
    });
    dialog->open();
}

void MainWindow::askForKernelInputs()
{
    const session::Session &session = m_document->session();
    auto *dialog = new InputsDialog(*m_jobs, kernelInputTexts(),
                                    inputRows(session.tree().root().state->module, session.inputs()),
                                    folderOfFile(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_document->setInputs(givenInputs(dialog->files(), m_document->session().inputs()));
    });
    connect(m_document, &document::Document::opened, dialog,
            &QDialog::reject); // they were for another kernel
    dialog->open();
}

/// The inputs stand beside the figures that were measured with them.
void MainWindow::showChartHeaders()
{
    const QString given =
        m_document->isOpen() ? document::inputsText(m_document->session().inputs()) : QString();
    const QString on = m_document->isOpen() ? targetText() + QStringLiteral(" · ") : QString();
    const QString with = on + (given.isEmpty() ? QString() : tr("with %1 · ").arg(given));
    const QString unit =
        m_bars->data().bars.empty() ? QString() : m_bars->data().unit + QStringLiteral(" · ");
    m_barsDock->header()->setSecondary(with + unit + tr("median, 95 % interval"));
    m_rooflineDock->header()->setSecondary(with + tr("log–log"));
    if (isMeasuredWithoutFlops(*m_document))
        m_roofline->setEmptyText(tr("This kernel has no floating-point operations"),
                                 tr("The roofline is drawn over FLOP per byte"));
    else
        m_roofline->setEmptyText(tr("Nothing is measured yet"),
                                 tr("It shows what memory and arithmetic allow"));
}

void MainWindow::chooseResultFile(const QString &node)
{
    const QString stem = document::toQt(support::fileNameOf(node.toStdString()));
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save the values of %1").arg(node), folderOfFile() + u'/' + stem + QStringLiteral(".npy"),
        tr("NumPy arrays (*.npy);;ONNX tensors, which keep types of 4 and 8 bits (*.pb)"));
    if (!path.isEmpty())
        m_modelResults->save(node, path);
}

} // namespace nestwright::app
