// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help/help_controller.h"

#include "app/window/controllers/program_facts.h"
#include "app/window/dialogs/about_dialog.h"
#include "app/window/dialogs/machine_dialog.h"
#include "app/window/frame/window_settings.h"
#include "app/window/help/help_pages.h"
#include "app/window/help/help_window.h"
#include "app/window/help/key_sheet.h"
#include "app/window/help/term_popup.h"
#include "app/window/help/what_is_this.h"
#include "core/support/errors/crash_report.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/forms/action_strip.h"

#include <QCursor>

namespace nestwright::app {

namespace {
const QString glossaryBegin = QStringLiteral("term:loop");
} // namespace

HelpController::HelpController(const document::Document &document, document::CommandRegistry &commands,
                               WindowSettings &settings, forms::ActionStrip &strip, QWidget *window)
    : m_document(document)
    , m_commands(commands)
    , m_settings(settings)
    , m_strip(strip)
    , m_window(window)
    , m_what(new WhatIsThis(document, strip, this))
{
    connect(m_what, &WhatIsThis::picked, this, [this](const QString &address, const QPoint &at) {
        if (address.isEmpty())
            openHelp(glossaryBegin);
        else
            explain(address, at);
    });
}

void HelpController::explain(const QString &address, const QPoint &at)
{
    if (!m_popup) {
        m_popup = new TermPopup(m_window);
        connect(m_popup, &TermPopup::helpWanted, this, &HelpController::openHelp);
    }
    m_popup->open(address, at);
}

/// The glossary where nothing is at hand.
void HelpController::explainAtHand()
{
    const QString address = m_what->addressAtHand();
    if (address.isEmpty())
        openHelp(glossaryBegin);
    else
        explain(address, QCursor::pos());
}

void HelpController::openHelp(const QString &address)
{
    if (!m_help)
        m_help = new HelpWindow(m_window);
    m_help->open(address);
}

void HelpController::addCommands()
{
    m_commands.add({.id = QStringLiteral("help.keys"),
                    .title = tr("Keys on one sheet"),
                    .group = tr("Help"),
                    .keys = {QKeySequence(QStringLiteral("Ctrl+/")), QKeySequence(QStringLiteral("?"))},
                    .run = [this] {
                        if (!m_keys)
                            m_keys = new KeySheet(m_commands, m_window);
                        m_keys->open();
                    }});
    m_commands.add({.id = QStringLiteral("help.primitives"),
                    .title = tr("Primitives: the effect of each"),
                    .group = tr("Help"),
                    .keys = {QKeySequence(Qt::Key_F1)},
                    .icon = QStringLiteral("help"),
                    .run = [this] {
                        const schedule::Primitive *topic = m_strip.topic();
                        openHelp(topic ? helpAddress(*topic) : QString());
                    }});
    m_commands.add({.id = QStringLiteral("help.glossary"),
                    .title = tr("Glossary of terms"),
                    .group = tr("Help"),
                    .run = [this] { openHelp(glossaryBegin); }});
    m_commands.add({.id = QStringLiteral("help.what"),
                    .title = tr("What is this?"),
                    .group = tr("Help"),
                    .keys = {QKeySequence(Qt::SHIFT | Qt::Key_F1)},
                    .icon = QStringLiteral("help"),
                    .run = [this] { explainAtHand(); }});
    m_commands.add({.id = QStringLiteral("help.pick"),
                    .title = tr("What is this? Click on it"),
                    .group = tr("Help"),
                    .run = [this] { m_what->pick(); }});
    addAboutCommands();
}

void HelpController::addAboutCommands()
{
    const auto areCrashesReported = [this] {
        return m_settings.program().value(QStringLiteral("crashReports"), true).toBool();
    };
    m_commands.add({.id = QStringLiteral("help.crashReports"),
                    .title = tr("Write a report after a crash"),
                    .group = tr("Help"),
                    .run =
                        [this, areCrashesReported] {
                            const bool wanted = !areCrashesReported();
                            m_settings.program().setValue(QStringLiteral("crashReports"), wanted);
                            if (!wanted)
                                support::stopCrashReports();
                            else
                                support::writeCrashReports(support::crashFolder(), factsText(programFacts()));
                        },
                    .checked = areCrashesReported});
    const auto openDialog = [](QDialog *dialog) {
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    };
    m_commands.add({.id = QStringLiteral("help.machine"),
                    .title = tr("About this machine"),
                    .group = tr("Help"),
                    .run = [this, openDialog] {
                        const auto target =
                            m_document.isOpen() ? m_document.session().target() : target::Target();
                        openDialog(new MachineDialog(measure::machineFacts(target), m_window));
                    }});
    m_commands.add({.id = QStringLiteral("help.about"),
                    .title = tr("About Nestwright"),
                    .group = tr("Help"),
                    .run = [this, openDialog] { openDialog(new AboutDialog(m_window)); }});
}

} // namespace nestwright::app
