// SPDX-License-Identifier: GPL-3.0-or-later
/// The menus of the window, filled from the commands whenever they open, and that of a variant.
#include "app/examples.h"
#include "app/exports.h"
#include "app/main_window.h"
#include "app/nest_pane.h"
#include "app/target_dialog.h"
#include "app/top_bar.h"
#include "core/backend/backend.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/measuring.h"
#include "widgets/document/model.h"
#include "widgets/document/open_documents.h"
#include "widgets/document/text.h"
#include "widgets/look/icons.h"
#include "widgets/look/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

namespace nestwright::app {

using document::toQt;

using document::Command;

void MainWindow::makeMenus()
{
    const auto menu = [this](auto fill) {
        auto *made = new QMenu(this);
        made->setToolTipsVisible(true);
        connect(made, &QMenu::aboutToShow, this, [this, made, fill] {
            made->clear();
            (this->*fill)(made);
        });
        return made;
    };
    m_topBar->setMenus(menu(&MainWindow::fillOpenMenu), menu(&MainWindow::fillExamplesMenu),
                       menu(&MainWindow::fillTargetMenu), menu(&MainWindow::fillExportMenu),
                       menu(&MainWindow::fillMainMenu));
}

void MainWindow::fillMenu(QMenu *menu, const QStringList &ids)
{
    for (const QString &id : ids) {
        const Command *command = m_commands->find(id);
        if (!command) {
            menu->addSeparator();
            continue;
        }
        QAction *action = menu->addAction(command->title, this, [this, id] { m_commands->trigger(id); });
        action->setObjectName(QStringLiteral("menu.") + id);
        if (!command->icon.isEmpty())
            action->setIcon(look::icon(command->icon));
        if (!command->keys.isEmpty())
            action->setShortcut(command->keys.front());
        action->setShortcutContext(Qt::WidgetShortcut); // shown only: the window's own action has the key
        const QString reason = m_commands->reason(id);
        action->setEnabled(reason.isEmpty());
        action->setToolTip(reason);
        if (command->checked) {
            action->setCheckable(true);
            action->setChecked(command->checked());
        }
    }
}

void MainWindow::fillOpenMenu(QMenu *menu)
{
    fillMenu(menu,
             {QStringLiteral("file.open"), {}, QStringLiteral("file.save"), QStringLiteral("file.saveAs")});
    fillExamplesMenu(menu->addMenu(tr("Examples")));
    if (m_documents->count() > 1)
        menu->addSection(tr("Open documents"));
    for (int i = 0; i < m_documents->count() && m_documents->count() > 1; ++i) {
        QAction *action =
            menu->addAction(m_documents->at(i).title, this, [this, i] { m_documents->activate(i); });
        action->setCheckable(true);
        action->setChecked(i == m_documents->current());
        action->setToolTip(m_documents->at(i).origin);
    }
    const QStringList paths = recent();
    if (paths.isEmpty())
        return;
    menu->addSection(tr("Recent"));
    for (const QString &path : paths)
        menu->addAction(document::fileInFolder(path), this, [this, path] { open(path); })->setToolTip(path);
}

void MainWindow::fillExamplesMenu(QMenu *menu)
{
    const std::vector<Example> found = examples();
    for (const Example &example : found) {
        const QString title = example.isModel ? tr("%1 (ONNX model)").arg(example.name) : example.name;
        QAction *action = menu->addAction(title, this, [this, path = example.path] { open(path); });
        action->setToolTip(example.description);
        action->setObjectName(QStringLiteral("example.") + example.name);
    }
    if (found.empty())
        menu->addAction(tr("The examples were not found beside the program"))->setEnabled(false);
}

void MainWindow::fillTargetMenu(QMenu *menu)
{
    if (!m_document->isOpen())
        return;
    const lower::Target &current = m_document->session().target();
    const auto add = [&](const QString &text, const lower::Target &target) {
        QAction *action = menu->addAction(text, this, [this, target] { m_document->setTarget(target); });
        action->setCheckable(true);
        action->setChecked(target == current);
        action->setEnabled(backend::isBuilt(target.kind));
        if (!action->isEnabled())
            action->setToolTip(tr("This program was built without the backend for it."));
    };
    const auto of = [](lower::TargetKind kind, int threads) {
        lower::Target target;
        target.kind = kind;
        target.threads = threads;
        return target;
    };
    add(tr("LLVM, this processor, all cores"), of(lower::TargetKind::Llvm, 0));
    add(tr("LLVM, this processor, one thread"), of(lower::TargetKind::Llvm, 1));
    add(tr("C, all cores"), of(lower::TargetKind::C, 0));
    add(tr("CUDA"), of(lower::TargetKind::Cuda, 0));
    add(tr("OpenCL"), of(lower::TargetKind::OpenCl, 0));
    menu->addSeparator();
    menu->addAction(tr("Other…"), this, [this] {
        auto *dialog = new TargetDialog(m_document->session().target(), this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QDialog::accepted, this,
                [this, dialog] { m_document->setTarget(dialog->target()); });
        dialog->open();
    });
}

void MainWindow::fillExportMenu(QMenu *menu)
{
    const auto add = [this](QMenu *to, const ExportKind &kind) {
        fillMenu(to, {QStringLiteral("export.") + kind.id});
        to->actions().back()->setText(kind.title);
    };
    std::vector<const ExportKind *> sources, pictures;
    for (const ExportKind &kind : exportKinds()) {
        if (kind.isChart)
            pictures.push_back(&kind);
        else if (backend::findSourceFormat(kind.id.toStdString()))
            sources.push_back(&kind);
        else if (!kind.isModel || m_model->isOpen())
            add(menu, kind);
    }
    menu->addSeparator();
    const auto addMenu = [&](const QString &title, const std::vector<const ExportKind *> &kinds) {
        QMenu *inside = menu->addMenu(title);
        inside->setToolTipsVisible(true);
        for (const ExportKind *kind : kinds)
            add(inside, *kind);
    };
    addMenu(tr("Code"), sources);
    addMenu(tr("Graph and charts"), pictures);
    menu->addSeparator();
    QMenu *versions = menu->addMenu(tr("Scripts for TVM %1").arg(toQt(script::dialectName(m_dialect))));
    for (const script::Dialect dialect : script::allDialects)
        fillMenu(versions, {QStringLiteral("export.dialect.") + toQt(script::dialectName(dialect))});
}

void MainWindow::fillMainMenu(QMenu *menu)
{
    const auto submenu = [&](const QString &title, const QString &prefix) {
        QMenu *inside = menu->addMenu(title);
        inside->setToolTipsVisible(true);
        QString group;
        for (const Command &command : m_commands->all()) {
            if (!command.id.startsWith(prefix))
                continue;
            if (!group.isEmpty() && group != command.group)
                inside->addSeparator();
            group = command.group;
            fillMenu(inside, {command.id});
        }
    };
    submenu(tr("File"), QStringLiteral("file."));
    submenu(tr("Edit"), QStringLiteral("edit."));
    submenu(tr("Schedule"), QStringLiteral("schedule."));
    submenu(tr("Measure"), QStringLiteral("measure."));
    submenu(tr("Export"), QStringLiteral("export."));
    submenu(tr("View"), QStringLiteral("view."));
    submenu(tr("Loop nest"), QStringLiteral("nest."));
    submenu(tr("Target source"), QStringLiteral("source."));
    submenu(tr("Graph"), QStringLiteral("graph."));
    submenu(tr("Help"), QStringLiteral("help."));
}

void MainWindow::showVariantMenu(int variant, const QPoint &at)
{
    const session::Variant &chosen = m_document->tree().at({variant});
    QMenu menu(this);
    QAction *jump =
        menu.addAction(tr("Go to this variant"), this, [this, variant] { m_document->jumpTo({variant}); });
    QAction *measure =
        menu.addAction(tr("Measure"), this, [this, variant] { m_measuring->measure({{variant}}); });
    QAction *compare = menu.addAction(tr("Show the difference from this variant"), this,
                                      [this, variant] { m_nestPane->compareWith({variant}); });
    QAction *script = menu.addAction(tr("Copy schedule script"), this, [this, variant] {
        if (const auto text = scheduleScript(m_document->session(), {variant}, m_dialect))
            QGuiApplication::clipboard()->setText(QString::fromStdString(*text));
    });
    menu.addSeparator();
    QAction *save = menu.addAction(tr("Export schedule script…"), this, [this, variant] {
        m_document->jumpTo({variant});
        chooseExport(QStringLiteral("schedule"));
    });
    for (QAction *action : {jump, measure, script, save})
        action->setEnabled(chosen.ok());
    compare->setEnabled(chosen.ok() && variant != m_document->currentId().value);
    if (!chosen.ok())
        menu.addAction(tr("Copy the reason"), this, [diagnostic = chosen.state.error()] {
            QGuiApplication::clipboard()->setText(QString::fromStdString(diagnostic.render()));
        });
    menu.exec(at);
}

} // namespace nestwright::app
