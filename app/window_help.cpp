// SPDX-License-Identifier: GPL-3.0-or-later
/// The commands of the menu Help.
#include "app/about_dialog.h"
#include "app/help_pages.h"
#include "app/help_window.h"
#include "app/key_sheet.h"
#include "app/loop_pane.h"
#include "app/machine_dialog.h"
#include "app/main_window.h"
#include "app/program_facts.h"
#include "core/support/crash_report.h"
#include "widgets/document/command_registry.h"
#include "widgets/forms/action_strip.h"

#include <QSettings>

namespace nestwright::app {

void MainWindow::addHelpCommands()
{
    m_commands->add({.id = QStringLiteral("help.keys"),
                     .title = tr("Keys on one sheet"),
                     .group = tr("Help"),
                     .keys = {QKeySequence(QStringLiteral("Ctrl+/")), QKeySequence(QStringLiteral("?"))},
                     .run = [this] {
                         auto *sheet = findChild<KeySheet *>();
                         if (!sheet)
                             sheet = new KeySheet(*m_commands, this);
                         sheet->open();
                     }});
    const auto openHelp = [this](const QString &address) {
        if (!m_help)
            m_help = new HelpWindow(this);
        m_help->open(address);
    };
    m_commands->add({.id = QStringLiteral("help.primitives"),
                     .title = tr("Primitives: what each does"),
                     .group = tr("Help"),
                     .keys = {QKeySequence(Qt::Key_F1)},
                     .icon = QStringLiteral("help"),
                     .run = [this, openHelp] {
                         const schedule::Primitive *topic = m_loopPane->strip()->topic();
                         openHelp(topic ? helpAddress(*topic) : QString());
                     }});
    m_commands->add({.id = QStringLiteral("help.glossary"),
                     .title = tr("Glossary of terms"),
                     .group = tr("Help"),
                     .keys = {QKeySequence(Qt::SHIFT | Qt::Key_F1)},
                     .run = [openHelp] { openHelp(QStringLiteral("term:loop")); }});
    addAboutCommands();
}

void MainWindow::addAboutCommands()
{
    const auto areCrashesReported = [this] {
        return m_settings->value(QStringLiteral("crashReports"), true).toBool();
    };
    m_commands->add({.id = QStringLiteral("help.crashReports"),
                     .title = tr("Write a report after a crash"),
                     .group = tr("Help"),
                     .run =
                         [this, areCrashesReported] {
                             const bool wanted = !areCrashesReported();
                             m_settings->setValue(QStringLiteral("crashReports"), wanted);
                             if (!wanted)
                                 support::stopCrashReports();
                             else
                                 support::writeCrashReports(support::crashFolder(),
                                                            factsText(programFacts()));
                         },
                     .checked = areCrashesReported});
    const auto openDialog = [](QDialog *dialog) {
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    };
    m_commands->add(
        {.id = QStringLiteral("help.machine"),
         .title = tr("About this machine"),
         .group = tr("Help"),
         .run = [this, openDialog] { openDialog(new MachineDialog(measure::machineFacts(), this)); }});
    m_commands->add({.id = QStringLiteral("help.about"),
                     .title = tr("About Nestwright"),
                     .group = tr("Help"),
                     .run = [this, openDialog] { openDialog(new AboutDialog(this)); }});
}

} // namespace nestwright::app
