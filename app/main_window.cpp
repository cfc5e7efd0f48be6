// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/banner.h"
#include "app/command_palette.h"
#include "app/dock_arrangement.h"
#include "app/document_tabs.h"
#include "app/loop_pane.h"
#include "app/nest_pane.h"
#include "app/passes_window.h"
#include "app/present/chart_pages.h"
#include "app/present/graph_pages.h"
#include "app/present/kernel_pages.h"
#include "app/source_pane.h"
#include "app/start_page.h"
#include "app/top_bar.h"
#include "app/work_line.h"
#include "core/lower/kind_name.h"
#include "core/measure/measurer.h"
#include "core/support/crash_report.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/code/difference_view.h"
#include "widgets/code/languages.h"
#include "widgets/document/action_list.h"
#include "widgets/document/autosave.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/file_watch.h"
#include "widgets/document/measuring.h"
#include "widgets/document/model.h"
#include "widgets/document/model_measuring.h"
#include "widgets/document/model_results.h"
#include "widgets/document/open_documents.h"
#include "widgets/document/peer_measuring.h"
#include "widgets/document/selection.h"
#include "widgets/document/target_source.h"
#include "widgets/document/text.h"
#include "widgets/history/kernels_view.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/look/theme.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <chrono>

namespace nestwright::app {

using document::Document;

namespace {
constexpr int chartsEveryMs = 40;
constexpr std::chrono::milliseconds saveWait{300}; // of a window that is being closed
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
    , m_peer(new document::PeerMeasuring(*m_document, *m_measuring, this))
    , m_modelMeasuring(new document::ModelMeasuring(*m_document, *m_model, this))
    , m_modelResults(new document::ModelResults(*m_model, this))
    , m_source(new document::TargetSource(*m_document, this))
    , m_commands(new document::CommandRegistry(this))
    , m_autosave(new document::Autosave(
          *m_document, folders.autosave.isEmpty() ? document::Autosave::defaultFolder() : folders.autosave,
          this))
    , m_documents(new document::OpenDocuments(*m_document, *m_model, *m_autosave, this))
    , m_fileWatch(new document::FileWatch(this))
    , m_languages(std::make_shared<code::Languages>())
    , m_topBar(new TopBar(
          *m_document, *m_documents, *m_commands,
          new WorkLine(*m_document, *m_measuring, *m_modelMeasuring, *m_modelResults, *m_commands), this))
    , m_docks(new QMainWindow)
    , m_startPage(nullptr)
    , m_banner(new Banner(this))
    , m_palette(new CommandPalette(*m_commands, this))
    , m_chartsWait(new QTimer(this))
{
    m_chartsWait->setSingleShot(true);
    m_chartsWait->setInterval(chartsEveryMs);
    connect(m_chartsWait, &QTimer::timeout, this, &MainWindow::showCharts);
    setWindowTitle(QStringLiteral("Nestwright[*]"));
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
        const std::string dialect = m_settings->value(QStringLiteral("dialect")).toString().toStdString();
        m_dialect = script::findDialect(dialect).value_or(m_dialect);
        m_nestPane->setDialect(m_dialect);
        m_sourcePane->setForms(m_settings->value(QStringLiteral("sourceForms")).toStringList());
        m_nestPane->setGridsSplit(m_settings->value(QStringLiteral("splitGrids"), false).toBool());
        m_nestPane->difference()->setSideBySide(
            m_settings->value(QStringLiteral("sideBySide"), false).toBool());
        m_measureModelToo = m_settings->value(QStringLiteral("measureModelToo"), true).toBool();
        restoreGeometry(m_settings->value(QStringLiteral("geometry")).toByteArray());
        m_arranged = m_arrangement->restore(m_settings->value(QStringLiteral("docks")).toByteArray());
        m_kernelsView->restoreOrder(m_settings->value(QStringLiteral("kernelsOrder")).toByteArray());
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

void MainWindow::connectDocument()
{
    connect(m_document, &Document::opened, this, &MainWindow::documentOpened);
    connect(m_document, &Document::openFailed, this, [this](const support::Diagnostic &diagnostic) {
        m_opening.clear();
        m_banner->showError(diagnostic);
    });
    connect(m_document, &Document::failed, m_banner, &Banner::showError);
    connect(m_topBar->tabs(), &DocumentTabs::closeWanted, this, &MainWindow::closeDocument);
    connect(m_document, &Document::changedOnDisk, this, &MainWindow::askAboutChangedFile);
    connect(m_fileWatch, &document::FileWatch::changed, this, &MainWindow::offerChangedFile);
    connect(m_document, &Document::workCancelled, this, [this] { m_opening.clear(); });
    connect(m_document, &Document::busyChanged, m_commands, &document::CommandRegistry::update);
    connect(m_autosave, &document::Autosave::failed, this, [this](const QString &message) {
        m_banner->showInfo(tr("Changes could not be kept automatically"), message);
    });
    connect(m_document, &Document::saved, this, [this](const QString &path) {
        remember(path);
        showWindowTitle();
        showHistoryHeader();
    });
    connect(m_document, &Document::modifiedChanged, this,
            [this] { setWindowModified(m_document->isModified()); });
    connect(m_document, &Document::currentChanged, this, [this] {
        showChartsSoon();
        showStages();
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
    connect(m_document, &Document::inputsChanged, this, &MainWindow::showChartHeaders);
    connect(m_document, &Document::inputsChanged, this, &MainWindow::showChartsSoon);
    connect(&m_document->selection(), &document::Selection::changed, this, &MainWindow::showGraph);
}

void MainWindow::documentOpened()
{
    if (!m_opening.isEmpty() && m_model->kernel() < 0)
        remember(m_opening);
    const session::Source &source = m_document->session().source();
    QString origin = m_documents->at(m_documents->current()).origin; // of one that was parked, or goes on
    if (origin.isEmpty())
        origin = m_opening;
    if (origin.isEmpty())
        origin = QString::fromStdString(m_model->kernel() >= 0 ? m_model->model().path : source.path);
    if (origin.isEmpty())
        origin = QString::fromStdString(source.text);
    m_autosave->setOrigin(origin);
    m_documents->setOrigin(origin);
    m_opening.clear();
    m_startPage->hide();
    m_banner->hide();
    m_fileWatch->setPath(
        QString::fromStdString(m_model->kernel() >= 0 ? m_model->model().path : source.path));
    showWindowTitle();
    showStages();
    if (const document::NestPtr &nest = m_document->nest(); nest && !nest->rows.empty())
        m_document->selection().select(nest->rows.front().id);
    m_loopPane->setFocus();
    showBroughtBack();
}

/// Named after the file that Save writes, or else what was opened.
void MainWindow::showWindowTitle()
{
    const QString saved = QFileInfo(m_document->sessionPath()).fileName();
    setWindowTitle(tr("%1[*] — Nestwright").arg(saved.isEmpty() ? m_document->title() : saved));
    setWindowModified(m_document->isModified());
}

void MainWindow::showChartsSoon()
{
    if (!m_chartsWait->isActive())
        m_chartsWait->start();
}

void MainWindow::showCharts()
{
    m_bars->setData(barsOf(*m_document, *m_measuring, *m_peer));
    m_roofline->setData(rooflineOf(*m_document, *m_measuring));
    m_arrangement->giveChartsRoom(!m_bars->data().bars.empty());
    showChartHeaders();
}

void MainWindow::showHistoryHeader()
{
    if (!m_document->isOpen())
        return;
    int measured = 0, verified = 0, stored = 0, disturbed = 0;
    for (const session::Variant &variant : m_document->tree().all()) {
        if (!variant.measurement)
            continue;
        ++measured;
        stored += variant.measurement->stored ? 1 : 0;
        disturbed += variant.measurement->disturbed ? 1 : 0;
        const bool isOfNow = !m_document->session().hasOtherInputs(*variant.measurement);
        verified += variant.measurement->isVerified() && isOfNow ? 1 : 0;
    }
    QStringList facts;
    if (m_modelMeasuring->last())
        facts << modelTimeText(*m_modelMeasuring);
    if (measured == 0)
        facts << tr("nothing measured yet: M measures");
    else
        facts << tr("%1 of %2 verified").arg(verified).arg(measured);
    if (stored > 0)
        facts << tr("%1 not checked here").arg(stored);
    if (disturbed > 0)
        facts << tr("%1 on a busy machine").arg(disturbed);
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

QString MainWindow::targetText() const
{
    const lower::Target &target = m_document->session().target();
    QString text = document::toQt(lower::kindName(target.kind));
    if (!target.mcpu.empty())
        text += u' ' + QString::fromStdString(target.mcpu);
    if (!target.arch.empty())
        text += u' ' + QString::fromStdString(target.arch);
    if (!target.isGpu())
        text += QStringLiteral(" · ") + document::counted(measure::threadsOf(target), tr("thread"));
    return text;
}

void MainWindow::showTarget()
{
    m_topBar->setTarget(targetText());
    showCharts();
    showHistoryHeader();
    m_commands->update();
}

bool MainWindow::isSettled() const
{
    return !m_document->isBusy() && m_jobs->runningCount() == 0 && !m_measuring->isRunning()
           && !m_modelMeasuring->isRunning() && !m_modelResults->isRunning() && !m_chartsWait->isActive()
           && !m_graph->isPainting()
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
    showChartsSoon();
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
    m_document->cancelWork(); // it would be given up with the window; what waits for its thread can begin
    m_jobs->finishSaves(saveWait);
    // What is not saved by the user is kept by the autosave; only when that fails there is something to lose.
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
    if (!m_fresh) {
        m_settings->setValue(QStringLiteral("geometry"), saveGeometry());
        m_settings->setValue(QStringLiteral("docks"), m_arrangement->save());
        m_settings->setValue(QStringLiteral("kernelsOrder"), m_kernelsView->saveOrder());
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
