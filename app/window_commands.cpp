// SPDX-License-Identifier: GPL-3.0-or-later
/// The commands of the window: each once, for menus, keys, palette, toolbar and tests.
#include "app/command_palette.h"
#include "app/dock_arrangement.h"
#include "app/exports.h"
#include "app/libraries_dialog.h"
#include "app/loop_pane.h"
#include "app/main_window.h"
#include "app/nest_pane.h"
#include "app/node_panel.h"
#include "app/passes_window.h"
#include "app/top_bar.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/action_list.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/measuring.h"
#include "widgets/document/model.h"
#include "widgets/document/model_measuring.h"
#include "widgets/document/model_results.h"
#include "widgets/document/open_documents.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/forms/action_strip.h"
#include "widgets/history/history_view.h"
#include "widgets/look/card.h"
#include "widgets/look/theme.h"
#include "widgets/looptree/loop_tree.h"

#include <QAction>
#include <QApplication>
#include <QFileInfo>
#include <QLayout>
#include <QSettings>

#include <algorithm>

namespace nestwright::app {

using document::Command;
using document::toQt;

void MainWindow::addCommands()
{
    addFileCommands();
    addScheduleCommands();
    addMeasureCommands();
    addViewCommands();
    addGraphCommands();
    addResultCommands();
    addHelpCommands();
    installActions();
}

void MainWindow::addFileCommands()
{
    const auto needsKernel = [this] { return m_document->isOpen() ? QString() : tr("Open a kernel first."); };
    m_commands->add({.id = QStringLiteral("file.open"),
                     .title = tr("Open…"),
                     .group = tr("File"),
                     .keys = {QKeySequence::Open},
                     .icon = QStringLiteral("open"),
                     .run = [this] { chooseFile(); }});
    m_commands->add({.id = QStringLiteral("file.save"),
                     .title = tr("Save session"),
                     .group = tr("File"),
                     .keys = {QKeySequence::Save},
                     .icon = QStringLiteral("save"),
                     .run = [this] { save(); },
                     .unavailable = needsKernel});
    m_commands->add({.id = QStringLiteral("file.saveAs"),
                     .title = tr("Save session as…"),
                     .group = tr("File"),
                     .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+S"))},
                     .run = [this] { saveAs(); },
                     .unavailable = needsKernel});
    for (const ExportKind &kind : exportKinds()) {
        QString title = kind.title;
        if (title.size() > 1 && title[1].isLower()) // "schedule script", but "LLVM IR"
            title[0] = title[0].toLower();
        m_commands->add({.id = QStringLiteral("export.") + kind.id,
                         .title = tr("Export %1…").arg(title),
                         .group = tr("Export"),
                         .run = [this, id = kind.id] { chooseExport(id); },
                         .unavailable =
                             [this, needsKernel, why = kind.unavailable, isModel = kind.isModel] {
                                 if (isModel && !m_model->isOpen())
                                     return tr("Open a model first.");
                                 return why.isEmpty() ? needsKernel() : why;
                             }});
    }
    m_commands->add(
        {.id = QStringLiteral("file.stopOpening"),
         .title = tr("Cancel opening or step"),
         .group = tr("File"),
         .icon = QStringLiteral("stop"),
         .run = [this] { m_document->cancelWork(); },
         .unavailable = [this] { return m_document->isBusy() ? QString() : tr("Nothing is at work."); }});
    m_commands->add({.id = QStringLiteral("file.recover"),
                     .title = tr("Recover sessions…"),
                     .group = tr("File"),
                     .run = [this] { showRecovery(); }});
    const auto needsOther = [this] {
        return m_documents->count() > 1 ? QString() : tr("No other document is open.");
    };
    const auto go = [this](int by) {
        const int count = m_documents->count();
        m_documents->activate((m_documents->current() + by + count) % count);
    };
    m_commands->add({.id = QStringLiteral("file.close"),
                     .title = tr("Close document"),
                     .group = tr("File"),
                     .keys = {QKeySequence(QStringLiteral("Ctrl+W"))},
                     .run = [this] { closeDocument(m_documents->current()); },
                     .unavailable = needsOther});
    m_commands->add(
        {.id = QStringLiteral("file.next"),
         .title = tr("Next document"),
         .group = tr("File"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+Tab")), QKeySequence(QStringLiteral("Ctrl+PgDown"))},
         .run = [go] { go(1); },
         .unavailable = needsOther});
    m_commands->add(
        {.id = QStringLiteral("file.previous"),
         .title = tr("Previous document"),
         .group = tr("File"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+Tab")), QKeySequence(QStringLiteral("Ctrl+PgUp"))},
         .run = [go] { go(-1); },
         .unavailable = needsOther});
    m_commands->add({.id = QStringLiteral("file.quit"),
                     .title = tr("Quit"),
                     .group = tr("File"),
                     .keys = {QKeySequence::Quit},
                     .run = [this] { close(); }});
}

void MainWindow::addScheduleCommands()
{
    m_commands->add(
        {.id = QStringLiteral("edit.undo"),
         .title = tr("Undo"),
         .group = tr("Edit"),
         .keys = {QKeySequence::Undo},
         .icon = QStringLiteral("undo"),
         .run = [this] { m_document->undo(); },
         .unavailable =
             [this] { return m_document->canUndo() ? QString() : tr("This is the unscheduled program."); }});
    m_commands->add(
        {.id = QStringLiteral("edit.redo"),
         .title = tr("Redo"),
         .group = tr("Edit"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+Z")), QKeySequence(QStringLiteral("Ctrl+Y"))},
         .icon = QStringLiteral("redo"),
         .run = [this] { m_document->redo(); },
         .unavailable =
             [this] { return m_document->canRedo() ? QString() : tr("Nothing comes after this variant."); }});
    QStringList used{QStringLiteral("M")};
    for (const schedule::Primitive &primitive : schedule::primitives()) {
        if (primitive.isQuery)
            continue;
        Command command{.id = QStringLiteral("schedule.") + toQt(primitive.name),
                        .title = toQt(primitive.title),
                        .group = toQt(schedule::title(primitive.group)),
                        .run = [this, name = primitive.name] { m_loopPane->strip()->trigger(name); }};
        const QString key = toQt(primitive.key);
        if (!key.isEmpty() && !used.contains(key)) {
            used << key;
            command.keys = {QKeySequence(key)};
        }
        // A step that is not legal can be asked for all the same: the strip then says why it is not.
        command.unavailable = [this] {
            return m_document->isOpen() ? QString() : tr("Open a kernel first.");
        };
        m_commands->add(std::move(command));
    }
    const auto needsLoop = [this] {
        const document::NestRow *row =
            m_document->nest() ? m_document->nest()->row(m_document->selection().current()) : nullptr;
        return row && row->kind == document::RowKind::Loop ? QString() : tr("Select a loop first.");
    };
    m_commands->add({.id = QStringLiteral("schedule.moveOut"),
                     .title = tr("Move the loop outwards"),
                     .group = tr("Loops"),
                     .run = [this] { m_loopPane->tree()->moveSelected(-1); },
                     .unavailable = needsLoop});
    m_commands->add({.id = QStringLiteral("schedule.moveIn"),
                     .title = tr("Move the loop inwards"),
                     .group = tr("Loops"),
                     .run = [this] { m_loopPane->tree()->moveSelected(1); },
                     .unavailable = needsLoop});
}

void MainWindow::addMeasureCommands()
{
    const auto needsKernel = [this] { return m_document->isOpen() ? QString() : tr("Open a kernel first."); };
    m_commands->add({.id = QStringLiteral("measure.current"),
                     .title = tr("Measure"),
                     .group = tr("Measure"),
                     .keys = {QKeySequence(Qt::Key_F5), QKeySequence(QStringLiteral("M"))},
                     .icon = QStringLiteral("measure"),
                     .run = [this] { m_measuring->measure({m_document->currentId()}); },
                     .unavailable = needsKernel});
    m_commands->add({.id = QStringLiteral("measure.all"),
                     .title = tr("Measure all variants"),
                     .group = tr("Measure"),
                     .keys = {QKeySequence(QStringLiteral("Shift+F5"))},
                     .run = [this] { m_measuring->measureAll(); },
                     .unavailable = needsKernel});
    m_commands->add({.id = QStringLiteral("measure.inputs"),
                     .title = tr("Inputs of the kernel…"),
                     .group = tr("Measure"),
                     .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+I"))},
                     .run = [this] { askForKernelInputs(); },
                     .unavailable = needsKernel});
    m_commands->add({.id = QStringLiteral("measure.libraries"),
                     .title = tr("Libraries of this kernel…"),
                     .group = tr("Measure"),
                     .run =
                         [this] {
                             auto *dialog = new LibrariesDialog(
                                 m_measuring->libraries(),
                                 QFileInfo(toQt(m_document->session().source().path)).absolutePath(), this);
                             dialog->setAttribute(Qt::WA_DeleteOnClose);
                             connect(dialog, &QDialog::accepted, this,
                                     [this, dialog] { m_measuring->setLibraries(dialog->libraries()); });
                             dialog->open();
                         },
                     .unavailable = needsKernel});
    m_commands->add({.id = QStringLiteral("measure.cancel"),
                     .title = tr("Cancel measuring"),
                     .group = tr("Measure"),
                     .icon = QStringLiteral("stop"),
                     .run =
                         [this] {
                             m_measuring->cancel();
                             m_modelMeasuring->cancel();
                             m_modelResults->cancel();
                         },
                     .unavailable =
                         [this] {
                             return m_measuring->isRunning() || m_modelMeasuring->isRunning()
                                            || m_modelResults->isRunning()
                                        ? QString()
                                        : tr("Nothing is being measured.");
                         }});
    m_commands->add(
        {.id = QStringLiteral("measure.model"),
         .title = tr("Measure the model"),
         .group = tr("Measure"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+F5"))},
         .run = [this] { m_modelMeasuring->measure(); },
         .unavailable = [this] { return m_model->isOpen() ? QString() : tr("Open a model first."); }});
    m_commands->add({.id = QStringLiteral("measure.modelToo"),
                     .title = tr("Measure the model after its kernel"),
                     .group = tr("Measure"),
                     .run =
                         [this] {
                             m_measureModelToo = !m_measureModelToo;
                             if (!m_fresh)
                                 m_settings->setValue(QStringLiteral("measureModelToo"), m_measureModelToo);
                         },
                     .checked = [this] { return m_measureModelToo; }});
}

void MainWindow::addViewCommands()
{
    m_commands->add(
        {.id = QStringLiteral("view.palette"),
         .title = tr("Search commands…"),
         .group = tr("View"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+K")), QKeySequence(QStringLiteral("Ctrl+Shift+P"))},
         .icon = QStringLiteral("search"),
         .run = [this] { m_palette->open(); }});
    const std::pair<const char *, look::Mode> modes[] = {
        {"light", look::Mode::Light}, {"dark", look::Mode::Dark}, {"system", look::Mode::System}};
    for (const auto &[name, mode] : modes) {
        const QString id = QString::fromLatin1(name);
        m_commands->add({.id = QStringLiteral("view.theme.") + id,
                         .title = mode == look::Mode::System  ? tr("Theme as the system's")
                                  : mode == look::Mode::Light ? tr("Light theme")
                                                              : tr("Dark theme"),
                         .group = tr("View"),
                         .run =
                             [this, mode, id] {
                                 m_theme.setMode(mode);
                                 if (!m_fresh)
                                     m_settings->setValue(QStringLiteral("theme"), id);
                             },
                         .checked = [this, mode] { return m_theme.mode() == mode; }});
    }
    addMotionCommand();
    addDialectCommands();
    addSourceCommands();
    addNestCommands();
    addPaneCommands();
}

/// For which version of TVM schedules and programs are written, in exports and in the script beside the
/// program.
void MainWindow::addDialectCommands()
{
    for (const script::Dialect dialect : script::allDialects) {
        const QString name = toQt(script::dialectName(dialect));
        m_commands->add({.id = QStringLiteral("export.dialect.") + name,
                         .title = tr("Write scripts for TVM %1").arg(name),
                         .group = tr("Version of TVM"),
                         .run =
                             [this, dialect, name] {
                                 m_dialect = dialect;
                                 m_nestPane->setDialect(dialect);
                                 if (!m_fresh)
                                     m_settings->setValue(QStringLiteral("dialect"), name);
                             },
                         .checked = [this, dialect] { return m_dialect == dialect; }});
    }
}

void MainWindow::addMotionCommand()
{
    m_commands->add({.id = QStringLiteral("view.reducedMotion"),
                     .title = tr("Reduced motion"),
                     .group = tr("View"),
                     .run =
                         [this] {
                             m_reducedMotion = !m_reducedMotion;
                             m_theme.setReducedMotion(m_reducedMotion);
                             if (!m_fresh)
                                 m_settings->setValue(QStringLiteral("reducedMotion"), m_reducedMotion);
                         },
                     .checked = [this] { return m_reducedMotion; }});
}

void MainWindow::addPaneCommands()
{
    for (look::CardDock *dock :
         {m_graphDock, m_loopDock, m_nestDock, m_sourceDock, m_barsDock, m_rooflineDock, m_historyDock}) {
        m_commands->add({.id = QStringLiteral("view.dock.") + dock->objectName(),
                         .title = tr("Pane: %1").arg(dock->windowTitle()),
                         .group = tr("View"),
                         .run = [this, dock] { m_arrangement->toggle(dock); },
                         .checked = [dock] { return !dock->isHidden(); }});
    }
    m_commands->add({.id = QStringLiteral("view.reset"),
                     .title = tr("Default layout"),
                     .group = tr("View"),
                     .run = [this] { m_arrangement->reset(); }});
    m_commands->add({.id = QStringLiteral("view.maximise"),
                     .title = tr("Maximise the pane, or restore all"),
                     .group = tr("View"),
                     .keys = {QKeySequence(Qt::Key_F11)},
                     .run =
                         [this] {
                             for (look::CardDock *dock : m_docks->findChildren<look::CardDock *>()) {
                                 if (dock->isAncestorOf(focusWidget()))
                                     return m_arrangement->maximise(dock);
                             }
                         },
                     .checked = [this] { return m_arrangement->isMaximised(); }});
    m_commands->add(
        {.id = QStringLiteral("view.node"),
         .title = tr("The selected node"),
         .group = tr("View"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+I"))},
         .run = [this] { showNodePanel(m_nodePanel->isHidden()); },
         .unavailable = [this] { return m_model->isOpen() ? QString() : tr("Open a model first."); },
         .checked = [this] { return !m_nodePanel->isHidden(); }});
    m_commands->add(
        {.id = QStringLiteral("view.passes"),
         .title = tr("Passes over the model…"),
         .group = tr("View"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+G"))},
         .run =
             [this] {
                 auto *passes = findChild<PassesWindow *>();
                 if (!passes)
                     passes = new PassesWindow(*m_jobs, *m_model, this);
                 passes->show();
                 passes->raise();
                 passes->activateWindow();
             },
         .unavailable = [this] { return m_model->isOpen() ? QString() : tr("Open a model first."); }});
    m_commands->add({.id = QStringLiteral("view.fitGraph"),
                     .title = tr("Fit the graph"),
                     .group = tr("View"),
                     .icon = QStringLiteral("fit"),
                     .run = [this] { m_graph->fit(); }});
    const std::pair<const char *, QWidget *> panes[] = {
        {"Loops", m_loopPane->tree()}, {"History", m_history}, {"Graph", m_graph}};
    int number = 1;
    for (const auto &[name, pane] : panes) {
        m_commands->add({.id = QStringLiteral("view.go.") + QString::fromLatin1(name).toLower(),
                         .title = tr("Go to pane: %1").arg(QString::fromLatin1(name)),
                         .group = tr("View"),
                         .keys = {QKeySequence(QStringLiteral("Ctrl+%1").arg(number++))},
                         .run = [pane] { pane->setFocus(Qt::ShortcutFocusReason); }});
    }
}

void MainWindow::installActions()
{
    for (const Command &command : m_commands->all()) {
        if (command.keys.isEmpty())
            continue;
        auto *action = new QAction(command.title, this);
        action->setObjectName(command.id);
        action->setShortcuts(command.keys);
        action->setAutoRepeat(command.id.startsWith(u"edit."));
        const bool isTyped = std::ranges::any_of(command.keys, [](const QKeySequence &key) {
            return key[0].key() < Qt::Key_Escape && !(key[0].keyboardModifiers() & ~Qt::ShiftModifier);
        });
        connect(action, &QAction::triggered, this, [this, isTyped, id = command.id] {
            if (!isTyped || takesLetters(id.startsWith(u"schedule.")))
                m_commands->trigger(id);
        });
        addAction(action);
    }
}

/// Letters are those of the pane with the focus: steps are for the tree, the nest and the canvas, and where
/// text with a caret stands a letter is none of ours.
bool MainWindow::takesLetters(bool isStep) const
{
    const QWidget *focus = QApplication::focusWidget();
    const auto holds = [focus](const QWidget *pane) { return pane == focus || pane->isAncestorOf(focus); };
    if (!focus || focus == this)
        return true;
    if (holds(m_nestPane) && m_nestPane->isText())
        return false;
    return !isStep || holds(m_loopPane) || holds(m_nestPane) || holds(m_graph) || holds(m_topBar);
}

} // namespace nestwright::app
