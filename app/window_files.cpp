// SPDX-License-Identifier: GPL-3.0-or-later
/// Opening, saving and exporting: dialogs, recent files, and what an earlier run left behind.
#include "app/banner.h"
#include "app/exports.h"
#include "app/main_window.h"
#include "app/present/chart_pages.h"
#include "app/recovery_dialog.h"
#include "app/sizes_dialog.h"
#include "app/start_page.h"
#include "app/top_bar.h"
#include "app/work_line.h"
#include "core/session/model_project.h"
#include "core/session/project_file.h"
#include "core/session/reopen.h"
#include "core/support/crash_report.h"
#include "core/support/input_file.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_export.h"
#include "widgets/charts/export.h"
#include "widgets/document/autosave.h"
#include "widgets/document/document.h"
#include "widgets/document/measuring.h"
#include "widgets/document/model.h"
#include "widgets/document/open_documents.h"
#include "widgets/document/peer_measuring.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QUrl>

namespace nestwright::app {

namespace {
constexpr int recentKept = 10;
const QString recentKey = QStringLiteral("recent");
const QString crashSeenKey = QStringLiteral("crashReportSeen");
} // namespace

void MainWindow::open(const QString &path)
{
    const QString origin = path.startsWith(u"op:") ? path : QFileInfo(path).absoluteFilePath();
    if (const int at = m_documents->indexOf(origin); at >= 0) {
        m_documents->activate(at);
        if (!m_model->isOpen())
            offerChangedFile();
        return;
    }
    if (!m_fresh) {
        for (const document::LeftBehind &left : m_autosave->leftBehind()) {
            if (left.session.isEmpty() || (left.origin != origin && left.belonging.path != origin))
                continue;
            m_broughtBack = keptWhen(left);
            restore(left);
            return;
        }
    }
    openFile(path);
}

void MainWindow::openFile(const QString &path)
{
    support::noteStep("open " + path.toStdString());
    m_opening = path.startsWith(u"op:") ? QString() : QFileInfo(path).absoluteFilePath();
    if (session::isModelFile(m_opening.toStdString()) || session::isModelProject(m_opening.toStdString()))
        m_model->open(m_opening);
    else
        m_document->open(m_opening.isEmpty() ? path : m_opening);
}

/// Changes that are in no file are back without a question; the file itself can be had too.
void MainWindow::showBroughtBack()
{
    if (m_broughtBack.isEmpty())
        return;
    const QString origin = m_documents->at(m_documents->current()).origin;
    m_banner->showInfo(tr("Your changes are back"),
                       tr("“%1” was closed with changes that are in no file; they were kept %2.")
                           .arg(m_document->title(), std::exchange(m_broughtBack, {})),
                       {{tr("Open it without them"), [this, origin] { openFile(origin); }}});
}

/// Tells where the file of what is open was changed since; of a model's it is known only when it changes.
void MainWindow::offerChangedFile()
{
    const session::Source &source = m_document->session().source();
    const bool isModel = m_model->isOpen();
    const QString path = QString::fromStdString(isModel ? m_model->model().path : source.path);
    if (!isModel) { // the text tells for certain
        const auto there = path.isEmpty() ? support::fail("file.none", "") : support::readText(source.path);
        if (!there || *there == source.text)
            return;
    }
    std::vector<Banner::Button> buttons{{tr("Open it anew"), [this, path] { openFile(path); }}};
    if (!isModel && m_document->tree().size() > 1)
        buttons.insert(buttons.begin(), {tr("Open it with its steps"), [this] { reopenWithSteps(); }});
    m_banner->showInfo(tr("The file was changed"),
                       tr("“%1” was changed on disk since it was opened here. What is open stays in its tab.")
                           .arg(QFileInfo(path).fileName()),
                       buttons);
}

void MainWindow::reopenWithSteps()
{
    m_opening = QString::fromStdString(m_document->session().source().path);
    m_document->openSession([before = *m_document->copy()] { return session::reopen(before); },
                            {.modified = true});
}

void MainWindow::closeDocument(int i)
{
    const document::OpenDocuments::Entry closed = m_documents->at(i);
    const bool isKept = i == m_documents->current() ? m_document->isModified() : closed.modified;
    m_documents->close(i);
    if (isKept)
        m_topBar->workLine()->tell(
            tr("“%1” is closed; its changes are back when it is opened again").arg(closed.title),
            tr("Open it"), [this, origin = closed.origin] { open(origin); });
}

QString MainWindow::folderOfFile() const
{
    if (!m_document->isOpen())
        return QDir::currentPath();
    const QString path = QString::fromStdString(m_model->kernel() >= 0 ? m_model->model().path
                                                                       : m_document->session().source().path);
    return path.isEmpty() ? QDir::currentPath() : QFileInfo(path).absolutePath();
}

void MainWindow::chooseFile()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a model, a kernel, a schedule script or a session"), folderOfFile(),
        tr("Models, kernels, scripts and sessions (*.onnx *.py *.nest);;All files (*)"));
    if (!path.isEmpty())
        open(path);
}

void MainWindow::askForSizes(const QString &path, const QStringList &names)
{
    auto *dialog = new SizesDialog(names, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog, path] { m_model->open(path, {.sizes = dialog->sizes()}); });
    dialog->open();
}

void MainWindow::save()
{
    support::noteStep("save");
    if (m_document->sessionPath().isEmpty())
        saveAs();
    else
        m_document->save(m_document->sessionPath());
}

void MainWindow::saveAs()
{
    const QString title =
        m_model->kernel() >= 0 ? QString::fromStdString(m_model->model().name) : m_document->title();
    const QString stem = QFileInfo(title).completeBaseName();
    QString path = QFileDialog::getSaveFileName(this, tr("Save session"),
                                                folderOfFile() + u'/' + stem + QStringLiteral(".nest"),
                                                tr("Sessions (*.nest)"));
    if (path.isEmpty())
        return;
    const QLatin1String extension(session::projectExtension);
    if (!path.endsWith(extension))
        path += extension;
    m_document->save(path);
}

void MainWindow::askAboutChangedFile(const QString &path)
{
    auto *box = new QMessageBox(QMessageBox::Warning, tr("The file was changed"),
                                tr("“%1” was changed by another program since it was opened or saved here.")
                                    .arg(QFileInfo(path).fileName()),
                                QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("Saving replaces what the other program wrote."));
    const auto *anyway = box->addButton(tr("Save anyway"), QMessageBox::DestructiveRole);
    const auto *elsewhere = box->addButton(tr("Save as…"), QMessageBox::AcceptRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(box, &QMessageBox::buttonClicked, this, [=, this](const QAbstractButton *button) {
        if (button == anyway)
            m_document->save(path, document::Overwrite::Always);
        else if (button == elsewhere)
            saveAs();
    });
    box->open();
}

void MainWindow::chooseExport(const QString &id)
{
    const ExportKind *kind = findExportKind(id);
    QString stem = QFileInfo(m_document->title()).completeBaseName();
    if (kind->isModel)
        stem = QFileInfo(QString::fromStdString(m_model->model().name)).completeBaseName();
    if (id == u"schedule")
        stem += QStringLiteral("_schedule");
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export %1").arg(kind->title), folderOfFile() + u'/' + stem + kind->extension,
        QStringLiteral("%1 (*%2)").arg(kind->title, kind->extension));
    if (!path.isEmpty())
        exportTo(id, path);
}

/// Says what became of an export.
void MainWindow::tellWritten(const QString &done, const QString &path)
{
    m_topBar->workLine()->tell(tr("%1 %2").arg(done, QFileInfo(path).fileName()), tr("Show folder"), [path] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath()));
    });
    Q_EMIT exported(path);
}

void MainWindow::exportTo(const QString &id, const QString &path)
{
    const auto done = [this, path](const support::Result<void> &result) {
        if (!result) {
            m_banner->showError(result.error());
            return;
        }
        tellWritten(tr("Exported"), path);
    };
    if (id.startsWith(u"graph-")) {
        m_jobs->run(
            QStringLiteral("export ") + path, this,
            [picture = m_graph->picture(), path, dark = m_theme.isDark()](const jobs::Job &) {
                return canvas::writeGraph(picture, path, dark);
            },
            [done](const std::shared_ptr<const support::Result<void>> &result) { done(*result); });
        return;
    }
    if (id.startsWith(u"chart-")) {
        done(charts::writeBars(barsOf(*m_document, *m_measuring, *m_peer), path, m_theme.isDark()));
        return;
    }
    if (id.startsWith(u"roofline-")) {
        done(charts::writeRoofline(rooflineOf(*m_document, *m_measuring), path, m_theme.isDark()));
        return;
    }
    if (findExportKind(id)->isModel) {
        m_jobs->run(
            QStringLiteral("export ") + path, this,
            [model = m_model->shared(), schedules = m_model->states(), id, path](const jobs::Job &job) {
                return writeModelExport(*model, schedules, id, path, job.stopToken());
            },
            [done](const std::shared_ptr<const support::Result<void>> &result) { done(*result); });
        return;
    }
    m_jobs->run(
        QStringLiteral("export ") + path, this,
        [session = *m_document->copy(), id, path, dialect = m_dialect](const jobs::Job &job) {
            return writeExport(session, id, path, dialect, job.stopToken());
        },
        [done](const std::shared_ptr<const support::Result<void>> &result) { done(*result); });
}

QStringList MainWindow::recent() const
{
    QStringList paths = m_settings->value(recentKey).toStringList();
    paths.removeIf([](const QString &path) { return !QFileInfo::exists(path); });
    return paths;
}

void MainWindow::remember(const QString &path)
{
    if (m_fresh)
        return;
    QStringList paths = recent();
    paths.removeAll(path);
    paths.prepend(path);
    m_settings->setValue(recentKey, paths.mid(0, recentKept));
    m_startPage->setRecent(paths);
}

void MainWindow::offerRecovery()
{
    const std::vector<document::LeftBehind> left = m_autosave->leftBehind();
    const QString report = newCrashReport();
    if (left.empty()) {
        if (!report.isEmpty())
            offerCrashReport(report);
        return;
    }
    const document::LeftBehind &newest = left.front();
    const QString name =
        newest.belonging.path.isEmpty() ? newest.title : QFileInfo(newest.belonging.path).fileName();
    const QString title =
        newest.crashed ? tr("Nestwright did not end in order") : tr("There are changes that were not saved");
    QString text = name.isEmpty() ? tr("A session was kept %1.").arg(keptWhen(newest))
                                  : tr("“%1” was open; it was kept %2.").arg(name, keptWhen(newest));
    if (left.size() > 1)
        text += u' ' + tr("There are %1 more.").arg(left.size() - 1);
    if (!report.isEmpty())
        text += u'\n' + tr("A report of the crash is in %1").arg(report);
    std::vector<Banner::Button> buttons{{tr("Restore"), [this, newest] { restore(newest); }}};
    if (left.size() > 1)
        buttons.push_back({tr("Show all…"), [this] { showRecovery(); }});
    else
        buttons.push_back({tr("Discard"), [newest] { document::Autosave::discard(newest); }});
    buttons.push_back({tr("Later"), [] {}});
    m_banner->showInfo(title, text, buttons);
}

void MainWindow::showRecovery()
{
    auto *dialog = new RecoveryDialog(m_autosave->leftBehind(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &RecoveryDialog::restoreWanted, this, &MainWindow::restore);
    dialog->open();
}

void MainWindow::restore(const document::LeftBehind &left)
{
    support::noteStep("restore " + left.title.toStdString());
    if (left.session.isEmpty()) { // nothing was changed: the file itself is all there is
        document::Autosave::discard(left);
        open(left.origin);
        return;
    }
    m_opening = left.belonging.path;
    m_autosave->claim(left);
    if (session::isModelProject(left.session.toStdString()))
        m_model->recover(left.session, left.belonging);
    else
        m_document->recover(left.session, left.belonging);
}

/// Of a crash that the person has not been told of; empty where there is none.
QString MainWindow::newCrashReport()
{
    const auto reports = support::crashReports(support::crashFolder());
    if (reports.empty())
        return {};
    const QString newest = QString::fromStdString(reports.front().string());
    const QString seen = m_settings->value(crashSeenKey).toString();
    m_settings->setValue(crashSeenKey, newest);
    return newest == seen ? QString() : newest;
}

void MainWindow::offerCrashReport(const QString &report)
{
    m_banner->showInfo(tr("The program crashed"),
                       tr("A report says what it did last. It was sent to nobody: %1").arg(report),
                       {{tr("Open"), [report] { QDesktopServices::openUrl(QUrl::fromLocalFile(report)); }},
                        {tr("Copy path"), [report] { QApplication::clipboard()->setText(report); }}});
}

} // namespace nestwright::app
