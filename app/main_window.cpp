// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/banner.h"
#include "app/chart_pages.h"
#include "app/command_palette.h"
#include "app/graph_pages.h"
#include "app/loop_pane.h"
#include "app/nest_pane.h"
#include "app/node_panel.h"
#include "app/passes_window.h"
#include "app/source_pane.h"
#include "app/start_page.h"
#include "app/top_bar.h"
#include "core/measure/measurer.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/code/languages.h"
#include "widgets/document/action_list.h"
#include "widgets/document/autosave.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/measuring.h"
#include "widgets/document/model.h"
#include "widgets/document/model_measuring.h"
#include "widgets/document/model_results.h"
#include "widgets/document/selection.h"
#include "widgets/document/target_source.h"
#include "widgets/forms/action_strip.h"
#include "widgets/history/history_view.h"
#include "widgets/history/kernels_view.h"
#include "widgets/history/problems_view.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/look/theme.h"
#include "widgets/models/kernels_model.h"
#include "widgets/models/variants_model.h"

#include <QClipboard>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <utility>

namespace nestwright::app {

using document::Document;

namespace {
constexpr int chartsEveryMs = 40;
} // namespace

MainWindow::MainWindow(look::Theme &theme, const WindowFolders &folders, bool fresh, QWidget *parent)
    : QMainWindow(parent)
    , m_theme(theme)
    , m_settings(folders.settings.isEmpty()
                     ? std::make_unique<QSettings>()
                     : std::make_unique<QSettings>(folders.settings, QSettings::IniFormat))
    , m_fresh(fresh)
    , m_jobs(std::make_unique<jobs::JobRunner>())
    , m_document(new Document(*m_jobs, this))
    , m_model(new document::Model(*m_document, this))
    , m_actions(new document::ActionList(*m_document, this))
    , m_measuring(new document::Measuring(*m_document, this))
    , m_modelMeasuring(new document::ModelMeasuring(*m_document, *m_model, this))
    , m_modelResults(new document::ModelResults(*m_model, this))
    , m_source(new document::TargetSource(*m_document, this))
    , m_commands(new document::CommandRegistry(this))
    , m_autosave(new document::Autosave(
          *m_document, folders.autosave.isEmpty() ? document::Autosave::defaultFolder() : folders.autosave,
          this))
    , m_languages(std::make_shared<code::Languages>())
    , m_topBar(new TopBar(*m_document, *m_measuring, *m_commands, this))
    , m_docks(new QMainWindow)
    , m_startPage(nullptr)
    , m_banner(new Banner(this))
    , m_palette(new CommandPalette(*m_commands, this))
    , m_chartsWait(new QTimer(this))
{
    m_chartsWait->setSingleShot(true);
    m_chartsWait->setInterval(chartsEveryMs);
    connect(m_chartsWait, &QTimer::timeout, this, &MainWindow::showCharts);
    setWindowTitle(QStringLiteral("Nestwright"));
    setAcceptDrops(true);
    auto *content = new QWidget(this);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_topBar);
    m_docks->setWindowFlags(Qt::Widget);
    m_docks->setContentsMargins(10, 10, 10, 10);
    m_docks->setDockNestingEnabled(true);
    layout->addWidget(m_docks, 1);
    setCentralWidget(content);

    makePanes();
    makeDocks();
    m_startPage = new StartPage(content);
    addCommands();
    makeMenus();
    connectDocument();
    connectPanes();
    connectModel();
    if (!m_fresh) {
        m_startPage->setRecent(recent());
        m_reducedMotion = m_settings->value(QStringLiteral("reducedMotion"), false).toBool();
        m_theme.setReducedMotion(m_reducedMotion);
        m_measureModelToo = m_settings->value(QStringLiteral("measureModelToo"), true).toBool();
        restoreGeometry(m_settings->value(QStringLiteral("geometry")).toByteArray());
        m_arranged = m_docks->restoreState(m_settings->value(QStringLiteral("docks")).toByteArray(), 1);
        offerRecovery();
    }
    m_commands->update();
}

MainWindow::~MainWindow()
{
    m_jobs->cancelAll();
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
    m_barsDock->header()->setSecondary(tr("GFLOPS · median, 95 % interval · higher is better"));

    m_rooflineDock = dock(tr("Roofline"), "roofline");
    m_roofline = new charts::Roofline;
    m_roofline->setEmptyText(tr("Nothing is measured yet"), tr("It shows what memory and arithmetic allow"));
    m_rooflineDock->setContent(m_roofline);
    m_rooflineDock->header()->setSecondary(tr("log–log"));

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
}

void MainWindow::makeDocks()
{
    m_docks->addDockWidget(Qt::TopDockWidgetArea, m_graphDock);
    m_docks->splitDockWidget(m_graphDock, m_loopDock, Qt::Horizontal);
    m_docks->splitDockWidget(m_loopDock, m_nestDock, Qt::Horizontal);
    m_docks->splitDockWidget(m_nestDock, m_sourceDock, Qt::Horizontal);
    m_docks->addDockWidget(Qt::BottomDockWidgetArea, m_barsDock);
    m_docks->splitDockWidget(m_barsDock, m_rooflineDock, Qt::Horizontal);
    m_docks->splitDockWidget(m_rooflineDock, m_historyDock, Qt::Horizontal);
}

void MainWindow::arrangeDefault()
{
    const int width = m_docks->width() - 20 - 24;
    const int height = m_docks->height() - 20 - 8;
    const bool small = height < 700;
    m_docks->resizeDocks({m_graphDock, m_loopDock, m_nestDock, m_sourceDock},
                         {width * 190 / 1000, width * 268 / 1000, width * 271 / 1000, width * 271 / 1000},
                         Qt::Horizontal);
    m_docks->resizeDocks({m_barsDock, m_rooflineDock, m_historyDock},
                         {width * 355 / 1000, width * 215 / 1000, width * 430 / 1000}, Qt::Horizontal);
    const int top = height * (small ? 66 : 65) / 100;
    m_docks->resizeDocks({m_graphDock, m_barsDock}, {top, height - top}, Qt::Vertical);
}

void MainWindow::connectDocument()
{
    connect(m_document, &Document::opened, this, &MainWindow::documentOpened);
    connect(m_document, &Document::openFailed, this, [this](const support::Diagnostic &diagnostic) {
        m_opening.clear();
        m_banner->showError(diagnostic);
    });
    connect(m_document, &Document::failed, m_banner, &Banner::showError);
    connect(m_document, &Document::saved, this, [this](const QString &path) {
        remember(path);
        showHistoryHeader();
    });
    connect(m_document, &Document::currentChanged, this, [this] {
        showChartsSoon();
        showGraph();
        showHistoryHeader();
        m_commands->update();
    });
    connect(m_document, &Document::measurementChanged, this, &MainWindow::showChartsSoon);
    connect(m_document, &Document::measurementChanged, this, &MainWindow::showHistoryHeader);
    connect(m_document, &Document::problemsChanged, this, &MainWindow::showHistoryHeader);
    connect(m_document, &Document::stepRefused, this, [this](const support::Diagnostic &diagnostic) {
        std::vector<Banner::Button> buttons;
        if (m_document->fix())
            buttons.push_back({tr("Apply: %1").arg(QString::fromStdString(m_document->fix()->title)),
                               [this] { m_document->applyFix(); }});
        m_banner->showProblem(diagnostic, buttons);
    });
    connect(m_document, &Document::targetChanged, this, &MainWindow::showTarget);
    connect(&m_document->selection(), &document::Selection::changed, this, &MainWindow::showGraph);
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
    connect(m_actions, &document::ActionList::changed, m_commands, &document::CommandRegistry::update);
    connect(m_autosave, &document::Autosave::savedNow, this, &MainWindow::showHistoryHeader);
    connect(m_bars, &charts::ChartPane::selected, this, [this](int id) { m_document->jumpTo({id}); });
    connect(m_roofline, &charts::ChartPane::selected, this, [this](int id) { m_document->jumpTo({id}); });
    connect(m_history, &history::HistoryView::menuRequested, this, &MainWindow::showVariantMenu);
    connect(m_history, &history::HistoryView::refusedChosen, this,
            [this](int variant) { m_banner->showError(m_document->tree().at({variant}).state.error()); });
    connect(m_startPage, &StartPage::openRequested, this, &MainWindow::chooseFile);
    connect(m_startPage, &StartPage::fileChosen, this, &MainWindow::open);
    connect(m_graph, &canvas::GraphCanvas::openRequested, this, &MainWindow::chooseFile);
}

void MainWindow::documentOpened()
{
    if (!m_opening.isEmpty() && m_model->kernel() < 0)
        remember(m_opening);
    m_opening.clear();
    m_startPage->hide();
    m_banner->hide();
    setWindowTitle(tr("%1 — Nestwright").arg(m_document->title()));
    if (m_model->kernel() < 0)
        showCanvas(graphOf(m_document->session().graph()),
                   static_cast<int>(m_document->tree().root().state->module.functions().size()));
    if (const document::NestPtr &nest = m_document->nest(); nest && !nest->rows.empty())
        m_document->selection().select(nest->rows.front().id);
    m_loopPane->setFocus();
}

void MainWindow::showChartsSoon()
{
    if (!m_chartsWait->isActive())
        m_chartsWait->start();
}

void MainWindow::showCharts()
{
    m_bars->setData(barsOf(*m_document, *m_measuring));
    m_roofline->setData(rooflineOf(*m_document, *m_measuring));
}

void MainWindow::showHistoryHeader()
{
    if (!m_document->isOpen())
        return;
    int measured = 0;
    int verified = 0;
    for (const session::Variant &variant : m_document->tree().all()) {
        measured += variant.measurement ? 1 : 0;
        verified += variant.measurement && variant.measurement->verdict == measure::Verdict::Verified ? 1 : 0;
    }
    QStringList facts;
    if (m_modelMeasuring->last())
        facts << modelTimeText(*m_modelMeasuring);
    if (measured > 0)
        facts << tr("%1 of %2 verified").arg(verified).arg(measured);
    if (!m_document->isModified() && !m_document->sessionPath().isEmpty())
        facts << tr("saved");
    else if (m_autosave->isUpToDate())
        facts << tr("autosaved");
    m_historyDock->header()->setSecondary(facts.join(QStringLiteral(" · ")));
    const auto problems = static_cast<int>(m_document->problems().size());
    QStringList tabs{tr("variants"), problems > 0 ? tr("problems %1").arg(problems) : tr("problems")};
    if (m_model->isOpen())
        tabs << tr("kernels");
    m_historyDock->header()->setTabs(tabs, m_historyPages->currentIndex());
}

void MainWindow::showTarget()
{
    const lower::Target &target = m_document->session().target();
    QString text;
    switch (target.kind) {
    case lower::TargetKind::Llvm: text = QStringLiteral("llvm"); break;
    case lower::TargetKind::C: text = QStringLiteral("c"); break;
    case lower::TargetKind::OpenCl: text = QStringLiteral("opencl"); break;
    case lower::TargetKind::Cuda: text = QStringLiteral("cuda"); break;
    }
    if (!target.mcpu.empty())
        text += u' ' + QString::fromStdString(target.mcpu);
    if (!target.arch.empty())
        text += u' ' + QString::fromStdString(target.arch);
    if (!target.isGpu())
        text += QStringLiteral(" · ") + document::counted(measure::threadsOf(target), tr("thread"));
    m_topBar->setTarget(text);
    m_commands->update();
}

bool MainWindow::isSettled() const
{
    return !m_document->isBusy() && m_jobs->runningCount() == 0 && !m_measuring->isRunning()
           && !m_modelMeasuring->isRunning() && !m_modelResults->isRunning() && !m_chartsWait->isActive()
           && !m_graph->isPainting()
           && (!m_document->isOpen() || (m_document->nest() && m_actions->isCurrent()));
}

// --- events ---------------------------------------------------------------------------------------------------------

void MainWindow::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    if (!m_arranged) {
        m_arranged = true;
        m_docks->layout()->activate();
        arrangeDefault();
    }
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    if (m_startPage)
        m_startPage->setGeometry(0, m_topBar->height(), width(), height() - m_topBar->height());
    if (m_banner->isVisible())
        m_banner->place();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    // What is not saved by the user is kept by the autosave; only when that fails there is something to lose.
    if (m_document->isModified() && !m_autosave->flush()) {
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
    m_autosave->finish(m_document->isOpen() && m_document->isModified());
    if (!m_fresh) {
        m_settings->setValue(QStringLiteral("geometry"), saveGeometry());
        m_settings->setValue(QStringLiteral("docks"), m_docks->saveState(1));
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

void MainWindow::offerRecovery()
{
    const std::vector<document::LeftBehind> left = m_autosave->leftBehind();
    if (left.empty())
        return;
    const document::LeftBehind &newest = left.front();
    m_banner->showInfo(tr("There is a session that was not saved"),
                       tr("It was kept on %1.").arg(QLocale().toString(newest.when, QLocale::ShortFormat)),
                       {{tr("Restore"),
                         [this, newest] {
                             if (session::isModelProject(newest.path.toStdString()))
                                 m_model->recover(newest.path);
                             else
                                 m_document->recover(newest.path);
                         }},
                        {tr("Discard"), [left] {
                             for (const document::LeftBehind &each : left)
                                 document::Autosave::discard(each);
                         }}});
}

void MainWindow::showVariantMenu(int variant, const QPoint &at)
{
    const session::Variant &chosen = m_document->tree().at({variant});
    QMenu menu(this);
    QAction *jump =
        menu.addAction(tr("Go to this variant"), this, [this, variant] { m_document->jumpTo({variant}); });
    QAction *measure =
        menu.addAction(tr("Measure"), this, [this, variant] { m_measuring->measure({{variant}}); });
    QAction *script = menu.addAction(tr("Copy schedule script"), this, [this, variant] {
        if (const auto text = m_document->session().exportSchedule({variant}))
            QGuiApplication::clipboard()->setText(QString::fromStdString(*text));
    });
    menu.addSeparator();
    QAction *save = menu.addAction(tr("Export schedule script…"), this, [this, variant] {
        m_document->jumpTo({variant});
        chooseExport(QStringLiteral("schedule"));
    });
    for (QAction *action : {jump, measure, script, save})
        action->setEnabled(chosen.ok());
    if (!chosen.ok())
        menu.addAction(tr("Copy the reason"), this, [diagnostic = chosen.state.error()] {
            QGuiApplication::clipboard()->setText(QString::fromStdString(diagnostic.render()));
        });
    menu.exec(at);
}

} // namespace nestwright::app
