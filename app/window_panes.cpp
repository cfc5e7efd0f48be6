// SPDX-License-Identifier: GPL-3.0-or-later
/// The panes of the window: making them, docking them, hearing from them.
#include "app/banner.h"
#include "app/dock_arrangement.h"
#include "app/loop_pane.h"
#include "app/main_window.h"
#include "app/nest_pane.h"
#include "app/node_panel.h"
#include "app/source_pane.h"
#include "app/start_page.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/document/action_list.h"
#include "widgets/document/autosave.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/measuring.h"
#include "widgets/document/model.h"
#include "widgets/document/model_measuring.h"
#include "widgets/document/model_results.h"
#include "widgets/document/peer_measuring.h"
#include "widgets/document/target_source.h"
#include "widgets/history/history_view.h"
#include "widgets/history/kernels_view.h"
#include "widgets/history/problems_view.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/models/kernels_model.h"
#include "widgets/models/variants_model.h"

#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>
#include <utility>

namespace nestwright::app {

void MainWindow::makePanes()
{
    const auto dock = [this](const QString &title, const char *name) {
        auto *made = new look::CardDock(title, QString::fromLatin1(name), m_docks);
        connect(made->header(), &look::CardHeader::doubleClicked, this,
                [this, made] { m_arrangement->maximise(made); });
        return made;
    };
    m_graphDock = dock(tr("Graph"), "graph");
    auto *graph = new QSplitter(Qt::Vertical);
    graph->setHandleWidth(1);
    graph->setChildrenCollapsible(false);
    m_graph = new canvas::GraphCanvas(*m_jobs, graph);
    m_nodePanel = new NodePanel(*m_jobs, *m_model, *m_modelResults, graph);
    m_nodePanel->hide();
    m_graph->setMinimumHeight(120);
    graph->setStretchFactor(0, 1);
    m_graphDock->setContent(graph);

    m_loopDock = dock(tr("Loops"), "loops");
    m_loopPane = new LoopPane(*m_document, *m_actions, *m_commands, m_loopDock->header());
    m_loopDock->setContent(m_loopPane);

    m_nestDock = dock(tr("Loop nest"), "nest");
    m_nestPane = new NestPane(*m_document, *m_actions, m_nestDock->header(), m_languages);
    m_nestDock->setContent(m_nestPane);

    m_sourceDock = dock(tr("Target source"), "source");
    m_sourcePane = new SourcePane(*m_document, *m_source, m_sourceDock->header(), m_languages);
    m_sourceDock->setContent(m_sourcePane);

    m_barsDock = dock(tr("Variants"), "variants");
    m_bars = new charts::VariantBars;
    m_bars->setEmptyText(tr("Nothing is measured yet"), tr("Press M to measure the current variant"));
    m_barsDock->setContent(m_bars);

    m_rooflineDock = dock(tr("Roofline"), "roofline");
    m_roofline = new charts::Roofline;
    m_rooflineDock->setContent(m_roofline);
    showChartHeaders();

    m_historyDock = dock(tr("History"), "history");
    m_variants = new models::VariantsModel(*m_document, *m_measuring, this);
    m_historyPages = new QStackedWidget;
    m_history = new history::HistoryView(*m_document, *m_variants, m_historyPages);
    m_problems = new history::ProblemsView(*m_document, m_historyPages);
    m_historyPages->addWidget(m_history);
    m_historyPages->addWidget(m_problems);
    m_kernels = new models::KernelsModel(this);
    m_kernelsView = new history::KernelsView(*m_kernels, m_historyPages);
    m_historyPages->addWidget(m_kernelsView);
    m_historyDock->setContent(m_historyPages);
    m_historyDock->header()->setTabs({tr("variants"), tr("problems")}, 0);
    connect(m_historyDock->header(), &look::CardHeader::tabChosen, m_historyPages,
            &QStackedWidget::setCurrentIndex);
    m_arrangement = std::make_unique<DockArrangement>(
        m_docks,
        DockArrangement::Row{{m_graphDock, m_loopDock, m_nestDock, m_sourceDock}, {170, 272, 284, 274}},
        DockArrangement::Row{{m_barsDock, m_rooflineDock, m_historyDock}, {355, 215, 430}},
        QList<look::CardDock *>{m_barsDock, m_rooflineDock});
}

void MainWindow::connectPanes()
{
    connect(m_measuring, &document::Measuring::changed, this, [this] {
        showChartsSoon();
        m_commands->update();
        const bool wasRunning = std::exchange(m_wasMeasuring, m_measuring->isRunning());
        if (m_measureModelToo && wasRunning && !m_measuring->isRunning())
            m_modelMeasuring->measureIfChanged();
    });
    connect(m_measuring, &document::Measuring::peakChanged, this, &MainWindow::showChartsSoon);
    connect(m_peer, &document::PeerMeasuring::changed, this, &MainWindow::showChartsSoon);
    connect(m_actions, &document::ActionList::changed, m_commands, &document::CommandRegistry::update);
    connect(m_autosave, &document::Autosave::savedNow, this, &MainWindow::showHistoryHeader);
    connect(m_bars, &charts::ChartPane::selected, this, [this](int id) { m_document->jumpTo({id}); });
    connect(m_roofline, &charts::ChartPane::selected, this, [this](int id) { m_document->jumpTo({id}); });
    connect(m_history, &history::HistoryView::menuRequested, this, &MainWindow::showVariantMenu);
    connect(m_history, &history::HistoryView::refusedChosen, this,
            [this](int variant) { m_banner->showError(m_document->tree().at({variant}).state.error()); });
    connect(m_problems, &history::ProblemsView::comparisonChosen, this,
            [this](int before) { m_nestPane->compareWith({before}); });
    connect(m_startPage, &StartPage::openRequested, this, &MainWindow::chooseFile);
    connect(m_startPage, &StartPage::fileChosen, this, &MainWindow::open);
    connect(m_graph, &canvas::GraphCanvas::openRequested, this, &MainWindow::chooseFile);
}

} // namespace nestwright::app
