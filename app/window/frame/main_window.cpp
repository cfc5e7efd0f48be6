// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/main_window.h"

#include "app/window/commands/command_menu.h"
#include "app/window/commands/command_palette.h"
#include "app/window/commands/history_commands.h"
#include "app/window/commands/place_trials.h"
#include "app/window/commands/step_search_commands.h"
#include "app/window/commands/variant_menu.h"
#include "app/window/controllers/code_edit_controller.h"
#include "app/window/controllers/course_controller.h"
#include "app/window/controllers/export_controller.h"
#include "app/window/controllers/file_controller.h"
#include "app/window/controllers/measure_controller.h"
#include "app/window/controllers/model_controller.h"
#include "app/window/controllers/script_edit_controller.h"
#include "app/window/frame/banner.h"
#include "app/window/frame/dock_arrangement.h"
#include "app/window/frame/held_input.h"
#include "app/window/frame/top_bar.h"
#include "app/window/frame/work_line.h"
#include "app/window/help/help_controller.h"
#include "app/window/help/what_is_this.h"
#include "app/window/panes/code_edit_pane.h"
#include "app/window/panes/course_pane.h"
#include "app/window/panes/history_pane.h"
#include "app/window/panes/loop_pane.h"
#include "app/window/panes/nest_pane.h"
#include "app/window/panes/node_panel.h"
#include "app/window/panes/source_pane.h"
#include "app/window/panes/start_page.h"
#include "app/window/tools/compare_window.h"
#include "app/window/tools/layout_window.h"
#include "app/window/tools/like_kernels_window.h"
#include "app/window/tools/passes_window.h"
#include "app/window/tools/player_window.h"
#include "app/window/tools/transfer_window.h"
#include "app/window/tools/waterfall_window.h"
#include "core/support/errors/crash_report.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/code/code_view.h"
#include "widgets/code/languages.h"
#include "widgets/document/action_list.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/files/autosave.h"
#include "widgets/document/files/open_documents.h"
#include "widgets/document/finding_list.h"
#include "widgets/document/machine_code.h"
#include "widgets/document/model.h"
#include "widgets/document/selection.h"
#include "widgets/document/target_source.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/document/work/model_results.h"
#include "widgets/document/work/peer_measuring.h"
#include "widgets/document/work/sealing.h"
#include "widgets/document/work/step_searching.h"
#include "widgets/forms/action_strip.h"
#include "widgets/history/history_view.h"
#include "widgets/history/kernels_view.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/look/theme.h"
#include "widgets/looptree/loop_tree.h"
#include "widgets/models/kernels_model.h"
#include "widgets/models/variants_model.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QScreen>
#include <QSplitter>
#include <QVBoxLayout>

#include <chrono>
#include <utility>

namespace nestwright::app {

using document::Document;

namespace {
constexpr std::chrono::milliseconds saveWait{300}; // of a window that is being closed
constexpr int courseWidth = 386, sidesGap = 8;
constexpr QSize firstSize(1600, 1000); // where the screen has room for it
const QString geometryKey = QStringLiteral("geometry"), docksKey = QStringLiteral("docks"),
              kernelsOrderKey = QStringLiteral("kernelsOrder");
} // namespace

MainWindow::MainWindow(look::Theme &theme, const WindowFolders &folders, bool fresh, QWidget *parent)
    : QMainWindow(parent)
    , m_theme(theme)
    , m_settings(folders.settings, fresh)
    , m_jobs(std::make_unique<jobs::JobRunner>())
    , m_document(new Document(*m_jobs, this))
    , m_model(new document::Model(*m_document, this))
    , m_actions(new document::ActionList(*m_document, this))
    , m_measuring(new document::Measuring(*m_document, this))
    , m_peer(new document::PeerMeasuring(*m_document, *m_measuring, this))
    , m_modelMeasuring(new document::ModelMeasuring(*m_document, *m_model, this))
    , m_modelResults(new document::ModelResults(*m_model, this))
    , m_searching(new document::StepSearching(*m_document, *m_measuring, this))
    , m_source(new document::TargetSource(*m_document, this))
    , m_code(new document::MachineCode(*m_document, this))
    , m_findings(new document::FindingList(*m_document, *m_measuring, this))
    , m_commands(new document::CommandRegistry(this))
    , m_autosave(new document::Autosave(
          *m_document, folders.autosave.isEmpty() ? document::Autosave::defaultFolder() : folders.autosave,
          this))
    , m_documents(new document::OpenDocuments(*m_document, *m_model, *m_autosave, this))
    , m_topBar(new TopBar(*m_document, *m_documents, *m_commands,
                          new WorkLine(*m_document, *m_measuring, *m_modelMeasuring, *m_modelResults,
                                       *m_searching, *m_commands),
                          this))
    , m_sides(new QSplitter(Qt::Horizontal))
    , m_courseCard(new look::Card(tr("Course")))
    , m_docks(new QMainWindow)
    , m_banner(new Banner(this))
    , m_palette(new CommandPalette(*m_commands, this))
{
    setWindowTitle(QStringLiteral("Nestwright[*]"));
    setAcceptDrops(true);
    auto *content = new QWidget(this);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_topBar);
    m_docks->setWindowFlags(Qt::Widget);
    m_docks->setAccessibleName(tr("Panes"));
    m_docks->setContentsMargins(10, 10, 10, 10);
    m_docks->setDockNestingEnabled(true);
    auto *course = new QWidget(m_sides);
    auto *around = new QVBoxLayout(course);
    around->setContentsMargins(10, 10, 0, 10);
    around->addWidget(m_courseCard);
    course->hide();
    m_sides->addWidget(m_docks);
    m_sides->setStretchFactor(1, 1);
    m_sides->setChildrenCollapsible(false);
    m_sides->setHandleWidth(sidesGap);
    layout->addWidget(m_sides, 1);
    setCentralWidget(content);

    makePanes();
    m_startPage = new StartPage(content);
    makeControllers();
    addCommands();
    makeMenus();
    connectDocument();
    connectPanes();
    connectCourse();
    holdInput();
    resize(firstSize.boundedTo(screen()->availableSize()));
    if (!fresh) {
        restoreGeometry(m_settings.value(geometryKey).toByteArray());
        m_arranged = m_arrangement->restore(m_settings.value(docksKey).toByteArray());
        kernelsView()->restoreOrder(m_settings.value(kernelsOrderKey).toByteArray());
        m_files->offerRecovery();
    }
    m_commands->update();
}

MainWindow::~MainWindow()
{
    m_jobs->cancelAll();
    m_scripts.reset(); // it hears of the focus that its editor loses
    delete findChild<CompareWindow *>();
    delete findChild<PlayerWindow *>();
    delete findChild<LayoutWindow *>();
    delete findChild<WaterfallWindow *>();
    delete findChild<TransferWindow *>();
    delete findChild<LikeKernelsWindow *>();
    delete findChild<PassesWindow *>(); // the panes use the jobs and the document, so they go first
    delete takeCentralWidget();
}

void MainWindow::makePanes()
{
    const auto dock = [this](const QString &title, const char *name) {
        return new look::CardDock(title, QString::fromLatin1(name), m_docks);
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
    m_loopPane = new LoopPane(*m_document, *m_actions, *m_code, *m_commands, m_loopDock->header());
    m_loopDock->setContent(m_loopPane);

    m_languages = std::make_shared<code::Languages>();
    m_nestDock = dock(tr("Loop nest"), "nest");
    m_nestPane = new NestPane(*m_document, *m_actions, m_nestDock->header(), m_languages);
    m_nestDock->setContent(m_nestPane);

    m_sourceDock = dock(tr("Target source"), "source");
    m_sourcePane =
        new SourcePane(*m_document, *m_source, *m_code, *m_findings, m_sourceDock->header(), m_languages);
    m_codeEditor = new CodeEditPane(m_languages);
    m_sourcePane->setEditor(m_codeEditor);
    m_sourceDock->setContent(m_sourcePane);

    m_barsDock = dock(tr("Variants"), "variants");
    m_bars = new charts::VariantBars;
    m_bars->setEmptyText(tr("Nothing is measured yet"), tr("Press M to measure the current variant"));
    m_barsDock->setContent(m_bars);

    m_rooflineDock = dock(tr("Roofline"), "roofline");
    m_roofline = new charts::Roofline;
    m_rooflineDock->setContent(m_roofline);

    m_historyDock = dock(tr("History"), "history");
    auto *variants = new models::VariantsModel(*m_document, *m_measuring, this);
    variants->showSeals(*new document::Sealing(*m_document, this));
    auto *kernels = new models::KernelsModel(this);
    m_historyPane = new HistoryPane(*m_document, *m_model, *m_modelMeasuring, *m_autosave, *m_findings,
                                    *variants, *kernels, m_historyDock->header());
    m_historyDock->setContent(m_historyPane);

    m_coursePane = new CoursePane;
    m_courseCard->setContent(m_coursePane);

    m_arrangement = std::make_unique<DockArrangement>(
        m_docks,
        DockArrangement::Row{{m_graphDock, m_loopDock, m_nestDock, m_sourceDock}, {170, 272, 284, 274}},
        DockArrangement::Row{{m_barsDock, m_rooflineDock, m_historyDock}, {355, 215, 430}},
        QList<look::CardDock *>{m_barsDock, m_rooflineDock});
    explainPanes();
}

/// Explanations of panes as a whole, for "What is this?".
void MainWindow::explainPanes()
{
    setHelpAddress(m_graphDock, QStringLiteral("term:kernel"));
    setHelpAddress(m_loopPane, QStringLiteral("term:loop"));
    setHelpAddress(m_nestPane, QStringLiteral("term:loop-nest"));
    setHelpAddress(m_sourceDock, QStringLiteral("term:target-source"));
    setHelpAddress(m_barsDock, QStringLiteral("term:gflops"));
    setHelpAddress(m_rooflineDock, QStringLiteral("term:roofline"));
    setHelpAddress(m_historyPane, QStringLiteral("term:variant"));
    setHelpAddress(m_coursePane, QStringLiteral("term:schedule"));
}

void MainWindow::makeControllers()
{
    WorkLine &workLine = *m_topBar->workLine();
    m_files = std::make_unique<FileController>(*m_documents, *m_document, *m_model, *m_autosave, *m_commands,
                                               m_settings, *m_topBar, *m_startPage, *m_banner, this);
    m_exports = std::make_unique<ExportController>(*m_document, *m_model, *m_measuring, *m_peer, *m_commands,
                                                   m_settings, m_theme, *m_graph, *m_nestPane, *m_banner,
                                                   workLine, this);
    m_measure = std::make_unique<MeasureController>(
        *m_document, *m_model, *m_measuring, *m_peer, *m_modelMeasuring, *m_modelResults, *m_commands,
        m_settings, *m_topBar,
        MeasureController::Charts{*m_bars, *m_barsDock->header(), *m_roofline, *m_rooflineDock->header()},
        this);
    m_models = std::make_unique<ModelController>(
        *m_document, *m_model, *m_modelMeasuring, *m_modelResults, *m_commands, m_settings,
        ModelController::Panes{*m_graph, *m_graphDock->header(), *m_nodePanel}, *m_banner, workLine, this);
    m_stepSearch = std::make_unique<StepSearchCommands>(*m_document, *m_searching, *m_measuring, *m_banner);
    m_placeTrials = std::make_unique<PlaceTrials>(*m_document, *m_measuring, *m_banner);
    m_codeEdits =
        std::make_unique<CodeEditController>(*m_document, *m_measuring, *m_source, *m_sourcePane,
                                             *m_codeEditor, *m_sourceDock, *m_commands, *m_banner, this);
    m_helpController =
        std::make_unique<HelpController>(*m_document, *m_commands, m_settings, *m_loopPane->strip(), this);
    m_course =
        std::make_unique<CourseController>(*m_document, *m_measuring, *m_commands, m_settings, *m_coursePane);
    m_scripts = std::make_unique<ScriptEditController>(*m_document, *m_nestPane, *m_nestDock, *m_commands);
    connect(m_exports.get(), &ExportController::written, this, &MainWindow::exported);
    connect(m_models.get(), &ModelController::written, this, &MainWindow::exported);
    connect(m_placeTrials.get(), &PlaceTrials::shown, this, [this](int variant) {
        m_barsDock->show();
        m_barsDock->raise();
        m_bars->reveal(variant);
    });
    connect(m_measure.get(), &MeasureController::chartsShown, this,
            [this](bool haveData) { m_arrangement->giveChartsRoom(haveData); });
}

/// Shows the course at the left, over the whole height.
void MainWindow::showCourse(bool shown)
{
    QWidget *course = m_courseCard->parentWidget();
    if (shown == course->isHidden()) {
        m_docks->setContentsMargins(shown ? 10 - sidesGap : 10, 10, 10, 10);
        course->setVisible(shown);
        if (shown)
            m_sides->setSizes({courseWidth, m_sides->width() - courseWidth});
        m_arrangement->makeRoom(shown);
    }
    m_commands->update();
}

void MainWindow::documentOpened()
{
    showWindowTitle();
    if (const document::NestPtr &nest = m_document->nest(); nest && !nest->rows.empty())
        m_document->selection().select(nest->rows.front().id);
    m_loopPane->setFocus();
}

/// Named after the file that Save writes, or else what was opened.
void MainWindow::showWindowTitle()
{
    const QString saved = QFileInfo(m_document->sessionPath()).fileName();
    setWindowTitle(tr("%1[*] — Nestwright").arg(saved.isEmpty() ? m_document->title() : saved));
    setWindowModified(m_document->isModified());
}

history::HistoryView *MainWindow::historyView() const { return m_historyPane->history(); }

history::KernelsView *MainWindow::kernelsView() const { return m_historyPane->kernels(); }

HelpWindow *MainWindow::help() const { return m_helpController->help(); }

TermPopup *MainWindow::termPopup() const { return m_helpController->popup(); }

void MainWindow::open(const QString &path) { m_files->open(path); }

void MainWindow::exportTo(const QString &id, const QString &path) { m_exports->exportTo(id, path); }

bool MainWindow::isSettled() const
{
    return !m_document->isBusy() && m_jobs->runningCount() == 0 && !m_measuring->isRunning()
           && !m_modelMeasuring->isRunning() && !m_modelResults->isRunning() && !m_measure->areChartsWaiting()
           && !m_graph->isPainting() && !m_scripts->isPending() && m_held->count() == 0
           && (!m_document->isOpen() || (m_document->nest() && m_actions->isCurrent()));
}

// --- events -----------------------------------------------------------------------------------------------

void MainWindow::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    if (!m_arranged) {
        m_arranged = true;
        m_arrangement->reset();
    }
    m_measure->showChartsSoon();
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    if (m_startPage)
        m_startPage->setGeometry(0, m_topBar->height(), width(), height() - m_topBar->height());
    if (!m_banner->isHidden())
        m_banner->place();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    support::noteStep("close");
    m_codeEdits->keep();
    m_document->cancelWork(); // it would be given up with the window; what waits for its thread can begin
    m_jobs->finishSaves(saveWait);
    // Unsaved changes are kept by the autosave; only when that fails there is something to lose.
    if (!m_autosave->flush() && m_document->isModified()) {
        const auto answer = QMessageBox::warning(
            this, tr("Close without saving?"),
            tr("The session could not be saved automatically. Close and lose the changes?"),
            QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Cancel);
        if (answer != QMessageBox::Discard) {
            event->ignore();
            return;
        }
    }
    m_measuring->cancel();
    m_jobs->cancelAll();
    m_autosave->finish(m_document->isOpen() && m_document->isModified());
    if (!m_settings.isFresh()) {
        m_settings.setValue(geometryKey, saveGeometry());
        m_settings.setValue(docksKey, m_arrangement->save());
        m_settings.setValue(kernelsOrderKey, kernelsView()->saveOrder());
    }
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    for (const QUrl &url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent *event)
{
    for (const QUrl &url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            event->acceptProposedAction();
            open(url.toLocalFile());
            return;
        }
    }
}

} // namespace nestwright::app
