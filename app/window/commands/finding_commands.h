// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands of findings: show them, try the first.
#pragma once

namespace nestwright::document {
class CommandRegistry;
class Document;
class FindingList;
} // namespace nestwright::document

namespace nestwright::app {

class HistoryPane;

void addFindingCommands(document::CommandRegistry &commands, document::Document &document,
                        document::FindingList &findings, HistoryPane &pane);

} // namespace nestwright::app
