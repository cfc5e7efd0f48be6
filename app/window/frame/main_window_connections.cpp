// SPDX-License-Identifier: GPL-3.0-or-later
/// Connections of the window's parts to each other, and the order of what its user does.
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
#include "app/window/frame/click_meanings.h"
#include "app/window/frame/dock_arrangement.h"
#include "app/window/frame/held_input.h"
#include "app/window/frame/top_bar.h"
#include "app/window/frame/work_line.h"
#include "app/window/help/help_controller.h"
#include "app/window/panes/code_edit_pane.h"
#include "app/window/panes/course_pane.h"
#include "app/window/panes/history_pane.h"
#include "app/window/panes/loop_pane.h"
#include "app/window/panes/nest_pane.h"
#include "app/window/panes/source_pane.h"
#include "app/window/panes/start_page.h"
#include "app/window/tools/compare_window.h"
#include "app/window/tools/layout_window.h"
#include "app/window/tools/like_kernels_window.h"
#include "app/window/tools/passes_window.h"
#include "app/window/tools/player_window.h"
#include "app/window/tools/transfer_window.h"
#include "app/window/tools/waterfall_window.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/code/code_view.h"
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
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/document/work/model_results.h"
#include "widgets/document/work/peer_measuring.h"
#include "widgets/document/work/sealing.h"
#include "widgets/document/work/step_searching.h"
#include "widgets/forms/action_strip.h"
#include "widgets/history/history_view.h"
#include "widgets/history/kernels_view.h"
#include "widgets/history/problems_view.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/look/theme.h"
#include "widgets/looptree/loop_tree.h"
#include "widgets/models/variants_model.h"
#include <QMenu>
#include <QTableView>
#include <chrono>
#include <utility>

namespace nestwright::app {

using document::Document;

void MainWindow::connectDocument()
{
    connect(m_document, &Document::opened, this, &MainWindow::documentOpened);
    connect(m_document, &Document::saved, this, &MainWindow::showWindowTitle);
    connect(m_document, &Document::modifiedChanged, this,
            [this] { setWindowModified(m_document->isModified()); });
    connect(m_document, &Document::failed, m_banner, &Banner::showError);
    connect(m_document, &Document::stepRefused, this, [this](const support::Diagnostic &diagnostic) {
        std::vector<Banner::Button> buttons;
        if (m_document->fix())
            buttons.push_back({tr("Apply: %1").arg(QString::fromStdString(m_document->fix()->title)),
                               [this] { m_document->applyFix(); }});
        m_banner->showProblem(diagnostic, buttons);
    });
    connect(m_document, &Document::dropped, this,
            [this](const support::Diagnostic &why) { m_banner->showProblem(why, {}); });
    connect(m_document, &Document::editStopped, this, [this](const support::Diagnostic &diagnostic) {
        std::vector<Banner::Button> buttons; // the steps left stay at hand in the menu as well
        if (const std::size_t left = m_document->rest().size(); left > 1)
            buttons.push_back({tr("Leave it out and go on: %1 left")
                                   .arg(document::counted(static_cast<int>(left - 1), tr("step"))),
                               [this] { m_document->goOn(true); }});
        m_banner->showProblem(diagnostic, buttons);
    });
    connect(m_document, &Document::busyChanged, m_commands, &document::CommandRegistry::update);
    connect(m_document, &Document::currentChanged, m_commands, &document::CommandRegistry::update);
    connect(m_actions, &document::ActionList::changed, m_commands, &document::CommandRegistry::update);
}

void MainWindow::connectPanes()
{
    connect(historyView(), &history::HistoryView::menuRequested, this, [this](int variant, const QPoint &at) {
        const auto compare = [this](session::VariantId with) {
            CompareWindow::open(*m_document, *m_measuring, m_languages, this)
                ->setSides(with, m_document->currentId());
        };
        VariantMenu(variant, *m_document, *m_measuring, *m_nestPane, *m_exports, *m_stepSearch, compare, this)
            .exec(at);
    });
    connect(historyView(), &history::HistoryView::dropped, this,
            [this](int variant, int onto, const QPoint &at) {
                QMenu menu(this);
                if (addEditsOnto(menu, *m_document, {variant}, {onto}) > 0)
                    menu.exec(at);
            });
    connect(historyView(), &history::HistoryView::refusedChosen, this,
            [this](int variant) { m_banner->showError(m_document->tree().at({variant}).state.error()); });
    connect(m_historyPane->problems(), &history::ProblemsView::comparisonChosen, this,
            [this](int before) { m_nestPane->compareWith({before}); });
    connect(m_graph, &canvas::GraphCanvas::openRequested, m_files.get(), &FileController::chooseFile);
    connect(kernelsView(), &history::KernelsView::menuRequested, this, [this](const QPoint &at) {
        QMenu menu(this);
        menu.setToolTipsVisible(true);
        app::addCommands(&menu, *m_commands,
                         {QStringLiteral("schedule.recipe"), QStringLiteral("schedule.likeKernels")});
        menu.exec(at);
    });
}

void MainWindow::connectCourse()
{
    connect(m_course.get(), &CourseController::openWanted, m_files.get(), &FileController::open);
    connect(m_course.get(), &CourseController::failed, m_banner, &Banner::showError);
    connect(m_course.get(), &CourseController::paneWanted, this, &MainWindow::showCourse);
    // Panes that it covers take no keys, and are nothing to read.
    connect(m_startPage, &StartPage::covers, m_docks, &QWidget::setDisabled);
    connect(m_startPage, &StartPage::courseRequested, m_course.get(), &CourseController::begin);
    connect(m_coursePane, &CoursePane::termWanted, m_helpController.get(), &HelpController::explain);
}

/// Keys and clicks are for the program that they were made in sight of, and for what those before make of it.
void MainWindow::holdInput()
{
    m_held = new HeldInput(*this, [this] {
        return (m_document->isBusy() && m_document->opening().isEmpty()) || m_loopPane->strip()->isWaiting();
    });
    m_held->exempt(m_topBar->workLine());
    holdClicks(*m_held, *m_document, *m_loopPane->tree());
    holdClicks(*m_held, *m_document, *m_nestPane->view());
    holdClicks(*m_held, *historyView());
    holdClicks(*m_held, *m_historyPane->problems());
    holdClicks(*m_held, *kernelsView()->table());
    holdClicks(*m_held, *m_bars);
    holdClicks(*m_held, *m_roofline);
    holdClicks(*m_held, *m_graph);
    holdClicks(*m_held, *m_documents, *m_topBar->tabs());
    for (const look::CardDock *dock :
         {m_graphDock, m_loopDock, m_nestDock, m_sourceDock, m_barsDock, m_rooflineDock, m_historyDock})
        holdClicks(*m_held, *dock->header());
    connect(m_document, &Document::busyChanged, m_held, [this] {
        if (!m_document->opening().isEmpty()) // what waits is for what is open until then
            m_held->drop();
        m_held->release();
    });
    connect(m_document, &Document::workCancelled, m_held, &HeldInput::drop);
    connect(m_document, &Document::leaving, m_held, &HeldInput::drop);
    connect(m_loopPane->strip(), &forms::ActionStrip::begun, m_held, &HeldInput::release);
    connect(m_actions, &document::ActionList::changed, m_held, &HeldInput::release);
    for (const auto ended : {&jobs::JobRunner::finished, &jobs::JobRunner::cancelled}) // none may come of it
        connect(m_jobs.get(), ended, m_held, &HeldInput::release);
    connect(m_held, &HeldInput::dropped, this, [this] {
        m_banner->showProblem(support::diagnostic("window.dropped", "keys and clicks that waited will not be "
                                                                    "carried out: the work that they "
                                                                    "waited for was cancelled")
                                  .withHint("make them again where they are still meant"),
                              {});
    });
}

} // namespace nestwright::app
