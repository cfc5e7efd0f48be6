// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/finding_commands.h"

#include "app/window/panes/history_pane.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/finding_list.h"

#include <QCoreApplication>

namespace nestwright::app {

namespace {
struct FindingText {
    Q_DECLARE_TR_FUNCTIONS(FindingCommands)
};
} // namespace

void addFindingCommands(document::CommandRegistry &commands, document::Document &document,
                        document::FindingList &findings, HistoryPane &pane)
{
    const QString group = FindingText::tr("Loops");
    const auto needsKernel = [&document] {
        return document.isOpen() ? QString() : FindingText::tr("Open a kernel first.");
    };
    commands.add({.id = QStringLiteral("findings.show"),
                  .title = FindingText::tr("Show what costs time"),
                  .group = group,
                  .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+F"))},
                  .icon = QStringLiteral("info"),
                  .run = [&pane] { pane.showFindings(); },
                  .unavailable = needsKernel});
    commands.add({.id = QStringLiteral("findings.try"),
                  .title = FindingText::tr("Try the first remedy"),
                  .group = group,
                  .run = [&findings] { findings.tryOut(0); },
                  .unavailable =
                      [&findings, needsKernel] {
                          const QString closed = needsKernel();
                          return closed.isEmpty() && findings.findings().empty()
                                     ? FindingText::tr("Nothing was found that a change would make faster.")
                                     : closed;
                      }});
    QObject::connect(&findings, &document::FindingList::changed, &commands,
                     &document::CommandRegistry::update);
}

} // namespace nestwright::app
