// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/recovery_controller.h"

#include "app/window/dialogs/recovery_dialog.h"
#include "app/window/frame/banner.h"
#include "app/window/frame/window_settings.h"
#include "core/support/errors/crash_report.h"
#include "widgets/document/files/autosave.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileInfo>
#include <QUrl>

namespace nestwright::app {

namespace {
const QString crashSeenKey = QStringLiteral("crashReportSeen");
}

RecoveryController::RecoveryController(document::Autosave &autosave, WindowSettings &settings, Banner &banner,
                                       QWidget *window)
    : m_autosave(autosave)
    , m_settings(settings)
    , m_banner(banner)
    , m_window(window)
{
}

void RecoveryController::offer()
{
    const std::vector<document::LeftBehind> left = m_autosave.leftBehind();
    const QString report = newCrashReport();
    if (left.empty()) {
        if (!report.isEmpty())
            offerCrashReport(report);
        return;
    }
    const document::LeftBehind &newest = left.front();
    const QString name =
        newest.sessionOrigin.path.isEmpty() ? newest.title : QFileInfo(newest.sessionOrigin.path).fileName();
    const QString title =
        newest.crashed ? tr("Nestwright did not end in order") : tr("There are changes that were not saved");
    QString text = name.isEmpty() ? tr("A session was kept %1.").arg(keptWhen(newest))
                                  : tr("“%1” was open; it was kept %2.").arg(name, keptWhen(newest));
    if (left.size() > 1)
        text += u' ' + tr("There are %1 more.").arg(left.size() - 1);
    if (!report.isEmpty())
        text += u'\n' + tr("A report of the crash is in %1").arg(report);
    std::vector<Banner::Button> buttons{{tr("Restore"), [this, newest] { Q_EMIT restoreWanted(newest); }}};
    if (left.size() > 1)
        buttons.push_back({tr("Show all…"), [this] { showAll(); }});
    else
        buttons.push_back({tr("Discard"), [newest] { document::Autosave::discard(newest); }});
    buttons.push_back({tr("Later"), [] {}});
    m_banner.showInfo(title, text, buttons);
}

void RecoveryController::showAll()
{
    auto *dialog = new RecoveryDialog(m_autosave.leftBehind(), m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &RecoveryDialog::restoreWanted, this, &RecoveryController::restoreWanted);
    dialog->open();
}

/// The report of a crash that the person has not been told of; empty where there is none.
QString RecoveryController::newCrashReport()
{
    const auto reports = support::crashReports(support::crashFolder());
    if (reports.empty())
        return {};
    const QString newest = QString::fromStdString(reports.front().string());
    const QString seen = m_settings.program().value(crashSeenKey).toString();
    m_settings.program().setValue(crashSeenKey, newest);
    return newest == seen ? QString() : newest;
}

void RecoveryController::offerCrashReport(const QString &report)
{
    m_banner.showInfo(tr("The program crashed"),
                      tr("A report has its last steps. It was sent to nobody: %1").arg(report),
                      {{tr("Open"), [report] { QDesktopServices::openUrl(QUrl::fromLocalFile(report)); }},
                       {tr("Copy path"), [report] { QApplication::clipboard()->setText(report); }}});
}

} // namespace nestwright::app
