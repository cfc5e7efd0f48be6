// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/file_controller.h"

#include "app/window/commands/command_menu.h"
#include "app/window/controllers/examples.h"
#include "app/window/controllers/model_sizes.h"
#include "app/window/controllers/recovery_controller.h"
#include "app/window/controllers/source_file.h"
#include "app/window/dialogs/recovery_dialog.h"
#include "app/window/frame/banner.h"
#include "app/window/frame/document_tabs.h"
#include "app/window/frame/top_bar.h"
#include "app/window/frame/window_settings.h"
#include "app/window/frame/work_line.h"
#include "app/window/panes/start_page.h"
#include "core/session/files/project_file.h"
#include "core/session/history/reopen.h"
#include "core/session/model/model_project.h"
#include "core/support/errors/crash_report.h"
#include "core/support/files/input_file.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/files/file_watch.h"
#include "widgets/document/files/open_documents.h"
#include "widgets/document/model.h"
#include "widgets/document/plain_tip.h"
#include "widgets/document/text.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>

#include <utility>

namespace nestwright::app {

using document::Document;

namespace {
constexpr int recentKept = 10;
const QString recentKey = QStringLiteral("recent");
} // namespace

FileController::FileController(document::OpenDocuments &documents, Document &document, document::Model &model,
                               document::Autosave &autosave, document::CommandRegistry &commands,
                               WindowSettings &settings, TopBar &topBar, StartPage &startPage, Banner &banner,
                               QWidget *window)
    : m_documents(documents)
    , m_document(document)
    , m_model(model)
    , m_autosave(autosave)
    , m_commands(commands)
    , m_settings(settings)
    , m_startPage(startPage)
    , m_banner(banner)
    , m_workLine(*topBar.workLine())
    , m_window(window)
    , m_fileWatch(std::make_unique<document::FileWatch>())
    , m_recovery(std::make_unique<RecoveryController>(autosave, settings, banner, window))
    , m_sizes(std::make_unique<ModelSizes>(model, settings, m_workLine, window))
{
    connect(&document, &Document::opened, this, &FileController::documentOpened);
    connect(&document, &Document::openFailed, this, [this](const support::Diagnostic &diagnostic) {
        m_opening.clear();
        m_banner.showError(diagnostic);
    });
    connect(&document, &Document::workCancelled, this, [this] { m_opening.clear(); });
    connect(&document, &Document::changedOnDisk, this, &FileController::askAboutChangedFile);
    connect(&document, &Document::saved, this, &FileController::remember);
    connect(&model, &document::Model::opened, this, [this] {
        if (m_model.isOpen() && !m_opening.isEmpty())
            remember(m_opening);
    });
    connect(m_fileWatch.get(), &document::FileWatch::changed, this, &FileController::offerChangedFile);
    connect(&autosave, &document::Autosave::failed, this, [this](const QString &message) {
        m_banner.showInfo(tr("Changes could not be kept automatically"), message);
    });
    connect(m_recovery.get(), &RecoveryController::restoreWanted, this, &FileController::restore);
    connect(topBar.tabs(), &DocumentTabs::closeWanted, this, &FileController::closeDocument);
    connect(&startPage, &StartPage::openRequested, this, &FileController::chooseFile);
    connect(&startPage, &StartPage::fileChosen, this, &FileController::open);
    if (!m_settings.isFresh())
        m_startPage.setRecent(recent());
}

FileController::~FileController() = default;

void FileController::offerRecovery() { m_recovery->offer(); }

void FileController::addFileCommands()
{
    const auto needsKernel = [this] { return m_document.isOpen() ? QString() : tr("Open a kernel first."); };
    m_commands.add({.id = QStringLiteral("file.open"),
                    .title = tr("Open…"),
                    .group = tr("File"),
                    .keys = {QKeySequence::Open},
                    .icon = QStringLiteral("open"),
                    .run = [this] { chooseFile(); }});
    m_sizes->addCommands(m_commands);
    m_commands.add({.id = QStringLiteral("file.save"),
                    .title = tr("Save session"),
                    .group = tr("File"),
                    .keys = {QKeySequence::Save},
                    .icon = QStringLiteral("save"),
                    .run = [this] { save(); },
                    .unavailable = needsKernel});
    m_commands.add({.id = QStringLiteral("file.saveAs"),
                    .title = tr("Save session as…"),
                    .group = tr("File"),
                    .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+S"))},
                    .run = [this] { saveAs(); },
                    .unavailable = needsKernel});
}

void FileController::addDocumentCommands()
{
    m_commands.add(
        {.id = QStringLiteral("file.stopOpening"),
         .title = tr("Cancel opening or step"),
         .group = tr("File"),
         .icon = QStringLiteral("stop"),
         .run = [this] { m_document.cancelWork(); },
         .unavailable = [this] { return m_document.isBusy() ? QString() : tr("Nothing is at work."); }});
    m_commands.add({.id = QStringLiteral("file.recover"),
                    .title = tr("Recover sessions…"),
                    .group = tr("File"),
                    .run = [this] { m_recovery->showAll(); }});
    const auto needsOther = [this] {
        return m_documents.count() > 1 ? QString() : tr("No other document is open.");
    };
    const auto go = [this](int by) {
        const int count = m_documents.count();
        m_documents.activate((m_documents.current() + by + count) % count);
    };
    m_commands.add({.id = QStringLiteral("file.close"),
                    .title = tr("Close document"),
                    .group = tr("File"),
                    .keys = {QKeySequence(QStringLiteral("Ctrl+W"))},
                    .run = [this] { closeDocument(m_documents.current()); },
                    .unavailable = needsOther});
    m_commands.add(
        {.id = QStringLiteral("file.next"),
         .title = tr("Next document"),
         .group = tr("File"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+Tab")), QKeySequence(QStringLiteral("Ctrl+PgDown"))},
         .run = [go] { go(1); },
         .unavailable = needsOther});
    m_commands.add(
        {.id = QStringLiteral("file.previous"),
         .title = tr("Previous document"),
         .group = tr("File"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+Tab")), QKeySequence(QStringLiteral("Ctrl+PgUp"))},
         .run = [go] { go(-1); },
         .unavailable = needsOther});
    m_commands.add({.id = QStringLiteral("file.quit"),
                    .title = tr("Quit"),
                    .group = tr("File"),
                    .keys = {QKeySequence::Quit},
                    .run = [this] { m_window->close(); }});
}

void FileController::open(const QString &path)
{
    const QString origin = path.startsWith(u"op:") ? path : QFileInfo(path).absoluteFilePath();
    if (const int at = m_documents.indexOf(origin); at >= 0) {
        m_documents.activate(at);
        if (!m_model.isOpen())
            offerChangedFile();
        return;
    }
    if (!m_settings.isFresh()) {
        for (const document::LeftBehind &left : m_autosave.leftBehind()) {
            if (left.session.isEmpty() || (left.origin != origin && left.sessionOrigin.path != origin))
                continue;
            m_broughtBack = keptWhen(left);
            restore(left);
            return;
        }
    }
    openFile(path);
}

void FileController::openFile(const QString &path)
{
    support::noteStep("open " + path.toStdString());
    m_opening = path.startsWith(u"op:") ? QString() : QFileInfo(path).absoluteFilePath();
    if (session::isModelFile(m_opening.toStdString()) || session::isModelProject(m_opening.toStdString()))
        m_model.open(m_opening);
    else
        m_document.open(m_opening.isEmpty() ? path : m_opening);
}

void FileController::documentOpened()
{
    if (!m_opening.isEmpty() && m_model.kernel() < 0)
        remember(m_opening);
    QString origin = m_documents.at(m_documents.current()).origin; // of one that was parked, or goes on
    if (origin.isEmpty())
        origin = m_opening;
    if (origin.isEmpty())
        origin = sourceFile(m_document, m_model);
    if (origin.isEmpty())
        origin = QString::fromStdString(m_document.session().source().text);
    m_autosave.setOrigin(origin);
    m_documents.setOrigin(origin);
    m_opening.clear();
    m_startPage.hide();
    m_banner.hide();
    m_fileWatch->setPath(sourceFile(m_document, m_model));
    showBroughtBack();
}

/// Changes that are in no file are back without a question; the file itself can be had too.
void FileController::showBroughtBack()
{
    if (m_broughtBack.isEmpty())
        return;
    const QString origin = m_documents.at(m_documents.current()).origin;
    m_banner.showInfo(tr("Your changes are back"),
                      tr("“%1” was closed with changes that are in no file; they were kept %2.")
                          .arg(m_document.title(), std::exchange(m_broughtBack, {})),
                      {{tr("Open it without them"), [this, origin] { openFile(origin); }}});
}

/// Tells where the file of the open document was changed since; for a model's it is known only when it
/// changes.
void FileController::offerChangedFile()
{
    const session::Source &source = m_document.session().source();
    const bool isModel = m_model.isOpen();
    const QString path = QString::fromStdString(isModel ? m_model.model().path : source.path);
    if (!isModel) { // the text tells for certain
        const auto there = path.isEmpty() ? support::fail("file.none", "") : support::readText(source.path);
        if (!there || *there == source.text)
            return;
    }
    std::vector<Banner::Button> buttons{{tr("Open it anew"), [this, path] { openFile(path); }}};
    if (!isModel && m_document.tree().size() > 1)
        buttons.insert(buttons.begin(), {tr("Open it with its steps"), [this] { reopenWithSteps(); }});
    m_banner.showInfo(
        tr("The file was changed"),
        tr("“%1” was changed on disk since it was opened here. The open version stays in its tab.")
            .arg(QFileInfo(path).fileName()),
        buttons);
}

void FileController::reopenWithSteps()
{
    m_opening = QString::fromStdString(m_document.session().source().path);
    m_document.openSession([before = *m_document.copy()] { return session::reopen(before); },
                           {.modified = true});
}

void FileController::closeDocument(int i)
{
    const document::OpenDocuments::Entry closed = m_documents.at(i);
    const bool isKept = i == m_documents.current() ? m_document.isModified() : closed.modified;
    m_documents.close(i);
    if (isKept)
        m_workLine.tell(tr("“%1” is closed; its changes are back when it is opened again").arg(closed.title),
                        tr("Open it"), [this, origin = closed.origin] { open(origin); });
}

void FileController::chooseFile()
{
    const QString path = QFileDialog::getOpenFileName(
        m_window, tr("Open a model, a kernel, a schedule script or a session"),
        sourceFolder(m_document, m_model),
        tr("Models, kernels, scripts and sessions (*.onnx *.py *.nest);;All files (*)"));
    if (!path.isEmpty())
        open(path);
}

void FileController::save()
{
    support::noteStep("save");
    if (m_document.sessionPath().isEmpty())
        saveAs();
    else
        m_document.save(m_document.sessionPath());
}

void FileController::saveAs()
{
    const QString title =
        m_model.kernel() >= 0 ? QString::fromStdString(m_model.model().name) : m_document.title();
    const QString stem = QFileInfo(title).completeBaseName();
    QString path = QFileDialog::getSaveFileName(
        m_window, tr("Save session"),
        sourceFolder(m_document, m_model) + u'/' + stem + QStringLiteral(".nest"), tr("Sessions (*.nest)"));
    if (path.isEmpty())
        return;
    const QLatin1String extension(session::projectExtension);
    if (!path.endsWith(extension))
        path += extension;
    m_document.save(path);
}

void FileController::askAboutChangedFile(const QString &path)
{
    auto *box = new QMessageBox(QMessageBox::Warning, tr("The file was changed"),
                                tr("“%1” was changed by another program since it was opened or saved here.")
                                    .arg(QFileInfo(path).fileName()),
                                QMessageBox::Cancel, m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("Saving replaces the changes of the other program."));
    const auto *anyway = box->addButton(tr("Save anyway"), QMessageBox::DestructiveRole);
    const auto *elsewhere = box->addButton(tr("Save as…"), QMessageBox::AcceptRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(box, &QMessageBox::buttonClicked, this, [=, this](const QAbstractButton *button) {
        if (button == anyway)
            m_document.save(path, document::Overwrite::Always);
        else if (button == elsewhere)
            saveAs();
    });
    box->open();
}

QStringList FileController::recent() const
{
    QStringList paths = m_settings.program().value(recentKey).toStringList();
    paths.removeIf([](const QString &path) { return !QFileInfo::exists(path); });
    return paths;
}

void FileController::remember(const QString &path)
{
    if (m_settings.isFresh())
        return;
    QStringList paths = recent();
    paths.removeAll(path);
    paths.prepend(path);
    m_settings.setValue(recentKey, paths.mid(0, recentKept));
    m_startPage.setRecent(paths);
}

void FileController::restore(const document::LeftBehind &left)
{
    support::noteStep("restore " + left.title.toStdString());
    if (left.session.isEmpty()) { // nothing was changed: the file itself is all there is
        document::Autosave::discard(left);
        open(left.origin);
        return;
    }
    m_opening = left.sessionOrigin.path;
    m_autosave.claim(left);
    if (session::isModelProject(left.session.toStdString()))
        m_model.recover(left.session, left.sessionOrigin);
    else
        m_document.recover(left.session, left.sessionOrigin);
}

void FileController::fillOpenMenu(QMenu *menu)
{
    addCommands(
        menu, m_commands,
        {QStringLiteral("file.open"), {}, QStringLiteral("file.save"), QStringLiteral("file.saveAs")});
    fillExamplesMenu(menu->addMenu(tr("Examples")));
    if (m_documents.count() > 1)
        menu->addSection(tr("Open documents"));
    for (int i = 0; i < m_documents.count() && m_documents.count() > 1; ++i) {
        QAction *action =
            menu->addAction(m_documents.at(i).title, this, [this, i] { m_documents.activate(i); });
        action->setCheckable(true);
        action->setChecked(i == m_documents.current());
        action->setToolTip(document::plainTip(m_documents.at(i).origin));
    }
    const QStringList paths = recent();
    if (paths.isEmpty())
        return;
    menu->addSection(tr("Recent"));
    for (const QString &path : paths)
        menu->addAction(document::fileInFolder(path), this, [this, path] { open(path); })
            ->setToolTip(document::plainTip(path));
}

void FileController::addExamples(QMenu *menu, const std::vector<Example> &examples)
{
    for (const Example &example : examples) {
        const QString title = example.isModel ? tr("%1 (ONNX model)").arg(example.name) : example.name;
        QAction *action = menu->addAction(title, this, [this, path = example.path] { open(path); });
        action->setToolTip(example.description);
        action->setObjectName(QStringLiteral("example.") + example.name);
    }
}

void FileController::fillExamplesMenu(QMenu *menu)
{
    const std::vector<Example> found = examples();
    addExamples(menu, found);
    if (found.empty())
        menu->addAction(tr("The examples were not found beside the program"))->setEnabled(false);
    if (const std::vector<Example> kernels = gpuExamples(); !kernels.empty()) {
        menu->addSection(tr("For a GPU"));
        addExamples(menu, kernels);
    }
    const QString open = m_documents.count() > 0 ? m_documents.at(m_documents.current()).origin : QString();
    const auto [processors, gpus] = schedulesOf(open);
    if (!processors.empty() || !gpus.empty())
        menu->addSection(tr("Schedules of %1").arg(QFileInfo(open).completeBaseName()));
    const auto addLadder = [&](const QString &title, const std::vector<Example> &rungs) {
        if (rungs.empty())
            return;
        QMenu *ladder = menu->addMenu(title);
        ladder->setToolTipsVisible(true);
        addExamples(ladder, rungs);
    };
    addLadder(tr("for this processor"), processors);
    addLadder(tr("for a GPU"), gpus);
}

} // namespace nestwright::app
