// SPDX-License-Identifier: GPL-3.0-or-later
/// The commands and menus of the window.
#include "app/window/frame/main_window.h"

#include "app/window/commands/code_commands.h"
#include "app/window/commands/command_keys.h"
#include "app/window/commands/command_menu.h"
#include "app/window/commands/command_palette.h"
#include "app/window/commands/finding_commands.h"
#include "app/window/commands/graph_commands.h"
#include "app/window/commands/history_commands.h"
#include "app/window/commands/look_commands.h"
#include "app/window/commands/place_trials.h"
#include "app/window/commands/schedule_commands.h"
#include "app/window/commands/step_search_commands.h"
#include "app/window/commands/target_menu.h"
#include "app/window/commands/window_commands.h"
#include "app/window/controllers/code_edit_controller.h"
#include "app/window/controllers/course_controller.h"
#include "app/window/controllers/export_controller.h"
#include "app/window/controllers/file_controller.h"
#include "app/window/controllers/measure_controller.h"
#include "app/window/controllers/model_controller.h"
#include "app/window/controllers/script_edit_controller.h"
#include "app/window/dialogs/save_recipe_dialog.h"
#include "app/window/frame/dock_arrangement.h"
#include "app/window/frame/top_bar.h"
#include "app/window/frame/work_line.h"
#include "app/window/help/help_controller.h"
#include "app/window/panes/code_edit_pane.h"
#include "app/window/panes/history_pane.h"
#include "app/window/panes/loop_pane.h"
#include "app/window/panes/nest_pane.h"
#include "app/window/panes/source_pane.h"
#include "app/window/tools/compare_window.h"
#include "app/window/tools/layout_window.h"
#include "app/window/tools/like_kernels_window.h"
#include "app/window/tools/player_window.h"
#include "app/window/tools/scaling_window.h"
#include "app/window/tools/transfer_window.h"
#include "app/window/tools/waterfall_window.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"
#include "widgets/history/history_view.h"
#include "widgets/look/card.h"
#include "widgets/looptree/loop_tree.h"

#include <QApplication>
#include <QMenu>

#include <functional>
#include <utility>

namespace nestwright::app {

/// Their order is that of menus, palette and sheet of keys.
void MainWindow::addCommands()
{
    m_files->addFileCommands();
    addWindowCommands(*m_commands, *m_document, *m_documents);
    m_exports->addExportCommands();
    m_files->addDocumentCommands();
    const LikeKernelsWindow::Parts likeKernels{*m_document, *m_model, *m_measuring, *m_modelMeasuring};
    addScheduleCommands(*m_commands, *m_document, *m_loopPane,
                        {.measure = [this] { m_commands->trigger(QStringLiteral("measure.current")); },
                         .ofModel = [this] { return m_model->isOpen() && m_model->kernel() >= 0; },
                         .likeKernels =
                             [this, likeKernels](const session::Recipe &recipe) {
                                 LikeKernelsWindow::open(likeKernels, this, recipe);
                             }});
    addLikeKernelsCommand(*m_commands, likeKernels, this);
    m_placeTrials->addCommand(*m_commands);
    addFindingCommands(*m_commands, *m_document, *m_findings, *m_historyPane);
    addHistoryCommands(*m_commands, *m_document, *m_measuring, *historyView());
    m_stepSearch->addCommands(*m_commands, *historyView());
    addCompareCommand(
        *m_commands, *m_document, *historyView(),
        [this](session::VariantId first, session::VariantId second) {
            CompareWindow::open(*m_document, *m_measuring, m_languages, this)->setSides(first, second);
        });
    addPeerCommands(*m_commands, *m_document, [this](std::optional<measure::PeerLibrary> library) {
        auto *window = CompareWindow::open(*m_document, *m_measuring, m_languages, this);
        if (library)
            window->setSides(m_document->currentId(), *library);
        else
            window->chooseFile(m_document->currentId());
    });
    addWaterfallCommand(*m_commands, *m_document, [this](session::VariantId variant) {
        WaterfallWindow::open(*m_document, *m_measuring, variant, this);
    });
    addSaveRecipeCommand(*m_commands, *m_document, this, [this](const QString &file) {
        m_topBar->workLine()->tellWritten(tr("Saved"), file);
    });
    m_measure->addCommands();
    addTransferCommand(*m_commands, *m_document, *m_measuring, this);
    addScalingCommand(*m_commands, *m_document, *m_measuring, this);
    m_commands->add(
        {.id = QStringLiteral("view.palette"),
         .title = tr("Search commands…"),
         .group = tr("View"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+K")), QKeySequence(QStringLiteral("Ctrl+Shift+P"))},
         .icon = QStringLiteral("search"),
         .run = [this] { m_palette->open(); }});
    addLookCommands(*m_commands, m_settings, m_theme);
    m_exports->addDialectCommands();
    m_exports->addProcessorCommands();
    addSourceCommands(*m_commands, m_settings, *m_source, *m_sourcePane, *m_sourceDock);
    m_codeEdits->addCommands();
    addNestCommands(*m_commands, m_settings, *m_nestPane);
    addPlayerCommand(*m_commands, *m_document, this);
    addLayoutCommand(*m_commands, *m_document, this);
    m_scripts->addCommands();
    m_measure->addViewCommands();
    m_arrangement->addCommands(*m_commands);
    m_models->addViewCommands();
    addGoCommands();
    addGraphCommands(*m_commands, m_settings, *m_graph);
    m_models->addResultCommands();
    m_helpController->addCommands();
    m_course->addCommands();
    installKeys(*this, *m_commands, [this](const document::Command &command) {
        return takesLetters(command.id.startsWith(u"schedule."));
    });
}

void MainWindow::addGoCommands()
{
    struct Pane {
        const char *name;
        look::CardDock *dock;
        QWidget *keys;
    };
    const Pane panes[] = {{"Loops", m_loopDock, m_loopPane->tree()},
                          {"History", m_historyDock, historyView()},
                          {"Graph", m_graphDock, m_graph}};
    int number = 1;
    for (const auto &[name, dock, keys] : panes) {
        m_commands->add({.id = QStringLiteral("view.go.") + QString::fromLatin1(name).toLower(),
                         .title = tr("Go to pane: %1").arg(QString::fromLatin1(name)),
                         .group = tr("View"),
                         .keys = {QKeySequence(QStringLiteral("Ctrl+%1").arg(number++))},
                         .run = [this, dock, keys] {
                             m_arrangement->focus(dock);
                             keys->setFocus(Qt::ShortcutFocusReason);
                         }});
    }
    for (look::CardDock *dock : {m_nestDock, m_sourceDock}) {
        m_commands->add({.id = QStringLiteral("view.go.") + dock->objectName(),
                         .title = tr("Go to pane: %1").arg(dock->windowTitle()),
                         .group = tr("View"),
                         .keys = {QKeySequence(QStringLiteral("Ctrl+%1").arg(number++))},
                         .run = [this, dock] { m_arrangement->focus(dock); }});
    }
}

/// Letters are those of the pane with the focus: steps are for the tree, the nest and the canvas while the
/// tree is in sight, and where text with a caret stands a letter is none of ours.
bool MainWindow::takesLetters(bool isStep) const
{
    const QWidget *focus = QApplication::focusWidget();
    const auto holds = [focus](const QWidget *pane) { return pane == focus || pane->isAncestorOf(focus); };
    if (holds(m_codeEditor) || (holds(m_nestPane) && m_nestPane->isText()))
        return false;
    if (!isStep)
        return true;
    const bool isNobodys = !focus || focus == this;
    if (!isNobodys && !holds(m_loopPane) && !holds(m_nestPane) && !holds(m_graph) && !holds(m_topBar))
        return false;
    const bool isSeen = !m_loopPane->tree()->visibleRegion().isEmpty();
    if (!isSeen && m_document->isOpen())
        m_topBar->workLine()->tell(tr("Steps are for the loops, which are out of sight."), tr("Show them"),
                                   [this] { m_commands->trigger(QStringLiteral("view.go.loops")); });
    return isSeen;
}

void MainWindow::makeMenus()
{
    const auto menu = [this](const std::function<void(QMenu *)> &fill) {
        auto *made = new QMenu(this);
        made->setToolTipsVisible(true);
        connect(made, &QMenu::aboutToShow, this, [made, fill] {
            made->clear();
            fill(made);
        });
        // Assistive technology triggers an entry of an open menu without closing it.
        connect(made, &QMenu::triggered, made, &QWidget::close);
        return made;
    };
    auto *targets = new TargetMenu(*m_document, this);
    m_topBar->setMenus(menu([this](QMenu *to) { m_files->fillOpenMenu(to); }),
                       menu([this](QMenu *to) { m_files->fillExamplesMenu(to); }),
                       menu([targets](QMenu *to) { targets->fill(to); }),
                       menu([this](QMenu *to) { m_exports->fillMenu(to); }),
                       menu([this](QMenu *to) { addAllCommands(to, *m_commands); }));
}

} // namespace nestwright::app
