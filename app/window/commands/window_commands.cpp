// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/window_commands.h"

#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/files/open_documents.h"

#include <QCoreApplication>
#include <QProcess>

namespace nestwright::app {

namespace {

struct WindowText {
    Q_DECLARE_TR_FUNCTIONS(WindowCommands)
};

void startWindow(const QStringList &files)
{
    QProcess::startDetached(QCoreApplication::applicationFilePath(), files);
}

/// The file that has what is worked on, or the operator; empty where none was opened.
QString originOf(const document::Document &document, const document::OpenDocuments &documents)
{
    if (!document.sessionPath().isEmpty())
        return document.sessionPath();
    return documents.current() < 0 ? QString() : documents.at(documents.current()).origin;
}

} // namespace

void addWindowCommands(document::CommandRegistry &commands, document::Document &document,
                       document::OpenDocuments &documents)
{
    commands.add({.id = QStringLiteral("file.newWindow"),
                  .title = WindowText::tr("New window"),
                  .group = WindowText::tr("File"),
                  .keys = {QKeySequence(QStringLiteral("Ctrl+N"))},
                  .run = [] { startWindow({}); }});
    commands.add({.id = QStringLiteral("file.openInWindow"),
                  .title = WindowText::tr("Open the file in a new window, as it was saved"),
                  .group = WindowText::tr("File"),
                  .keys = {QKeySequence(QStringLiteral("Ctrl+Alt+O"))},
                  .run = [&document, &documents] { startWindow({originOf(document, documents)}); },
                  .unavailable =
                      [&document, &documents] {
                          return originOf(document, documents).isEmpty()
                                     ? WindowText::tr("Open a file first.")
                                     : QString();
                      }});
}

} // namespace nestwright::app
